// SPDX-License-Identifier: MPL-2.0

package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// The arguments of the report functions are dynamic values, so that users can pass the results of a data source or
// their own objects.

// readCandidates converts an argument to candidates, without null elements. An error about a candidate names it by its
// index in the argument.
func readCandidates(argument attr.Value) (candidates []assessapi.Candidate, err error) {
	list, ok := underlying(argument).(interface{ Elements() []attr.Value })
	if !ok {
		return nil, errors.New("candidates must be a list of objects, such as the attribute candidates of the data source")
	}
	for i, element := range list.Elements() {
		if underlying(element) == nil {
			continue
		}
		var c assessapi.Candidate
		if err := decode(fmt.Sprintf("candidates[%d]", i), element, candidateType, &c); err != nil {
			return nil, err
		}
		candidates = append(candidates, c)
	}
	return candidates, nil
}

var optionsType = map[string]attr.Type{
	"title": types.StringType, "language": types.StringType, "source": types.StringType, "date": types.StringType,
	"assessment_names": types.MapType{ElemType: types.StringType}, "top": types.NumberType,
	"benchmark_names": types.MapType{ElemType: types.StringType},
	"finished_only":   types.BoolType, "anonymous": types.BoolType, "confidential": types.BoolType,
	"excel": types.BoolType, "wide": types.BoolType,
}

// readOptions sets the title and the options of a report, and the benchmarks of its sections, from the argument after
// the candidates. The argument is a title, an object of options, or null, which means the defaults. If an option cannot
// be used, readOptions returns an error that names the option. It may have set other options before that.
func readOptions(r *report.Report, argument attr.Value) error {
	others := struct { // options that report.Options does not read from JSON
		Title        string            `json:"title"`
		Top          *float64          `json:"top"`
		Confidential bool              `json:"confidential"`
		Benchmarks   map[string]string `json:"benchmark_names"`
	}{Confidential: true}
	switch value := underlying(argument).(type) {
	case types.String:
		others.Title = value.ValueString()
	case nil:
	case types.Map, types.Object:
		if err := decode("options", value, optionsType, &others, &r.Options); err != nil {
			return err
		}
	default:
		return errors.New("options must be a title or an object")
	}
	if code := r.Options.Language; code != "" && !slices.Contains(report.Languages(), code) {
		return fmt.Errorf("options.language must be one of %s, not %q", strings.Join(report.Languages(), ", "), code)
	}
	if top := others.Top; top != nil {
		if *top != math.Trunc(*top) || *top < 1 {
			return fmt.Errorf("options.top must be a whole number of at least 1, not %v", *top)
		}
		r.Options.Top = int(min(*top, math.MaxInt32)) // no position has more candidates
	}
	r.Title, r.Options.Public = others.Title, !others.Confidential
	for i := range r.Sections {
		r.Sections[i].Benchmarks = others.Benchmarks
	}
	return nil
}

// decode converts an argument to JSON, and then decodes the JSON into each of the variables, which are pointers. It
// returns an error if the argument has an attribute that the map supported does not contain, if a number is out of
// range, or if a value does not have the type that a variable requires. The first parameter is the argument's name,
// which errors contain. The types of the variables must not implement [json.Unmarshaler].
func decode(at string, argument attr.Value, supported map[string]attr.Type, variables ...any) error {
	value, err := plain(at, argument, supported)
	if err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	for _, variable := range variables {
		// The text is valid JSON, so each error is about a type.
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](json.Unmarshal(text, variable)); ok {
			return typeError(at, wrong, supported)
		}
	}
	return nil
}

// typeError returns the error for a value that has the wrong type. The error names the argument or, if wrong.Field is
// not empty, this attribute of the argument. It says which type the value must have.
func typeError(at string, wrong *json.UnmarshalTypeError, supported map[string]attr.Type) error {
	name := at
	if wrong.Field != "" {
		name += "." + wrong.Field
	}
	kind := wrong.Type.Kind()
	if _, isMap := supported[wrong.Field].(types.MapType); isMap && kind == reflect.String {
		name = "each value of " + name
	}
	if wrong.Field != "" && kind == reflect.Struct { // all attributes with objects are lists
		name = "each element of " + name
	}
	return fmt.Errorf("%s must be %s", name, kinds[kind])
}

var kinds = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Float64: "a number", reflect.Bool: "a boolean", reflect.Struct: "an object",
	reflect.Slice: "a list of objects", reflect.Map: "a map of strings",
}

// plain converts a value to Go values that can be encoded as JSON. Null becomes nil, but lists lose null elements.
// supported contains the attributes that an object, or each object in a list, may have. If it is nil, all names are
// allowed, as in a map. An error names an attribute that is not supported, or a number that is out of range. at is the
// name of the value in the error.
func plain(at string, argument attr.Value, supported map[string]attr.Type) (any, error) {
	switch value := underlying(argument).(type) {
	case types.String:
		return value.ValueString(), nil
	case types.Bool:
		return value.ValueBool(), nil
	case types.Number:
		n, _ := value.ValueBigFloat().Float64()
		if math.IsInf(n, 0) {
			return nil, fmt.Errorf("%s is out of range", at)
		}
		return n, nil
	case types.Map:
		return plainMembers(at, value.Elements(), supported)
	case types.Object:
		return plainMembers(at, value.Attributes(), supported)
	case interface{ Elements() []attr.Value }: // a list, a set or a tuple
		return plainElements(at, value.Elements(), supported)
	}
	return nil, nil // null, because expressions have no values of other types
}

// plainElements converts the elements of a list, and omits null elements.
func plainElements(at string, elements []attr.Value, supported map[string]attr.Type) (any, error) {
	converted := []any{}
	for _, element := range elements {
		value, err := plain(at, element, supported)
		if err != nil {
			return nil, err
		}
		if value != nil {
			converted = append(converted, value)
		}
	}
	return converted, nil
}

// plainMembers converts the members of an object or a map.
func plainMembers(at string, members map[string]attr.Value, supported map[string]attr.Type) (any, error) {
	converted := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if supported != nil && supported[name] == nil { // the decoder would ignore the name, or its case
			return nil, fmt.Errorf("%s.%s is not supported. Supported attributes: %s", at, name,
				strings.Join(slices.Sorted(maps.Keys(supported)), ", "))
		}
		var err error
		if converted[name], err = plain(at+"."+name, members[name], tf.ElementTypes(supported[name])); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

// underlying returns the value inside a dynamic value. It returns other values unchanged, and nil for null.
func underlying(value attr.Value) attr.Value {
	if dynamic, ok := value.(types.Dynamic); ok {
		value = dynamic.UnderlyingValue()
	}
	if value == nil || value.IsNull() {
		return nil
	}
	return value
}
