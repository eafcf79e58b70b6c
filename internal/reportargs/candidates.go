// SPDX-License-Identifier: MPL-2.0

// Package reportargs reads the arguments of the functions that write reports. They are
// dynamic values, so that users can pass the results of a data source or their own objects.
package reportargs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// ReadCandidates converts a dynamic value to the candidates of a report. Its error names the
// element and the attribute that cannot be used.
func ReadCandidates(argument attr.Value) ([]report.Candidate, error) {
	r := &reading{}
	candidates := readEach(r, "candidates", argument, readCandidate)
	return candidates, r.err
}

func readCandidate(o *part) report.Candidate {
	return report.Candidate{
		ID: o.text("id"), Name: o.text("name"), ReportURL: o.text("report_url"), Suitability: o.number("suitability"),
		Results: readEach(o.reading, o.path("results"), o.take("results"), readResult),
	}
}

func readResult(o *part) report.Result {
	return report.Result{
		AssessmentID:   o.text("assessment_id"),
		Type:           o.text("type"),
		ReportURL:      o.text("report_url"),
		Percentile:     o.number("percentile"),
		Classification: o.text("classification"),
		Validity:       o.text("validity"),
		Invitations:    readEach(o.reading, o.path("invitations"), o.take("invitations"), readInvitation),
	}
}

func readInvitation(o *part) report.Invitation {
	return report.Invitation{
		ID: o.text("id"), Type: o.text("type"), Status: o.text("status"),
		Expiry: o.text("expiry"), Created: o.text("created"), Completed: o.text("completed"),
	}
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

// part is an object inside a value. It records which attributes were read, so that all
// others can be refused.
type part struct {
	*reading
	at     string // such as "candidates[0].results[1]"
	values map[string]attr.Value
	taken  []string // names of the attributes that were read
}

// readEach reads the objects of a list, tuple or set. Null is nil, and null
// elements are skipped.
func readEach[T any](r *reading, at string, value attr.Value, read func(*part) T) []T {
	value = underlying(value)
	if value == nil {
		return nil
	}
	list, ok := value.(interface{ Elements() []attr.Value })
	if !ok {
		r.refuse("%s must be a list of objects, not %s.%s", at, kindOf(value), insideHint(value))
		return nil
	}
	items := []T{}
	for i, element := range list.Elements() {
		element, at := underlying(element), fmt.Sprintf("%s[%d]", at, i)
		if element == nil {
			continue
		}
		object, ok := element.(types.Object)
		if !ok {
			r.refuse("%s must be an object, not %s.", at, kindOf(element))
			return nil
		}
		o := &part{reading: r, at: at, values: object.Attributes()}
		items = append(items, read(o))
		o.nothingLeft()
		o.notEmpty()
	}
	return items
}

func (o *part) path(name string) string { return o.at + "." + name }

func (o *part) take(name string) attr.Value {
	o.taken = append(o.taken, name)
	return underlying(o.values[name])
}

func (o *part) text(name string) string {
	switch value := o.take(name).(type) {
	case nil:
		return ""
	case types.String:
		return value.ValueString()
	default:
		o.refuse("%s must be a string, not %s.", o.path(name), kindOf(value))
		return ""
	}
}

func (o *part) number(name string) *float64 {
	switch value := o.take(name).(type) {
	case nil:
		return nil
	case types.Number:
		n, _ := value.ValueBigFloat().Float64()
		if math.IsInf(n, 0) {
			o.refuse("%s is out of range.", o.path(name))
			return nil
		}
		return &n
	case types.Float64:
		return value.ValueFloat64Pointer()
	default:
		o.refuse("%s must be a number, not %s.", o.path(name), kindOf(value))
		return nil
	}
}

// nothingLeft refuses attributes that were not read.
func (o *part) nothingLeft() {
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		if !slices.Contains(o.taken, name) {
			o.refuse("%s is not supported. Supported attributes: %s.", o.path(name), strings.Join(o.taken, ", "))
		}
	}
}

// notEmpty refuses an object without attributes.
func (o *part) notEmpty() {
	if len(o.values) == 0 {
		o.refuse("%s has no attributes. Supported attributes: %s.", o.at, strings.Join(o.taken, ", "))
	}
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

// insideHint is for a user who passes the data source instead of its candidates.
func insideHint(value attr.Value) string {
	if object, ok := value.(types.Object); ok && object.Attributes()["candidates"] != nil {
		return " Use its attribute candidates."
	}
	return ""
}
