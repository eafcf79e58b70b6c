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

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
	"github.com/assessascode/terraform-provider-assess/internal/wholefile"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

const (
	formatHTML = "html"
	formatJSON = "json"
)

// reportFormats are the functions that write a report, by the name of the format.
var reportFormats = map[string]func(report.Report, io.Writer) error{
	formatHTML: report.Report.HTML,
	"csv":      report.Report.CSV,
	"markdown": report.Report.Markdown,
	formatJSON: report.Report.JSON,
}

// reportAction writes the results of positions to a file. It stores nothing in a
// plan or a state.
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
	Wait          types.Object `tfsdk:"wait"`
}

func (a *reportAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_results_report"
}

// ModifyPlan refuses during the plan a file that Invoke would refuse.
func (a *reportAction) ModifyPlan(
	ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse,
) {
	var model reportModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || model.Path.IsUnknown() || model.Overwrite.IsUnknown() {
		return
	}
	if err := model.file().MayReplace(); err != nil {
		resp.Diagnostics.Append(model.fileFailure(err))
	}
}

func (a *reportAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	defer a.Run.Report(&resp.Diagnostics)
	model, ok := tf.Decode[reportModel](ctx, a.Run, req.Config, "read the results", &resp.Diagnostics)
	if !ok {
		return
	}
	// The action may wait for an hour, so refuse a file that cannot be written before that.
	if err := model.file().Check(); err != nil {
		resp.Diagnostics.Append(model.fileFailure(err))
		return
	}
	r, failed, lacks := a.prepare(ctx, model)
	if failed != nil {
		resp.Diagnostics.Append(failed)
		return
	}
	progress := func(format string, a ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, a...)})
	}
	note := func() { progress("Note: the report does not name all benchmarks. %s", run.Answer(lacks)) }
	stops := assessapi.StopsRun(lacks) // then the next error may only refer to this one
	if stops {
		note()
	}
	if !model.Wait.IsNull() && !a.await(ctx, model, progress, &resp.Diagnostics) {
		return
	}
	for i, filter := range model.filters() {
		read, err := a.Run.Catalog().Results.Read(ctx, filter)
		if err != nil {
			resp.Diagnostics.Append(resultsFailure(a.Run, filter.Position, err))
			return
		}
		r.Sections[i].Candidates = read.Candidates
	}
	r.Options.Date = time.Now().UTC().Format(time.RFC3339)
	render := reportFormats[model.format()]
	if err := model.file().Write(func(w io.Writer) error { return render(r, w) }); err != nil {
		resp.Diagnostics.Append(model.fileFailure(err))
		return
	}
	if lacks != nil && !stops {
		note()
	}
	sections := "sections"
	if len(r.Sections) == 1 {
		sections = "section"
	}
	progress("%d %s written to %s", len(r.Sections), sections, model.Path.ValueString())
}

// prepare reads everything that a report shows besides the results. lacks is why it cannot name all benchmarks.
func (a *reportAction) prepare(
	ctx context.Context, model reportModel,
) (r report.Report, failed diag.Diagnostic, lacks error) {
	r = report.Report{Title: model.Title.ValueString(), Options: model.options()}
	r.Options.Source = a.Run.BaseURL.Host
	var err error
	if r.Sections, err = reading.Sections(ctx, a.Run.Catalog(), model.filters()); err != nil {
		return r, tf.Failure(tf.ListPositions, "Could not read the titles of the positions for the report.", err), nil
	}
	if model.format() == formatJSON {
		return r, nil, nil // this format shows ids instead of names
	}
	if r.Options.AssessmentNames, err = reading.AssessmentNames(ctx, a.Run.Catalog()); err != nil {
		return r, tf.Failure(tf.ListAssessments, "Could not read the names of the assessments for the report.", err), nil
	}
	for i := range r.Sections {
		// The first error, because later ones may only refer to it.
		lacks = cmp.Or(lacks, reading.Describe(ctx, a.Run.Catalog(), &r.Sections[i]))
		if !model.AssessmentIDs.IsNull() {
			r.Sections[i].Assessments = nil // only those that the service returns
		}
	}
	return r, nil, lacks
}

