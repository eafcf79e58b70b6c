// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// Keys of the private state. CONTRIBUTING.md says how they may change. The first call of a replacement tells the second
// one what is replaced, and a Read tells the plan what is gone.
const (
	memoryKey   = "service"  // catalog.Memory
	replacedKey = "replaced" // Object
	goneKey     = "gone"     // bool
)

// TypeName is the name of the resource in a configuration.
const TypeName = "assess_position_assessment"

// Load records that the CLI has loaded a state. A state that cannot be read is reported later.
func Load(c *tf.Run, text []byte) {
	var state struct {
		Position   string `json:"position_id"`
		ID         string `json:"id"`
		Assessment string `json:"assessment_id"`
		Status     string `json:"profile_status"`
	}
	if json.Unmarshal(text, &state) == nil {
		ref := Ref{Position: state.Position, ID: state.ID}
		of(c.Run).intents.object(ref, func(o *planned) {
			o.loads, o.object = o.loads+1, ManagedObject{Ref: ref, Assessment: state.Assessment, Status: state.Status}
		})
	}
}

// privateState is the private state of a request or a response.
type privateState interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
	SetKey(context.Context, string, []byte) diag.Diagnostics
}

func loadPrivate[T any](ctx context.Context, private privateState, key string, diags *diag.Diagnostics) T {
	var value, empty T
	text, d := private.GetKey(ctx, key)
	diags.Append(d...)
	if len(text) > 0 && json.Unmarshal(text, &value) != nil {
		return empty // another version of the provider wrote it
	}
	return value
}

func savePrivate(ctx context.Context, private privateState, key string, value any, diags *diag.Diagnostics) {
	text, err := json.Marshal(value)
	if err != nil {
		diags.Append(tf.Error("Could not save the private state", words.Capitalized(err)+".\n\nTo fix this: report this "+
			"bug."))
		return
	}
	diags.Append(private.SetKey(ctx, key, text)...)
}
