// SPDX-License-Identifier: MPL-2.0

package results

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// reportFunction renders candidates as a report that depends only on its arguments.
type reportFunction struct {
	name    string
	summary string
	returns string // the first paragraph of the description
	details string // the paragraphs after the one about the ranking
	render  func(report.Report, io.Writer) error
}

var resultsHTML = reportFunction{
	name:    "results_html",
	summary: "Results of a position as an HTML page",
	returns: "Returns a report of candidates and their results as one HTML page, which requires no other files, runs no " +
		"script and sends no requests.",
	details: "The page contains the ranking, the distribution of the scores, a table of the results in each assessment, " +
		"and the details of each candidate. It also works on a phone, and it is accessible (WCAG 2.2 AA).",
	render: report.Report.HTML,
}

var resultsCSV = reportFunction{
	name:    "results_csv",
	summary: "Results of a position as CSV",
	returns: "Returns candidates and their results as a table for a spreadsheet, in CSV (RFC 4180, UTF-8). With " +
		"`excel = true`, it differs slightly from the RFC so that Excel opens it correctly.",
	details: "The table has a header and one row for each result. A candidate without results has one row, too. " +
		"If a result has several invitations, their values are in one cell, separated by `; `. With `wide = true`, the " +
		"table has one row for each candidate, and a group of columns for each assessment, sorted by the names of the " +
		"assessments, such as `Lumen Ability Test: percentile`.\n\n" +
		"The column `comparable` says `yes` if the score is based on the same assessments as the ranking, `no` if it is " +
		"based on different assessments, and `no score` if there is none. It is empty if the objects that you passed do " +
		"not say which assessments the score is based on.\n\n" +
		"The function puts an apostrophe before a text that a spreadsheet would run as a formula. With `excel = true`, " +
		"the file begins with a byte order mark. If `language` is also `de` or `fr`, it has semicolons and decimal commas.",
	render: report.Report.CSV,
}

var resultsMarkdown = reportFunction{
	name:    "results_markdown",
	summary: "Results of a position as Markdown",
	returns: "Returns a report of candidates and their results as Markdown tables. Use it in a comment on GitHub or " +
		"GitLab, or in the summary of a pipeline.",
	details: "The report contains no links, and shows each name as plain text.",
	render:  report.Report.Markdown,
}

// Metadata returns the name of the function.
func (f reportFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

// Definition describes the function and its parameters.
func (f reportFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: f.summary,
		MarkdownDescription: f.returns + "\n\nThe candidates are ranked by *suitability*, highest first. " +
			"[What the numbers mean](../guides/reports.md#what-the-numbers-mean) explains which scores can be compared.\n\n" +
			f.details,
		Parameters: []function.Parameter{
			function.DynamicParameter{
				Name: "candidates",
				MarkdownDescription: "The attribute `candidates` of " +
					"[assess_position_results](../data-sources/position_results.md), or your own list of objects " +
					"with any attributes of a candidate. Other attributes are an error.",
			},
		},
		VariadicParameter: function.DynamicParameter{
			Name:           "options",
			AllowNullValue: true,
			MarkdownDescription: "A title, or an object of [options](../guides/reports.md#options). Null means the " +
				"default, and an unknown option is an error. With the literal `null`, or with a null variable that has " +
				"no `type`, OpenTofu returns null instead of calling the function. So set the `type`, or omit the argument.",
		},
		Return: function.StringReturn{},
	}
}

// Run renders the report. If an argument cannot be used, the error names it. If a part of an argument is unknown, the
// CLI does not call Run, and the result is unknown.
func (f reportFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var (
		candidates attr.Value // not converted, because that takes long for thousands of candidates
		options    []types.Dynamic
	)
	if resp.Error = req.Arguments.Get(ctx, &candidates, &options); resp.Error != nil {
		return
	}
	if len(options) > 1 {
		resp.Error = argumentError(2, fmt.Sprintf(
			"%s accepts one argument after the candidates: a title, or an object of options. It got %d", f.name, len(options)))
		return
	}
	section, err := readCandidates(candidates)
	if err != nil {
		resp.Error = argumentError(0, err.Error())
		return
	}
	r := report.Report{Sections: []report.Section{{Candidates: section}}}
	if len(options) == 1 {
		if err := readOptions(&r, options[0]); err != nil {
			resp.Error = argumentError(1, err.Error())
			return
		}
	}
	var b strings.Builder
	if err := f.render(r, &b); err != nil {
		resp.Error = function.NewFuncError(err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, b.String())
}

// argumentError is the error for the argument with an index, from 0. The CLI adds the name of the parameter before the
// text, and a full stop after it.
func argumentError(index int64, text string) *function.FuncError {
	return function.NewArgumentFuncError(index, text+". See "+messages.Link("Invalid function argument"))
}
