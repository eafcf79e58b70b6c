// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// positionResultsDataSource reads what came of a position (section 4.6).
type positionResultsDataSource struct{ dataSourceBase }

func (d *positionResultsDataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	ids := []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(identifier{})}
	resp.Schema = schema.Schema{
		MarkdownDescription: "What came of a position: its candidates with their results, ordered by suitability, highest " +
			"first.\n\nThe service allows 2 requests a second and 30 a minute for results, one for each 1000 candidates. Data " +
			"sources with equal arguments share theirs.",
		Attributes: map[string]schema.Attribute{
			"position_id": requiredID("Id of the position."),
			"candidate_ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: ids,
				MarkdownDescription: "Ids of the candidates to read. Without it, all of them. An empty set selects nothing: " +
					"`candidates` is empty then, and the service is not asked.",
			},
			"assessment_ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: ids,
				MarkdownDescription: "Ids of the assessments to read; the suitability of the candidates is that over these. " +
					"Without it, all assessments of the position. An empty set selects nothing, as with `candidate_ids`.",
			},
			"candidates": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The candidates, in the service's order.",
				NestedObject: schema.NestedAttributeObject{Attributes: candidateAttributes()},
			},
			"candidate_login_urls": schema.MapAttribute{
				Computed: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "Addresses at which candidates sit their assessments, by the id of the invitation. Whoever " +
					"has one can do so.",
			},
			"raw_json": schema.StringAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "The candidates as the service wrote them, a JSON array: also what the provider does not " +
					"model, sign-in addresses included.",
			},
		},
	}
}

func candidateAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the candidate."},
		"name": schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the candidate."},
		"report_url": schema.StringAttribute{Computed: true, MarkdownDescription: "Address (URL) of the overall report on " +
			"the candidate."},
		"suitability": schema.Float64Attribute{
			Computed: true,
			MarkdownDescription: "Weighted score over the assessments, on the service's own scale. Null for a candidate who " +
				"was not invited to each of them, or has not completed each.",
		},
		"results": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "Results of the candidate, one for each assessment that the candidate was " +
				"invited to.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"assessment_id": schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the assessment."},
				"type": schema.StringAttribute{Computed: true, MarkdownDescription: "Type of the result, such as `SCORED`. It " +
					"decides which of the other attributes the service fills in."},
				"report_url": schema.StringAttribute{Computed: true, MarkdownDescription: "Address (URL) of the report on the " +
					"result."},
				"percentile": schema.Float64Attribute{Computed: true, MarkdownDescription: "Percentile, from 0 to 100. Null " +
					"while there is no result, and for types without one."},
				"classification": schema.StringAttribute{Computed: true, MarkdownDescription: "Classification, such as " +
					"`FAR_ABOVE_AVERAGE`. Null while there is no result, and for types without one."},
				"validity": schema.StringAttribute{Computed: true, MarkdownDescription: "Whether the answers can be relied on, " +
					"in the service's words. Null for types without it."},
				"invitations": schema.ListNestedAttribute{
					Computed: true, MarkdownDescription: "Sittings that the candidate was invited to. Their sign-in addresses are " +
						"in `candidate_login_urls`.",
					NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
						"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the invitation."},
						"type": schema.StringAttribute{Computed: true, MarkdownDescription: "`REMOTE` or `SUPERVISED`."},
						"status": schema.StringAttribute{Computed: true, MarkdownDescription: "`INVITED`, `IN_PROGRESS`, " +
							"`TESTED_WITH_RESULTS` or `EXPIRED`."},
						"expiry": schema.StringAttribute{Computed: true, MarkdownDescription: "Day on which the invitation expires " +
							"(YYYY-MM-DD)."},
						"created": schema.StringAttribute{Computed: true, MarkdownDescription: "When the invitation was created (ISO " +
							"8601, UTC)."},
						"completed": schema.StringAttribute{Computed: true, MarkdownDescription: "When the sitting was completed (ISO " +
							"8601, UTC). Null until then."},
					}},
				},
			}},
		},
	}
}

func (d *positionResultsDataSource) Read(
	ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse,
) {
	defer d.engine.report(&resp.Diagnostics)
	if d.engine.strict() {
		resp.Diagnostics.Append(
			newError("Results refused by the privacy setting", "The data source assess_position_results would "+
				"write names, scores and links of people to the plan and the state, and privacy is \"strict\".\n\nTo fix this: "+
				"use the ephemeral resource assess_position_results, or the action assess_results_report. Both leave nothing in a "+
				"plan or a state."),
		)
		return
	}
	if model, ok := d.engine.readResults(ctx, req.Config, &resp.Diagnostics); ok {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// readResults reads what a configuration asks for.
func (c *configured) readResults(
	ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics,
) (model positionResultsModel, ok bool) {
	diags.Append(config.Get(ctx, &model)...)
	if diags.HasError() || !c.require("read the results", diags) {
		return model, false
	}
	results, err := c.Results(ctx, model.filter())
	if err != nil {
		diags.Append(resultsFailure(c.PositionLabel(model.PositionID.ValueString()), err))
		return model, false
	}
	model.setResults(results)
	return model, true
}

func resultsFailure(position assessapi.Label, err error) diag.Diagnostic {
	return failure("Could not read the results", fmt.Sprintf("Could not read the results of position %s.", position), err)
}
