// SPDX-License-Identifier: MPL-2.0

package tf

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

	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// InvalidValue returns the error for a value that an attribute does not accept. In the message, the parameter "is" says
// what is wrong with the value, such as "is empty", and the parameter "advice" says how to fix it.
func InvalidValue(at path.Path, is, advice string) diag.Diagnostic {
	return AttributeError(at, "Invalid value", fmt.Sprintf("The value of %s %s.\n\nTo fix this: %s.", at, is, advice))
}

// valueRule validates an attribute whose value is known and not null.
type valueRule struct {
	requires string // what Description says
	check    func(at path.Path, value attr.Value) diag.Diagnostics
}

func (r valueRule) Description(context.Context) string { return r.requires }

func (r valueRule) MarkdownDescription(context.Context) string { return r.requires }

func (r valueRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	resp.Diagnostics.Append(r.problems(req.Path, req.ConfigValue)...)
}

func (r valueRule) ValidateInt32(_ context.Context, req validator.Int32Request, resp *validator.Int32Response) {
	resp.Diagnostics.Append(r.problems(req.Path, req.ConfigValue)...)
}

func (r valueRule) ValidateFloat64(_ context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	resp.Diagnostics.Append(r.problems(req.Path, req.ConfigValue)...)
}

func (r valueRule) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	resp.Diagnostics.Append(r.problems(req.Path, req.ConfigValue)...)
}

func (r valueRule) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	resp.Diagnostics.Append(r.problems(req.Path, req.ConfigValue)...)
}

func (r valueRule) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	resp.Diagnostics.Append(r.problems(req.Path, req.ConfigValue)...)
}

func (r valueRule) problems(at path.Path, value attr.Value) diag.Diagnostics {
	if value.IsNull() || value.IsUnknown() {
		return nil
	}
	return r.check(at, value)
}

// RuleOf returns a rule about one type of value. check returns nil for a value that is valid.
func RuleOf[T attr.Value](requires string, check func(at path.Path, value T) diag.Diagnostic) valueRule {
	return valueRule{requires, func(at path.Path, value attr.Value) diag.Diagnostics {
		if value, ok := value.(T); ok {
			if problem := check(at, value); problem != nil {
				return diag.Diagnostics{problem}
			}
		}
		return nil
	}}
}

// Identifier accepts a value that can be an ID: not empty, not "." or "..", and only characters that the service
// accepts (assumption A16).
var Identifier = RuleOf("must be an ID: not empty, and within the Latin1 charset", checkID)

// checkID returns the error for a value that is not an ID, or nil.
func checkID(at path.Path, value types.String) diag.Diagnostic {
	switch value.ValueString() {
	case "":
		return AttributeError(at, "Empty ID", whatIsEmpty(at)+".\n\nTo fix this: set an ID, or remove the empty value if "+
			"it is optional.")
	case ".", "..":
		return AttributeError(at, "Invalid ID", "An ID cannot be \".\" or \"..\", because these have a special "+
			"meaning in a web address.\n\nTo fix this: use the ID that the service shows.")
	default:
		return checkLatin1(at, value)
	}
}

// whatIsEmpty says which value is an empty ID. For an element of a set, it names the set, because the path of the
// element would contain only the empty ID.
func whatIsEmpty(at path.Path) string {
	lastStep := at.Steps()[len(at.Steps())-1]
	if _, isElementOfSet := lastStep.(path.PathStepElementKeyValue); isElementOfSet {
		return at.ParentPath().String() + " contains an empty ID"
	}
	return at.String() + " is empty"
}

const outsideLatin1 = "Character outside Latin1"

// Latin1 rejects characters outside the Latin1 charset, because the service rejects them with 400 (assumption A16).
var Latin1 = RuleOf("must be within the Latin1 charset", checkLatin1)

// Latin1Name is [Latin1] for a name that a user may have copied from the service. The message suggests the ID.
var Latin1Name = RuleOf("must be within the Latin1 charset", func(at path.Path, value types.String) diag.Diagnostic {
	if problem := messages.Latin1(value.ValueString()); problem != "" {
		return AttributeError(at, outsideLatin1, problem+" If the name in the service contains this character, set id "+
			"instead. The plural data source lists the IDs.")
	}
	return nil
})

func checkLatin1(at path.Path, value types.String) diag.Diagnostic {
	if problem := messages.Latin1(value.ValueString()); problem != "" {
		return AttributeError(at, outsideLatin1, problem)
	}
	return nil
}

// PositiveDuration accepts a duration such as "30s".
var PositiveDuration = RuleOf("must be a duration above zero, such as 30s or 5m",
	func(at path.Path, value types.String) diag.Diagnostic {
		if d, err := time.ParseDuration(value.ValueString()); err == nil && d > 0 {
			return nil
		}
		return AttributeError(at, "Invalid duration",
			fmt.Sprintf("The value of %s is %q, which is not a duration above zero.\n\nTo fix this: use a value such as 30s, "+
				"2m30s or 1h.", at, value.ValueString()))
	})

