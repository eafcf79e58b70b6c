// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/rules"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// invalidValue is the diagnostic for a value that an attribute does not accept.
func invalidValue(at path.Path, is, advice string) diag.Diagnostic {
	return newAttributeError(at, "Invalid value", fmt.Sprintf("The value of %s %s.\n\nTo fix this: %s.", at, is, advice))
}

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
	if problem := words.Latin1(req.ConfigValue.ValueString()); problem != "" {
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

// oneOf accepts some words.
type oneOf []string

func (words oneOf) Description(context.Context) string {
	return "must be one of " + strings.Join(words, ", ")
}

func (words oneOf) MarkdownDescription(ctx context.Context) string { return words.Description(ctx) }

func (words oneOf) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	value := req.ConfigValue.ValueString()
	if req.ConfigValue.IsUnknown() || req.ConfigValue.IsNull() || slices.Contains(words, value) {
		return
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = fmt.Sprintf("%q", word)
	}
	last := len(quoted) - 1
	resp.Diagnostics.Append(invalidValue(req.Path, fmt.Sprintf("is %q, which is not one of its possible values", value),
		"use "+strings.Join(quoted[:last], ", ")+" or "+quoted[last]))
}

// fileName accepts a path that is not empty.
type fileName struct{}

func (fileName) Description(context.Context) string { return "must be the path of a file" }

func (v fileName) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (fileName) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.Equal(types.StringValue("")) {
		resp.Diagnostics.Append(invalidValue(req.Path, "is empty", "set the path of a file, such as report.html"))
	}
}

// share accepts a part of the rate limits.
type share struct{}

const smallestShare = 0.000001

func (share) Description(context.Context) string {
	return fmt.Sprintf("must be from %f to 1", smallestShare)
}

func (v share) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (share) ValidateFloat64(_ context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	value := req.ConfigValue.ValueFloat64()
	if req.ConfigValue.IsUnknown() || req.ConfigValue.IsNull() || smallestShare <= value && value <= 1 {
		return
	}
	resp.Diagnostics.Append(invalidValue(req.Path, fmt.Sprintf("is %g", value),
		fmt.Sprintf("use a number from %f to 1, such as 0.5 for half of each limit", smallestShare)))
}

// atLeast accepts a number that is not too small.
type atLeast int32

func (least atLeast) Description(context.Context) string {
	return fmt.Sprintf("must be at least %d", least)
}

func (least atLeast) MarkdownDescription(ctx context.Context) string { return least.Description(ctx) }

func (least atLeast) ValidateInt32(_ context.Context, req validator.Int32Request, resp *validator.Int32Response) {
	value := req.ConfigValue.ValueInt32()
	if req.ConfigValue.IsUnknown() || req.ConfigValue.IsNull() || value >= int32(least) {
		return
	}
	resp.Diagnostics.Append(invalidValue(req.Path, fmt.Sprintf("is %d", value), fmt.Sprintf("use at least %d", least)))
}

// ids accepts a list or a set of IDs. required is whether it must not be empty.
type ids struct{ required bool }

func (v ids) Description(context.Context) string {
	if v.required {
		return "must contain at least one ID, and each of them once"
	}
	return "must contain IDs, and each of them once"
}

func (v ids) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v ids) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	at := func(_ int, id attr.Value) path.Path { return req.Path.AtSetValue(id) }
	v.validate(ctx, req.Path, req.ConfigValue, req.ConfigValue.Elements(), at, &resp.Diagnostics)
}

func (v ids) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	at := func(i int, _ attr.Value) path.Path { return req.Path.AtListIndex(i) }
	v.validate(ctx, req.Path, req.ConfigValue, req.ConfigValue.Elements(), at, &resp.Diagnostics)
}

func (v ids) validate(ctx context.Context, all path.Path, collection attr.Value, elements []attr.Value,
	at func(int, attr.Value) path.Path, diags *diag.Diagnostics,
) {
	if v.required && len(elements) == 0 && !collection.IsNull() && !collection.IsUnknown() {
		diags.Append(invalidValue(all, "is empty", "set at least one ID, or remove the block if it is optional"))
	}
	for i, element := range elements {
		id, isText := element.(types.String)
		switch first := slices.IndexFunc(elements, element.Equal); {
		case !isText || id.IsUnknown():
		case id.IsNull():
			diags.Append(invalidValue(all, "contains null", "remove it, or use an expression that is never null"))
		case first < i:
			diags.Append(invalidValue(all, fmt.Sprintf("contains %s twice", id), "remove one of them"))
		default:
			resp := validator.StringResponse{}
			identifier{}.ValidateString(ctx, validator.StringRequest{Path: at(i, id), ConfigValue: id}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	}
}

// choice accepts a configuration that sets at most one of some arguments. required is
// whether it must set one.
type choice struct {
	arguments []string
	required  bool
}

func (c choice) Description(context.Context) string {
	if c.required {
		return "must set exactly one of " + strings.Join(c.arguments, ", ")
	}
	return "must set at most one of " + strings.Join(c.arguments, ", ")
}

func (c choice) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

func (c choice) ValidateDataSource(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	c.validate(ctx, req.Config, &resp.Diagnostics)
}

func (c choice) ValidateListResourceConfig(
	ctx context.Context, req list.ValidateConfigRequest, resp *list.ValidateConfigResponse,
) {
	c.validate(ctx, req.Config, &resp.Diagnostics)
}

func (c choice) validate(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	set, unknown := []string{}, false
	for _, name := range c.arguments {
		var value attr.Value
		diags.Append(config.GetAttribute(ctx, path.Root(name), &value)...)
		if value == nil || value.IsNull() {
			continue
		}
		set = append(set, name)
		unknown = unknown || value.IsUnknown()
	}
	names := strings.Join(c.arguments, ", ")
	switch {
	case unknown:
	case c.required && len(set) == 0:
		diags.Append(newError("Invalid value", fmt.Sprintf(
			"This block requires one of these arguments: %s. It sets none of them.\n\nTo fix this: set one of them.", names)))
	case len(set) > 1:
		diags.Append(newError("Invalid value", fmt.Sprintf("Only one of these arguments can be set: %s. This block sets "+
			"%s.\n\nTo fix this: keep one of them.", names, strings.Join(set, " and "))))
	}
}
