// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

var _ provider.ProviderWithFunctions = (*Provider)(nil)

// Functions is the registry of functions.
func (p *Provider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		func() function.Function { return resultsCSV },
		func() function.Function { return resultsHTML },
		func() function.Function { return resultsMarkdown },
	}
}

// resultsFunction renders candidates. It is pure: the report is made of its
// arguments alone.
type resultsFunction struct {
	name        string
	summary     string
	description string
	titled      bool // whether it takes a title
	render      func(report.Report, io.Writer) error
}

var _ function.Function = resultsFunction{}

var resultsHTML = resultsFunction{
	name:    "results_html",
	summary: "Results of a position as an HTML page",
	description: "Renders candidates and their results as one page that needs nothing else: no script, no font, no request. " +
		"It has bars for suitability and percentile, follows the reader's choice of dark or light, fits a phone and prints.",
	titled: true,
	render: report.Report.HTML,
}

var resultsCSV = resultsFunction{
	name:    "results_csv",
	summary: "Results of a position as CSV",
	description: "Renders candidates and their results as a table for a spreadsheet (RFC 4180): a header, then a row for each candidate and result; " +
		"a candidate without results has one row. What belongs to the candidate stands in each of the rows. Several invitations of one result " +
		"share its row, separated by `; ` in each cell.\n\n" +
		"The column `comparable` says `yes` where the score rests on the same assessments as most, `no` where it does not, `no score` where there is none.\n\n" +
		"Text that a spreadsheet would run as a formula has an apostrophe before it; numbers stay numbers. The text is UTF-8 without a byte order mark; " +
		"Excel needs one to read accents from a file that is opened by a double click: `\"\\ufeff${provider::assess::results_csv(…)}\"`.",
	render: report.Report.CSV,
}

var resultsMarkdown = resultsFunction{
	name:    "results_markdown",
	summary: "Results of a position as Markdown",
	description: "Renders candidates and their results as tables in GitHub flavoured Markdown, for the summary of a pipeline or a comment. " +
		"No text can leave its cell, become markup or a link, or mention anybody.",
	titled: true,
	render: report.Report.Markdown,
}

// Metadata names the function.
func (f resultsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

// Definition describes the parameters.
func (f resultsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: f.summary,
		MarkdownDescription: f.description + "\n\n" +
			"Candidates keep their order, but those without a suitability score come last, and it is said so. Scores compare only over the same set " +
			"of assessments: a candidate whose score rests on another set than most is marked.",
		Parameters: []function.Parameter{
			function.DynamicParameter{
				Name: "candidates",
				MarkdownDescription: "The attribute `candidates` of `assess_position_results`, or any list of objects with some of its attributes: " +
					"`id`, `name`, `report_url`, `suitability` and `results`, each of these with `assessment_id`, `type`, `report_url`, `percentile`, " +
					"`classification`, `validity` and `invitations`, each of these with `id`, `type`, `status`, `expiry`, `created` and `completed`. " +
					"Any of them may be null. An attribute of another name is refused, because it would be left out of the report.",
			},
		},
		Return: function.StringReturn{},
	}
	if f.titled {
		resp.Definition.VariadicParameter = function.StringParameter{
			Name:                "title",
			MarkdownDescription: "What the report is headed by, one at most. Without it, or where it is empty: `Assessment results`.",
		}
	}
}

// Run renders the report. Where a part of an argument is unknown, the CLI does
// not call it, and the result is unknown.
func (f resultsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var (
		candidates types.Dynamic
		titles     []string
	)
	if f.titled {
		resp.Error = req.Arguments.Get(ctx, &candidates, &titles)
	} else {
		resp.Error = req.Arguments.Get(ctx, &candidates)
	}
	if resp.Error != nil {
		return
	}
	if len(titles) > 1 {
		resp.Error = function.NewArgumentFuncError(2, fmt.Sprintf("%s takes one title, and was given %d.", f.name, len(titles)))
		return
	}
	section, err := candidatesIn(candidates)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	r := report.Report{Title: strings.Join(titles, ""), Sections: []report.Section{{Candidates: section}}}
	var b strings.Builder
	if err := f.render(r, &b); err != nil {
		resp.Error = function.NewFuncError(err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, b.String())
}

// candidatesIn maps a dynamic value to the candidates of a report. Its error
// names the element and the attribute that are of no use.
func candidatesIn(argument attr.Value) ([]report.Candidate, error) {
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
		AssessmentID: o.text("assessment_id"), Type: o.text("type"), ReportURL: o.text("report_url"), Percentile: o.number("percentile"),
		Classification: o.text("classification"), Validity: o.text("validity"),
		Invitations: readEach(o.reading, o.path("invitations"), o.take("invitations"), readInvitation),
	}
}

func readInvitation(o *part) report.Invitation {
	return report.Invitation{
		ID: o.text("id"), Type: o.text("type"), Status: o.text("status"),
		Expiry: o.text("expiry"), Created: o.text("created"), Completed: o.text("completed"),
	}
}

// reading is the way through a value of which any part may be wrong. It keeps
// the first complaint.
type reading struct {
	err error
}

func (r *reading) refuse(format string, a ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, a...)
	}
}

// part is an object on the way. It remembers which attributes were asked for, so
// that no other one is silently left out.
type part struct {
	*reading
	at     string
	values map[string]attr.Value
	taken  []string
}

// readEach reads the objects of a list, tuple or set. Null is nil, and a null
// element is passed over.
func readEach[T any](r *reading, at string, value attr.Value, read func(*part) T) []T {
	value = underlying(value)
	if value == nil {
		return nil
	}
	list, ok := value.(interface{ Elements() []attr.Value })
	if !ok {
		r.refuse("%s must be a list of objects, and is %s.%s", at, kindOf(value), insideHint(value))
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
			r.refuse("%s must be an object, and is %s.", at, kindOf(element))
			return nil
		}
		o := &part{reading: r, at: at, values: object.Attributes()}
		items = append(items, read(o))
		o.nothingLeft()
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
		o.refuse("%s must be a string, and is %s.", o.path(name), kindOf(value))
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
	default:
		o.refuse("%s must be a number, and is %s.", o.path(name), kindOf(value))
		return nil
	}
}

// nothingLeft refuses an attribute that was not asked for, and an object without
// one that was.
func (o *part) nothingLeft() {
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		if !slices.Contains(o.taken, name) {
			o.refuse("%s is no attribute that a report shows: it may have %s.", o.path(name), strings.Join(o.taken, ", "))
		}
	}
	if len(o.values) == 0 {
		o.refuse("%s has no attribute: it may have %s.", o.at, strings.Join(o.taken, ", "))
	}
}

// underlying is a value without the dynamic type around it; nil where there is
// none or it is null.
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

// insideHint helps whoever gave the data source and not its candidates.
func insideHint(value attr.Value) string {
	if object, ok := value.(types.Object); ok && object.Attributes()["candidates"] != nil {
		return " Give its attribute candidates."
	}
	return ""
}
