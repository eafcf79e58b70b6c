// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// Keys of the private state. CONTRIBUTING.md says how they may change.
const (
	memoryKey   = "service"
	replacedKey = "replaced"
	goneKey     = "gone"
)

type privateReader interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(context.Context, string, []byte) diag.Diagnostics
}

// The CLI plans a replacement with two calls: first as an update of the prior object, then
// as a creation. The second call gets the planned private state of the first one. There,
// markReplaced stores which object is replaced, so that replacedBefore can tell a
// replacement from any other creation.
func markReplaced(ctx context.Context, private privateWriter, r replacedObject, diags *diag.Diagnostics) {
	savePrivate(ctx, private, replacedKey, r, diags)
}

func replacedBefore(ctx context.Context, private privateReader, diags *diag.Diagnostics) replacedObject {
	return loadPrivate[replacedObject](ctx, private, replacedKey, diags)
}

// replacedObject is the prior object of a replacement. It is zero for any other
// creation.
type replacedObject struct {
	engine.Ref
	Assessment string
	Forget     bool // on_refused_removal is "forget"
}

func (r replacedObject) isZero() bool { return r == replacedObject{} }

// markGone stores in the private state of a Read that the instance does not exist any more.
// The plan that follows gets this private state, so that wasGone can tell.
func markGone(ctx context.Context, private privateWriter, diags *diag.Diagnostics) {
	savePrivate(ctx, private, goneKey, true, diags)
	savePrivate(ctx, private, replacedKey, replacedObject{}, diags) // an earlier plan may have left it in the state
}

func wasGone(ctx context.Context, private privateReader, diags *diag.Diagnostics) bool {
	return loadPrivate[bool](ctx, private, goneKey, diags)
}

func loadPrivate[T any](ctx context.Context, private privateReader, key string, diags *diag.Diagnostics) T {
	var value, empty T
	text, d := private.GetKey(ctx, key)
	diags.Append(d...)
	if len(text) > 0 && json.Unmarshal(text, &value) != nil {
		return empty // another version of the provider wrote it
	}
	return value
}

func savePrivate(ctx context.Context, private privateWriter, key string, value any, diags *diag.Diagnostics) {
	text, err := json.Marshal(value)
	if err != nil {
		diags.Append(newError("Could not save the private state", capitalized(err)+".\n\nTo fix "+
			"this: report this bug in the provider."))
		return
	}
	diags.Append(private.SetKey(ctx, key, text)...)
}