// await waits until every invitation is completed or expired.
func (a *reportAction) await(
	ctx context.Context, model reportModel, progress func(string, ...any), diags *diag.Diagnostics,
) bool {
	wait := model.wait()
	seen, done, err := wait.Until(ctx, a.Run.Catalog().Results, func(seen reading.Tally) { progress("%s", seen) })
	var unread *reading.UnreadError
	switch {
	case errors.As(err, &unread):
		diags.Append(resultsFailure(a.Run, unread.Position, unread.Err))
	case err != nil:
		diags.Append(tf.Failure("Could not wait for the candidates",
			"Could not wait until every invitation is completed or expired. Nothing was written.", err))
	case !done:
		diags.Append(tf.AttributeError(
			path.Root("wait").AtName("timeout"), "Candidates have not finished", notFinished(seen, wait)))
	}
	return done
}

// wait reads the block wait, with the defaults that the schema describes.
func (m reportModel) wait() reading.Wait {
	wait := reading.Wait{
		Filters: m.filters(), Minimum: 1,
		Timeout:  tf.DurationOr(tf.StringIn(m.Wait, "timeout"), time.Hour),
		Interval: tf.DurationOr(tf.StringIn(m.Wait, "poll_interval"), time.Minute),
	}
	if n, ok := m.Wait.Attributes()["min_invitations"].(types.Int32); ok && !n.IsNull() {
		wait.Minimum = int(n.ValueInt32())
	}
	return wait
}

func notFinished(seen reading.Tally, wait reading.Wait) string {
	reason := fmt.Sprintf("Invitations that are still open after %s: %d of %d (%s).",
		wait.Timeout, seen.Open(), seen.Total, seen)
	fix := "invoke the action again later, set a longer timeout"
	if seen.Total < wait.Minimum {
		reason = fmt.Sprintf("Invitations after %s: %d, but wait.min_invitations requires %d.",
			wait.Timeout, seen.Total, wait.Minimum)
		fix = "invite candidates, lower wait.min_invitations"
	}
	return reason + " Nothing was written.\n\nTo fix this: " + fix + ", or remove the block \"wait\" to report the " +
		"results that exist now."
}

// filters returns one filter of results for each position.
func (m reportModel) filters() []catalog.ResultsFilter {
	var filters []catalog.ResultsFilter
	for _, position := range m.PositionIDs.Elements() {
		filters = append(filters, resultsFilter(position, m.CandidateIDs, m.AssessmentIDs))
	}
	return filters
}

func (m reportModel) options() report.Options {
	return report.Options{
		Language: m.Language.ValueString(), Top: int(m.Top.ValueInt32()), FinishedOnly: m.FinishedOnly.ValueBool(),
		Anonymous: m.Anonymous.ValueBool(), Excel: m.Excel.ValueBool(), Wide: m.Wide.ValueBool(),
	}
}

func (m reportModel) format() string { return cmp.Or(m.Format.ValueString(), formatHTML) }

func (m reportModel) file() wholefile.File {
	return wholefile.File{Path: m.Path.ValueString(), Overwrite: m.Overwrite.ValueBool()}
}

func (m reportModel) fileFailure(err error) diag.Diagnostic {
	fix := "choose another path, in a folder that exists and that you may write to"
	if errors.Is(err, wholefile.ErrExists) {
		fix = "choose another path, or set overwrite = true to replace the file"
	}
	return tf.AttributeError(path.Root("path"), "Could not write the report",
		fmt.Sprintf("Could not write the report to %s.\n\n%s.\n\nTo fix this: %s.", m.Path, words.Capitalized(err), fix))
}
