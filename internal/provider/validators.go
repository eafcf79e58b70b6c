// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// identifier accepts a value that can be an id: not empty, and only characters that the
// service accepts (assumption A16).
type identifier struct{}

func (identifier) Description(context.Context) string {
	return "must be an ID: not empty, and within the Latin1 charset"
}

func (v identifier) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (identifier) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsUnknown() || req.ConfigValue.IsNull() {
		return
	}
	switch id := req.ConfigValue.ValueString(); id {
	case "":
		resp.Diagnostics.Append(
			newAttributeError(req.Path, "Empty ID", "This attribute requires an ID, and the value is empty.\n\nTo fix this: "+
				"set an ID, or remove the attribute if it is optional."),
		)
	case ".", "..":
		resp.Diagnostics.Append(
			newAttributeError(req.Path, "Not an ID", "An ID cannot be \".\" or \"..\", because these have a special "+
				"meaning in a web address.\n\nTo fix this: use the ID that the service shows."),
		)
	default:
		latin1{}.ValidateString(ctx, req, resp)
	}
}

// latin1 refuses characters that the service answers with 400 (assumption A16).
type latin1 struct{}

func (latin1) Description(context.Context) string { return "must be within the Latin1 charset" }

func (v latin1) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (latin1) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsUnknown() || req.ConfigValue.IsNull() {
		return
	}
	if problem := rules.Latin1(req.ConfigValue.ValueString()); problem != "" {
		resp.Diagnostics.Append(newAttributeError(req.Path, rules.Summaries[rules.OutsideLatin1], problem))
	}
}

// positiveDuration accepts a duration such as "30s".
type positiveDuration struct{}

func (positiveDuration) Description(context.Context) string {
	return "must be a duration above zero, such as 30s or 5m"
}

func (v positiveDuration) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (positiveDuration) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsUnknown() || req.ConfigValue.IsNull() {
		return
	}
	if d, err := time.ParseDuration(req.ConfigValue.ValueString()); err != nil || d <= 0 {
		resp.Diagnostics.Append(newAttributeError(req.Path, "Not a duration",
			fmt.Sprintf("The value of %s is %q, which is not a duration above zero.\n\nTo fix this: use a value such as 30s, "+
				"2m30s or 1h.",
				req.Path, req.ConfigValue.ValueString())))
	}
}