// OneOf accepts only the values in accepted.
func OneOf(accepted ...string) valueRule {
	return RuleOf("must be one of "+strings.Join(accepted, ", "), func(at path.Path, value types.String) diag.Diagnostic {
		if slices.Contains(accepted, value.ValueString()) {
			return nil
		}
		quoted := make([]string, len(accepted))
		for i, word := range accepted {
			quoted[i] = fmt.Sprintf("%q", word)
		}
		last := len(quoted) - 1
		return InvalidValue(at, fmt.Sprintf("is %q, which is not one of its possible values", value.ValueString()),
			"use "+strings.Join(quoted[:last], ", ")+" or "+quoted[last])
	})
}

// FileName accepts a path that is not empty.
var FileName = RuleOf("must be the path of a file", func(at path.Path, value types.String) diag.Diagnostic {
	if value.ValueString() != "" {
		return nil
	}
	return InvalidValue(at, "is empty", "set the path of a file, such as report.html")
})

// AtLeast accepts numbers that are greater than or equal to least.
func AtLeast(least int32) valueRule {
	return RuleOf(fmt.Sprintf("must be at least %d", least), func(at path.Path, value types.Int32) diag.Diagnostic {
		if value.ValueInt32() >= least {
			return nil
		}
		return InvalidValue(at, fmt.Sprintf("is %d", value.ValueInt32()), fmt.Sprintf("use at least %d", least))
	})
}

// Rules for a list or a set of IDs.
var (
	SomeIDs = valueRule{"must contain at least one ID, and each of them once", checkSomeIDs}
	AnyIDs  = valueRule{"must contain IDs, and each of them once", checkIDs}
)

// elementsOf returns the elements of a list or a set.
func elementsOf(collection attr.Value) []attr.Value {
	all, _ := collection.(interface{ Elements() []attr.Value }) // lists and sets have this method
	return all.Elements()
}

func checkSomeIDs(at path.Path, all attr.Value) diag.Diagnostics {
	if len(elementsOf(all)) == 0 {
		return diag.Diagnostics{InvalidValue(at, "is empty", "set at least one ID, or remove the block if it is optional")}
	}
	return checkIDs(at, all)
}

// checkIDs returns errors for the elements of a list or a set that are null, equal an earlier element, or are not IDs.
// It accepts elements that are not known yet.
func checkIDs(at path.Path, collection attr.Value) (diags diag.Diagnostics) {
	_, isSet := collection.(types.Set)
	elements := elementsOf(collection)
	for i, element := range elements {
		id, _ := element.(types.String) // the schema allows no other type
		switch {
		case id.IsUnknown(): // validated again when it is known
		case id.IsNull():
			diags.Append(InvalidValue(at, "contains null", "remove it, or use an expression that is never null"))
		case slices.IndexFunc(elements, element.Equal) < i: // it equals an earlier element
			diags.Append(InvalidValue(at, fmt.Sprintf("contains %s twice", id), "remove one of them"))
		case isSet:
			diags.Append(Identifier.problems(at.AtSetValue(id), id)...)
		default:
			diags.Append(Identifier.problems(at.AtListIndex(i), id)...)
		}
	}
	return diags
}

// Choice accepts a configuration that sets at most one of the arguments. If Required is set, the configuration must set
// one.
type Choice struct {
	Arguments []string
	Required  bool
}

func (c Choice) Description(context.Context) string {
	if c.Required {
		return "must set exactly one of " + strings.Join(c.Arguments, ", ")
	}
	return "must set at most one of " + strings.Join(c.Arguments, ", ")
}

func (c Choice) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

func (c Choice) ValidateDataSource(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	c.validate(ctx, req.Config, &resp.Diagnostics)
}

func (c Choice) ValidateListResourceConfig(
	ctx context.Context, req list.ValidateConfigRequest, resp *list.ValidateConfigResponse,
) {
	c.validate(ctx, req.Config, &resp.Diagnostics)
}

// validate adds an error if the configuration sets several of the arguments, or none although one is required. If an
// argument is not known yet, validate adds no error, because the CLI validates again when it is known.
func (c Choice) validate(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	var set []string
	unknown := false
	for _, name := range c.Arguments {
		var value attr.Value
		diags.Append(config.GetAttribute(ctx, path.Root(name), &value)...)
		if value == nil || value.IsNull() { // nil after an error
			continue
		}
		set = append(set, name)
		unknown = unknown || value.IsUnknown()
	}
	names := strings.Join(c.Arguments, ", ")
	switch {
	case unknown:
	case c.Required && len(set) == 0:
		diags.Append(Error("Invalid value", fmt.Sprintf(
			"This block requires one of these arguments: %s. It sets none of them.\n\nTo fix this: set one of them.", names)))
	case len(set) > 1:
		diags.Append(Error("Invalid value", fmt.Sprintf("Only one of these arguments can be set: %s. This block sets "+
			"%s.\n\nTo fix this: keep one of them.", names, strings.Join(set, " and "))))
	}
}
