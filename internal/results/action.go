// SPDX-License-Identifier: MPL-2.0

package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// reportFormats are the functions that write a report, by the name of the format.
var reportFormats = map[string]func(report.Report, io.Writer) error{
	"html":     report.Report.HTML,
	"csv":      report.Report.CSV,
	"markdown": report.Report.Markdown,
	"json":     report.Report.JSON,
}

// reportAction writes the results of positions to a file. It stores nothing in a plan or a state.
type reportAction struct{ tf.Action }

var (
	_ action.ActionWithConfigure  = (*reportAction)(nil)
	_ action.ActionWithModifyPlan = (*reportAction)(nil)
)

type reportModel struct {
	PositionIDs   types.List   `tfsdk:"position_ids"`
	CandidateIDs  types.Set    `tfsdk:"candidate_ids"`
	AssessmentIDs types.Set    `tfsdk:"assessment_ids"`
	Format        types.String `tfsdk:"format"`
	Path          types.String `tfsdk:"path"`
	Overwrite     types.Bool   `tfsdk:"overwrite"`
	Title         types.String `tfsdk:"title"`
	Language      types.String `tfsdk:"language"`
	Top           types.Int32  `tfsdk:"top"`
	FinishedOnly  types.Bool   `tfsdk:"finished_only"`
	Anonymous     types.Bool   `tfsdk:"anonymous"`
	Excel         types.Bool   `tfsdk:"excel"`
	Wide          types.Bool   `tfsdk:"wide"`
	Confidential  types.Bool   `tfsdk:"confidential"`
	Names         types.Map    `tfsdk:"assessment_names"`
	Source        types.String `tfsdk:"source"`
	Date          types.String `tfsdk:"date"`
}

func (a *reportAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_results_report"
}

// ModifyPlan rejects a path that exists and that Invoke may not replace.
func (a *reportAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var model reportModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || model.Path.IsUnknown() || model.Overwrite.IsUnknown() {
		return
	}
	if err := model.file().MayReplace(); err != nil {
		resp.Diagnostics.Append(model.fileFailure(err))
	}
}

// Invoke reads the results and writes the report to the file. It checks the path before it reads anything. The
// provider's server has validated the arguments again, because a value may have been unknown until now.
func (a *reportAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	defer a.Run.Report(&resp.Diagnostics)
	var model reportModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !a.Run.Require("read the results", &resp.Diagnostics) {
		return
	}
	if err := model.file().Check(); err != nil {
		resp.Diagnostics.Append(model.fileFailure(err))
		return
	}
	say := func(text string) { resp.SendProgress(action.InvokeProgressEvent{Message: text}) }
	r, failed := a.read(ctx, model, say)
	if failed != nil {
		resp.Diagnostics.Append(failed)
		return
	}
	render := reportFormats[model.format()]
	if err := model.file().Write(func(w io.Writer) error { return render(r, w) }); err != nil {
		resp.Diagnostics.Append(model.fileFailure(err))
		return
	}
	say(fmt.Sprintf("Report written to %s. Positions: %d", model.Path.ValueString(), len(r.Sections)))
}

// read returns a report with the results and the names that the report shows, with one section for each position.
// failed is the error that prevents the report, or nil. read may also call say with a note (see readNames).
func (a *reportAction) read(
	ctx context.Context, model reportModel, say func(string),
) (r report.Report, failed diag.Diagnostic) {
	r = report.Report{Title: model.Title.ValueString(), Options: model.options()}
	r.Options.Source = cmp.Or(model.Source.ValueString(), a.Run.BaseURL.Host)
	filters := model.filters()
	var err error
	r.Sections, err = reading.Sections(ctx, a.Run.Run, filters)
	if err != nil {
		return r, tf.Failure(tf.ListPositions, "Could not read the titles of the positions for the report.", err)
	}
	if model.format() != "json" { // JSON shows IDs instead of names
		failed = a.readNames(ctx, model, &r, say)
		if failed != nil {
			return r, failed
		}
	}
	for i, filter := range filters { // each filter has a section
		results, err := a.Run.Lists.Results(ctx, filter)
		if err != nil {
			return r, resultsFailure(a.Run, filter.Position, err)
		}
		section := &r.Sections[i]
		section.Candidates, section.Filtered = results.Candidates, filter.Assessments != nil
		if section.Filtered { // then the report shows only the assessments in the results
			section.Assessments = nil
		}
	}
	r.Options.Date = cmp.Or(model.Date.ValueString(), time.Now().UTC().Format(time.RFC3339))
	return r, nil
}

// readNames adds the assessments of each position, and the names of assessments and benchmarks, to a report. A name in
// the argument assessment_names replaces the name in the service. readNames returns an error only if it cannot read the
// names of the assessments. After another error, it calls say with a note, because benchmarks may be missing in the
// report.
func (a *reportAction) readNames(
	ctx context.Context, model reportModel, r *report.Report, say func(string),
) (failed diag.Diagnostic) {
	names, err := reading.AssessmentNames(ctx, a.Run.Run)
	if err != nil {
		return tf.Failure(tf.ListAssessments, "Could not read the names of the assessments for the report.", err)
	}
	for id, name := range model.Names.Elements() {
		if name, ok := name.(types.String); ok && !name.IsNull() {
			names[id] = name.ValueString()
		}
	}
	r.Options.AssessmentNames = names
	var first error
	for i := range r.Sections {
		first = cmp.Or(first, reading.Describe(ctx, a.Run.Run, &r.Sections[i]))
	}
	if first != nil {
		say("Note: benchmarks may be missing in the report. " + run.Response(first))
	}
	return nil
}

// filters returns one filter of results for each position.
func (m reportModel) filters() []run.ResultsFilter {
	var filters []run.ResultsFilter
	for _, position := range m.PositionIDs.Elements() {
		filters = append(filters, resultsFilter(position, m.CandidateIDs, m.AssessmentIDs))
	}
	return filters
}

func (m reportModel) options() report.Options {
	return report.Options{
		Language: m.Language.ValueString(), Top: int(m.Top.ValueInt32()), FinishedOnly: m.FinishedOnly.ValueBool(),
		Anonymous: m.Anonymous.ValueBool(), Excel: m.Excel.ValueBool(), Wide: m.Wide.ValueBool(),
		Public: !m.Confidential.IsNull() && !m.Confidential.ValueBool(),
	}
}

func (m reportModel) format() string { return cmp.Or(m.Format.ValueString(), "html") }

func (m reportModel) file() files.File {
	return files.File{Path: m.Path.ValueString(), Overwrite: m.Overwrite.ValueBool()}
}

func (m reportModel) fileFailure(err error) diag.Diagnostic {
	fix := "choose another path, in a folder that exists and that you may write to"
	if errors.Is(err, files.ErrExists) {
		fix = "choose another path, or set overwrite = true to replace the file"
	}
	return tf.AttributeError(path.Root("path"), "Could not write the report",
		fmt.Sprintf("Could not write the report to %s.\n\n%s.\n\nTo fix this: %s.", m.Path, messages.Capitalized(err), fix))
}
