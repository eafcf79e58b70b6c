// SPDX-License-Identifier: MPL-2.0

// Package reportargs reads the arguments of the functions that write reports. They are
// dynamic values, so that users can pass the results of a data source or their own objects.
package reportargs

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// ReadCandidates converts a dynamic value to the candidates of a report. Its error names the
// element and the attribute that cannot be used.
func ReadCandidates(argument attr.Value) (candidates []assessapi.Candidate, err error) {
	r := &reading{}
	r.read("candidates", argument, &candidates)
	return candidates, r.err
}

// ReadOptions reads the argument after the candidates: a title or an object of options. It
// may be null.
func ReadOptions(r *report.Report, argument attr.Value) error {
	options := struct {
		Title           string
		AssessmentNames map[string]string
		Language        string
		Source          string
		Date            string
		Top             *float64
		FinishedOnly    bool
		Anonymous       bool
		Confidential    bool
		Excel           bool
		Wide            bool
		BenchmarkNames  map[string]string
	}{Confidential: true}
	state := &reading{}
	value := underlying(argument)
	if attributes, ok := attributesOf(value); ok {
		state.readObject("options", attributes, reflect.ValueOf(&options).Elem())
	} else if title, ok := value.(types.String); ok {
		options.Title = title.ValueString()
	} else if value != nil {
		state.refuse("options must be a title or an object, not %s.", kindOf(value))
	}
	if code := options.Language; code != "" && !slices.Contains(report.Languages(), code) {
		state.refuse("options.language must be one of %s, not %q.", strings.Join(report.Languages(), ", "), code)
	}
	top := 0.0
	if n := options.Top; n != nil {
		if top = *n; top != math.Trunc(top) || top < 1 || top > math.MaxInt32 {
			state.refuse("options.top must be a whole number of at least 1, not %v.", top)
		}
	}
	r.Title = options.Title
	r.Options = report.Options{
		AssessmentNames: options.AssessmentNames, Language: options.Language, Source: options.Source,
		Date: options.Date, Top: int(top), FinishedOnly: options.FinishedOnly, Anonymous: options.Anonymous,
		Public: !options.Confidential, Excel: options.Excel, Wide: options.Wide,
	}
	for i := range r.Sections {
		r.Sections[i].Benchmarks = options.BenchmarkNames
	}
	return state.err
}

// reading stores the first error found in a value.
type reading struct {
	err error
}

func (r *reading) refuse(format string, a ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, a...)
	}
}

// read reads a value into a variable, unless the value is null. at is where the value is,
// such as "candidates[0].results[1]".
func (r *reading) read(at string, value attr.Value, target any) {
	if value = underlying(value); value == nil {
		return
	}
	want := ""
	switch target := target.(type) {
	case *string:
		text, ok := value.(types.String)
		if *target = text.ValueString(); !ok {
			want = "a string"
		}
	case *bool:
		flag, ok := value.(types.Bool)
		if *target = flag.ValueBool(); !ok {
			want = "a boolean"
		}
	case **float64:
		switch value := value.(type) {
		case types.Number:
			n, _ := value.ValueBigFloat().Float64()
			if *target = &n; math.IsInf(n, 0) {
				r.refuse("%s is out of range.", at)
			}
		case types.Float64:
			*target = value.ValueFloat64Pointer()
		default:
			want = "a number"
		}
	case *map[string]string:
		elements, ok := attributesOf(value)
		if *target = map[string]string{}; !ok {
			want = "a map of strings"
		}
		for _, name := range slices.Sorted(maps.Keys(elements)) {
			text := ""
			if r.read(at+"."+name, elements[name], &text); text != "" {
				(*target)[name] = text
			}
		}
	default:
		r.readList(at, value, reflect.ValueOf(target).Elem())
	}
	if want != "" {
		r.refuse("%s must be %s, not %s.", at, want, kindOf(value))
	}
}

// readList reads the objects of a list, tuple or set. Null elements are skipped.
func (r *reading) readList(at string, value attr.Value, target reflect.Value) {
	list, ok := value.(interface{ Elements() []attr.Value })
	if !ok {
		hint := "" // for a user who passes the data source instead of its candidates
		if attributes, _ := attributesOf(value); attributes["candidates"] != nil {
			hint = " Use its attribute candidates."
		}
		r.refuse("%s must be a list of objects, not %s.%s", at, kindOf(value), hint)
		return
	}
	target.Set(reflect.MakeSlice(target.Type(), 0, 0))
	for i, element := range list.Elements() {
		element, at := underlying(element), fmt.Sprintf("%s[%d]", at, i)
		object, ok := element.(types.Object)
		switch {
		case element == nil:
		case !ok:
			r.refuse("%s must be an object, not %s.", at, kindOf(element))
		default:
			item := reflect.New(target.Type().Elem()).Elem()
			names := r.readObject(at, object.Attributes(), item)
			if len(object.Attributes()) == 0 {
				r.refuse("%s has no attributes. Supported attributes: %s.", at, names)
			}
			target.Set(reflect.Append(target, item))
		}
	}
}

var wordEnd = regexp.MustCompile("([a-z])([A-Z])")

// readObject reads the attributes of an object into the fields of a struct. The names of the
// attributes are those of the fields, such as report_url for ReportURL. Other attributes are
// refused. It returns the names.
func (r *reading) readObject(at string, attributes map[string]attr.Value, target reflect.Value) (supported string) {
	var names []string
	for i := range target.NumField() {
		name := strings.ToLower(wordEnd.ReplaceAllString(target.Type().Field(i).Name, "${1}_$2"))
		names = append(names, name)
		r.read(at+"."+name, attributes[name], target.Field(i).Addr().Interface())
	}
	supported = strings.Join(names, ", ")
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if !slices.Contains(names, name) {
			r.refuse("%s.%s is not supported. Supported attributes: %s.", at, name, supported)
		}
	}
	return supported
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

func kindOf(value attr.Value) string {
	switch value.(type) {
	case types.String:
		return "a string"
	case types.Number:
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
