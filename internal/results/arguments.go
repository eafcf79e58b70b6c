// SPDX-License-Identifier: MPL-2.0

package results

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
)

// The arguments are dynamic values, so that users can pass the results of a data source or their own objects.

// readCandidates converts an argument to candidates. Its error names the element and the attribute that cannot be used.
func readCandidates(ctx context.Context, argument attr.Value) (candidates []assessapi.Candidate, err error) {
	of := types.ListType{ElemType: types.ObjectType{AttrTypes: candidateType}}
	err = decodeArgument(ctx, "candidates", argument, of, &candidates)
	return candidates, err
}

var optionsType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"title": types.StringType, "language": types.StringType, "source": types.StringType, "date": types.StringType,
	"assessment_names": types.MapType{ElemType: types.StringType}, "top": types.NumberType,
	"benchmark_names": types.MapType{ElemType: types.StringType},
	"finished_only":   types.BoolType, "anonymous": types.BoolType, "confidential": types.BoolType,
	"excel": types.BoolType, "wide": types.BoolType,
}}

// readOptions reads the argument after the candidates: a title or an object of options. It
// may be null.
func readOptions(ctx context.Context, r *report.Report, argument attr.Value) error {
	options := struct {
		report.Options
		Title        string            `json:"title"`
		Top          *float64          `json:"top"`
		Confidential bool              `json:"confidential"`
		Benchmarks   map[string]string `json:"benchmark_names"`
	}{Confidential: true}
	value := underlying(argument)
	if title, ok := value.(types.String); ok {
		options.Title = title.ValueString()
	} else if _, ok := attributesOf(value); value != nil && !ok {
		return fmt.Errorf("options must be a title or an object, not %s", argumentType(value))
	} else if err := decodeArgument(ctx, "options", value, optionsType, &options); err != nil {
		return err
	}
	if code := options.Language; code != "" && !slices.Contains(report.Languages(), code) {
		return fmt.Errorf("options.language must be one of %s, not %q", strings.Join(report.Languages(), ", "), code)
	}
	if n := options.Top; n != nil {
		if options.Options.Top = int(*n); *n != math.Trunc(*n) || *n < 1 || *n > math.MaxInt32 {
			return fmt.Errorf("options.top must be a whole number of at least 1, not %v", *n)
		}
	}
	r.Title, r.Options, r.Options.Public = options.Title, options.Options, !options.Confidential
	for i := range r.Sections {
		r.Sections[i].Benchmarks = options.Benchmarks
	}
	return nil
}

// decodeArgument reads an argument of a type into a variable whose JSON has the same members.
func decodeArgument(ctx context.Context, at string, argument attr.Value, want attr.Type, into any) error {
	if argument = underlying(argument); argument == nil {
		return nil
	}
	c := conversion{ctx: ctx}
	plain := c.plain(at, argument, want)
	if c.err != nil {
		return c.err
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// conversion stores the first error found in a value.
type conversion struct {
	ctx context.Context
	err error
}

func (c *conversion) refuse(format string, a ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, a...)
	}
}

// plain converts a value of a type for JSON. at is where the value is, such as "candidates[0].results[1]".
func (c *conversion) plain(at string, value attr.Value, want attr.Type) any {
	due, hint := argumentType(want.ValueType(c.ctx)), ""
	attributes, isObject := attributesOf(value)
	switch want := want.(type) {
	case basetypes.ListType:
		if list, ok := value.(interface{ Elements() []attr.Value }); ok {
			return c.list(at, list.Elements(), want.ElemType)
		}
		if due += " of objects"; attributes["candidates"] != nil { // a user has passed the data source
			hint = ". Use its attribute candidates"
		}
	case basetypes.MapType:
		if isObject {
			return c.members(at, attributes, func(string) attr.Type { return want.ElemType })
		}
		due += " of strings"
	case basetypes.ObjectType:
		if isObject {
			return c.object(at, attributes, want.AttrTypes)
		}
	default:
		if argumentType(value) == due {
			return c.scalar(at, value)
		}
	}
	c.refuse("%s must be %s, not %s%s", at, due, argumentType(value), hint)
	return nil
}

func (c *conversion) scalar(at string, value attr.Value) any {
	switch value := value.(type) {
	case types.String:
		return value.ValueString()
	case types.Bool:
		return value.ValueBool()
	case types.Float64:
		return value.ValueFloat64()
	case types.Number:
		n, _ := value.ValueBigFloat().Float64()
		if math.IsInf(n, 0) {
			c.refuse("%s is out of range", at)
		}
		return n
	}
	return nil
}

// list converts the elements of a list, tuple or set, except for nulls.
func (c *conversion) list(at string, elements []attr.Value, want attr.Type) any {
	converted := []any{}
	for i, element := range elements {
		if element = underlying(element); element != nil {
			converted = append(converted, c.plain(fmt.Sprintf("%s[%d]", at, i), element, want))
		}
	}
	return converted
}

// object converts an object, which need not have all attributes, but must not have others.
func (c *conversion) object(at string, attributes map[string]attr.Value, of map[string]attr.Type) any {
	supported := ". Supported attributes: " + strings.Join(slices.Sorted(maps.Keys(of)), ", ")
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if of[name] == nil {
			c.refuse("%s.%s is not supported%s", at, name, supported)
		}
	}
	if len(attributes) == 0 && at != "options" {
		c.refuse("%s has no attributes%s", at, supported)
	}
	return c.members(at, attributes, func(name string) attr.Type { return of[name] })
}

// members converts the members of an object or a map, except for nulls.
func (c *conversion) members(at string, members map[string]attr.Value, of func(name string) attr.Type) any {
	converted := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if member := underlying(members[name]); member != nil && of(name) != nil {
			converted[name] = c.plain(at+"."+name, member, of(name))
		}
	}
	return converted
}

// underlying returns the value inside a dynamic value. It is nil for null.
func underlying(value attr.Value) attr.Value {
	if dynamic, ok := value.(types.Dynamic); ok {
		value = dynamic.UnderlyingValue()
	}
	if value == nil || value.IsNull() {
		return nil
	}
	return value
}

// attributesOf returns the attributes of an object, or the elements of a map.
func attributesOf(value attr.Value) (map[string]attr.Value, bool) {
	switch value := value.(type) {
	case types.Map:
		return value.Elements(), true
	case types.Object:
		return value.Attributes(), true
	default:
		return nil, false
	}
}

func argumentType(value attr.Value) string {
	switch value.(type) {
	case types.String:
		return "a string"
	case types.Number, types.Float64:
		return "a number"
	case types.Bool:
		return "a boolean"
	case types.Map:
		return "a map"
	case types.Object:
		return "an object"
	default:
		return "a list"
	}
}
