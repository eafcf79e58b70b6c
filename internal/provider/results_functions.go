// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/reportargs"
)

var _ provider.ProviderWithFunctions = (*Provider)(nil)

// Functions returns the functions.
func (p *Provider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		func() function.Function { return resultsCSV },
		func() function.Function { return resultsHTML },
		func() function.Function { return resultsMarkdown },
	}
}

// resultsFunction renders candidates as a report that depends only on its arguments.
type resultsFunction struct {
	name        string
	summary     string
	description string
	render      func(report.Report, io.Writer) error
}

var _ function.Function = resultsFunction{}

var resultsHTML = resultsFunction{
	name:    "results_html",
	summary: "Results of a position as an HTML page",
	description: "Renders candidates and their results as one HTML page. The page needs no other file, runs no " +
		"script and sends no request. It contains a ranking, the distribution of scores, a table by assessment, each " +
		"candidate in detail, and a legend. It works on a phone, prints as one document, and is accessible (WCAG 2.2 AA).",
	render: report.Report.HTML,
}

var resultsCSV = resultsFunction{
	name:    "results_csv",
	summary: "Results of a position as CSV",
	description: "Renders candidates and their results as a table for a spreadsheet (RFC 4180, UTF-8). The table has a " +
		"header, and one row for each result of each candidate. A candidate without results has one row. Each row also " +
		"contains the values of the candidate. If a result has several invitations, a cell contains all their " +
		"values, separated by `; `.\n\nThe column `comparable` is `yes` if the score is based on the same assessments as " +
		"most scores. Otherwise it is `no`, or `no score` if there is no score. Only comparable scores have a `rank`. " +
		"Column names are the same in every language.\n\nText that a spreadsheet would run as a formula gets a leading " +
		"apostrophe. Set `excel = true` for a file that Excel opens correctly with a double click. Such a file has a byte " +
		"order mark, and uses the separators of `language` (`,` and `.` in English, `;` and `,` in German and French).",
	render: report.Report.CSV,
}

var resultsMarkdown = resultsFunction{
	name:    "results_markdown",
	summary: "Results of a position as Markdown",
	description: "Renders candidates and their results as tables in GitHub Flavored Markdown, for the summary of a " +
		"pipeline or a comment. The text contains no links. Names are escaped, so that they cannot become markup, links or " +
		"mentions.",
	render: report.Report.Markdown,
}

// Metadata returns the name of the function.
func (f resultsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

// Definition describes the parameters.
func (f resultsFunction) Definition(
	_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse,
) {
	resp.Definition = function.Definition{
		Summary: f.summary,
		MarkdownDescription: f.description + "\n\nCandidates are ranked by suitability, which is one score over several " +
			"assessments. Scores are comparable only if they come from the same assessments. A candidate whose score comes " +
			"from other assessments than most is marked and has no rank. Candidates without a score are listed last.",
		Parameters: []function.Parameter{
			function.DynamicParameter{
				Name: "candidates",
				MarkdownDescription: "The attribute `candidates` of `assess_position_results`, or your own list of objects. An " +
					"object can have these attributes: `id`, `name`, `report_url`, `suitability` and `results`. Each result has " +
					"`assessment_id`, `type`, `report_url`, `percentile`, `classification`, `validity` and `invitations`. Each " +
					"invitation has `id`, `type`, `status`, `expiry`, `created` and `completed`. Any attribute can be null. Any " +
					"other attribute is an error.",
			},
		},
		VariadicParameter: function.DynamicParameter{
			Name:                "options",
			AllowNullValue:      true,
			MarkdownDescription: optionsDescription,
		},
		Return: function.StringReturn{},
	}
}

// Run renders the report. If a part of an argument is unknown, the CLI does not call Run,
// and the result is unknown.
func (f resultsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var (
		candidates attr.Value // not converted, because that takes long for thousands of candidates
		options    []types.Dynamic
	)
	if resp.Error = req.Arguments.Get(ctx, &candidates, &options); resp.Error != nil {
		return
	}
	if len(options) > 1 {
		resp.Error = argumentError(2, fmt.Sprintf(
			"%s accepts one argument after the candidates: a title, or an object of options. It got %d.", f.name, len(options)))
		return
	}
	section, err := reportargs.ReadCandidates(candidates)
	if err != nil {
		resp.Error = argumentError(0, err.Error())
		return
	}
	r := report.Report{Sections: []report.Section{{Candidates: section}}}
	if len(options) == 1 {
		if err := reportargs.ReadOptions(&r, options[0]); err != nil {
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

// argumentError is the error for an argument that cannot be used. The CLI adds the name of
// the parameter before the text, and a full stop after it.
func argumentError(argument int64, text string) *function.FuncError {
	return function.NewArgumentFuncError(argument, text+" See "+sectionURL("Invalid function argument"))
}

// optionsDescription describes the argument that reportargs.ReadOptions reads.
const optionsDescription = "You can add one more argument: a title, or an object with any of these options. " +
	"`title` (string): heading. Default `Assessment results`. `assessment_names` (map of assessment ID to name): " +
	"names to show instead of IDs. `benchmark_names` (map of assessment ID to name): the benchmark of each " +
	"assessment. `language` (`en`, `de` or `fr`): language of labels, dates and numbers. Default `en`. `source` " +
	"(string): where the results come from. `date` (string): when the results were read. A date such as `2026-03-05` " +
	"or an RFC 3339 timestamp is shown in the format of the language. `top` (number): show only the first candidates " +
	"of the ranking. `finished_only` (bool): show only candidates who have completed every assessment that they were " +
	"invited to. `anonymous` (bool): pseudonyms instead of names and IDs, and no links. A pseudonym depends only on " +
	"the ID of the candidate, so it is the same in each report. `confidential` (bool): whether the report says that " +
	"it is confidential. Default `true`. `excel` (bool): CSV that Excel opens correctly. Other formats ignore it. An " +
	"option that is null has its default. Any other option is an error."
