// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

var _ provider.ProviderWithActions = (*Provider)(nil)

// Actions is the registry of actions.
func (p *Provider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		func() action.Action { return &resultsReportAction{} },
	}
}

// resultsReportAction writes what came of positions into a file, and nothing of
// it anywhere else.
type resultsReportAction struct{ actionBase }

var (
	_ action.ActionWithConfigure  = (*resultsReportAction)(nil)
	_ action.ActionWithModifyPlan = (*resultsReportAction)(nil)
)

type resultsReportModel struct {
	PositionIDs   types.List   `tfsdk:"position_ids"`
	CandidateIDs  types.Set    `tfsdk:"candidate_ids"`
	AssessmentIDs types.Set    `tfsdk:"assessment_ids"`
	Format        types.String `tfsdk:"format"`
	Path          types.String `tfsdk:"path"`
	Overwrite     types.Bool   `tfsdk:"overwrite"`
	Wait          types.Object `tfsdk:"wait"`
}

const (
	waitTimeout  = time.Hour
	waitInterval = time.Minute
)

func (a *resultsReportAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_results_report"
}

func (a *resultsReportAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	ids := []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(identifier{})}
	duration := []validator.String{positiveDuration{}}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes what came of positions into a file. Nothing of it reaches a plan or a state.\n\n" +
			"Each position is a section of its own: there never is one ranking over several.",
		Attributes: map[string]schema.Attribute{
			"position_ids": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1), listvalidator.UniqueValues(), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(identifier{}),
				},
				MarkdownDescription: "Ids of the positions, in the order of their sections.",
			},
			"candidate_ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: ids,
				MarkdownDescription: "Ids of the candidates to report on. Without it, all of them. An empty set selects nobody.",
			},
			"assessment_ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: ids,
				MarkdownDescription: "Ids of the assessments to report on; the suitability of the candidates is that over these. Without it, all assessments of each position. An empty set selects nothing.",
			},
			"format": schema.StringAttribute{
				Optional: true, Validators: []validator.String{stringvalidator.OneOf(formatNames...)},
				MarkdownDescription: "`html`, the default: one page that needs nothing else. `csv`: a table whose first column is the position. `markdown`: tables. " +
					"`json`: the `candidates` as `assess_position_results` has them. None of them holds sign-in addresses.",
			},
			"path": schema.StringAttribute{
				Required: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Path of the file, in a directory that exists. The file appears once it is complete, and only its owner may read it.",
			},
			"overwrite": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether a file at `path` is replaced. Default `false`: a file that exists is refused, also when planning.",
			},
		},
		Blocks: map[string]schema.Block{
			"wait": schema.SingleNestedBlock{
				MarkdownDescription: "Wait until every invitation is completed or expired, with a message after each look. Positions for which that is so are not read again. " +
					"When the time is over and some are still open, the action fails, says how many, and writes nothing.",
				Attributes: map[string]schema.Attribute{
					"timeout": schema.StringAttribute{
						Optional: true, Validators: duration,
						MarkdownDescription: "How long to wait, as a duration such as `1h`, the default. There is a last look when the time is over.",
					},
					"poll_interval": schema.StringAttribute{
						Optional: true, Validators: duration,
						MarkdownDescription: "How long to wait before the next look, as a duration such as `1m`, the default. Looking takes one request for each position and 1000 candidates; " +
							"the service allows 30 a minute.",
					},
				},
			},
		},
	}
}

// ModifyPlan refuses early what Invoke would refuse.
func (a *resultsReportAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var model resultsReportModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || model.Path.IsUnknown() || model.Overwrite.IsUnknown() {
		return
	}
	if err := model.file().mayReplace(); err != nil {
		resp.Diagnostics.Append(model.fileFailure(err))
	}
}

func (a *resultsReportAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	defer a.engine.report(&resp.Diagnostics)
	var model resultsReportModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !a.engine.require("read the data source", &resp.Diagnostics) {
		return
	}
	// What can be refused is refused before an hour of waiting.
	if err := model.file().check(); err != nil {
		resp.Diagnostics.Append(model.fileFailure(err))
		return
	}
	sections, err := a.engine.reportSections(ctx, model.filters())
	if err != nil {
		resp.Diagnostics.Append(failure("Cannot list the positions", "The positions of the organisation were to be listed, for their titles.", err))
		return
	}
	progress := func(format string, a ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, a...)})
	}
	if !model.Wait.IsNull() && !a.await(ctx, model, progress, &resp.Diagnostics) {
		return
	}
	for i := range sections {
		if sections[i].results, err = a.engine.Results(ctx, sections[i].filter); err != nil {
			resp.Diagnostics.Append(resultsFailure(sections[i].filter.Position, err))
			return
		}
	}
	render := reportFormats[model.format()]
	if err := model.file().write(func(w io.Writer) error { return render(sections, w) }); err != nil {
		resp.Diagnostics.Append(model.fileFailure(err))
		return
	}
	noun := "sections"
	if len(sections) == 1 {
		noun = "section"
	}
	progress("%d %s written to %s", len(sections), noun, model.Path.ValueString())
}

// await waits until nobody can complete anything any more.
func (a *resultsReportAction) await(ctx context.Context, model resultsReportModel, progress func(string, ...any), diags *diag.Diagnostics) bool {
	timeout, interval := durationOr(stringIn(model.Wait, "timeout"), waitTimeout), durationOr(stringIn(model.Wait, "poll_interval"), waitInterval)
	var seen tally
	tallies := make([]tally, len(model.filters()))
	done, err := a.engine.Poll(ctx, interval, timeout, func(ctx context.Context) (bool, error) {
		seen = tally{}
		for i, filter := range model.filters() {
			if !tallies[i].known || tallies[i].open() > 0 {
				results, err := a.engine.FreshResults(ctx, filter)
				if err != nil {
					diags.Append(resultsFailure(filter.Position, err))
					return false, err
				}
				tallies[i] = tallyOf(results)
			}
			seen = seen.plus(tallies[i])
		}
		progress("%s", seen)
		return seen.open() == 0, nil
	})
	switch {
	case diags.HasError():
	case err != nil:
		diags.Append(failure("Cannot wait for the candidates", "It was to be waited until every invitation is completed or expired.", err))
	case !done:
		diags.AddAttributeError(path.Root("wait").AtName("timeout"), "Candidates have not finished",
			fmt.Sprintf("Of %d invitations, %d are still open after %s (%s). Nothing was written.\n\n"+
				"Invoke the action again later, give it a longer timeout, or leave the block wait out to report what there is.", seen.total, seen.open(), timeout, seen))
	}
	return done
}

// filters are what is read, one for each position.
func (m resultsReportModel) filters() []engine.ResultsFilter {
	filters := make([]engine.ResultsFilter, 0, len(m.PositionIDs.Elements()))
	for _, element := range m.PositionIDs.Elements() {
		if id, ok := element.(types.String); ok {
			one := positionResultsModel{PositionID: id, CandidateIDs: m.CandidateIDs, AssessmentIDs: m.AssessmentIDs}
			filters = append(filters, one.filter())
		}
	}
	return filters
}

func (m resultsReportModel) format() string {
	if m.Format.IsNull() {
		return formatHTML
	}
	return m.Format.ValueString()
}

func (m resultsReportModel) file() reportFile {
	return reportFile{path: m.Path.ValueString(), overwrite: m.Overwrite.ValueBool()}
}

func (m resultsReportModel) fileFailure(err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("path"), "Cannot write the report", fmt.Sprintf("The report was to be written to %s.\n\n%v.", m.Path, err))
}
