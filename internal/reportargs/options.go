// SPDX-License-Identifier: MPL-2.0

package reportargs

import (
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// ReadOptions reads the argument after the candidates: a title or an object of options. It
// may be null.
func ReadOptions(r *report.Report, argument attr.Value) error {
	const at = "options"
	state := &reading{}
	switch value := underlying(argument).(type) {
	case nil:
	case types.String:
		r.Title = value.ValueString()
	case types.Object:
		(&part{reading: state, at: at, values: value.Attributes()}).readOptions(r)
	case types.Map:
		(&part{reading: state, at: at, values: value.Elements()}).readOptions(r)
	default:
		state.refuse("%s must be a title or an object, not %s.", at, kindOf(value))
	}
	return state.err
}

func (o *part) readOptions(r *report.Report) {
	r.Title = o.text("title")
	r.Options = report.Options{
		AssessmentNames: o.names("assessment_names"),
		Language:        o.language("language"),
		Source:          o.text("source"),
		Date:            o.text("date"),
		Top:             o.count("top"),
		FinishedOnly:    o.flag("finished_only", false),
		Anonymous:       o.flag("anonymous", false),
		Public:          !o.flag("confidential", true),
		Excel:           o.flag("excel", false),
	}
	benchmarks := o.names("benchmark_names")
	for i := range r.Sections {
		r.Sections[i].Benchmarks = benchmarks
	}
	o.nothingLeft()
}

// language reads the code of a language.
func (o *part) language(name string) string {
	code := o.text(name)
	if code != "" && !slices.Contains(report.Languages(), code) {
		o.refuse("%s must be one of %s, not %q.", o.path(name), strings.Join(report.Languages(), ", "), code)
	}
	return code
}

// flag reads a boolean.
func (o *part) flag(name string, byDefault bool) bool {
	switch value := o.take(name).(type) {
	case nil:
		return byDefault
	case types.Bool:
		return value.ValueBool()
	default:
		o.refuse("%s must be a boolean, not %s.", o.path(name), kindOf(value))
		return byDefault
	}
}

// count reads a whole number of at least 1. Null is 0.
func (o *part) count(name string) int {
	n := o.number(name)
	if n == nil {
		return 0
	}
	if *n != math.Trunc(*n) || *n < 1 || *n > math.MaxInt32 {
		o.refuse("%s must be a whole number of at least 1, not %v.", o.path(name), *n)
		return 0
	}
	return int(*n)
}

// names reads a map of strings. Null elements are skipped.
func (o *part) names(name string) map[string]string {
	var elements map[string]attr.Value
	switch value := o.take(name).(type) {
	case nil:
		return nil
	case types.Map:
		elements = value.Elements()
	case types.Object:
		elements = value.Attributes()
	default:
		o.refuse("%s must be a map of strings, not %s.", o.path(name), kindOf(value))
		return nil
	}
	inside := &part{reading: o.reading, at: o.path(name), values: elements}
	names := map[string]string{}
	for id := range elements {
		if text := inside.text(id); text != "" {
			names[id] = text
		}
	}
	return names
}
