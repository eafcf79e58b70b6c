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

// positionResultsDataSource reads the results of a position (section 4.6).
type positionResultsDataSource struct{ dataSourceBase }

func (d *positionResultsDataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	ids := []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(identifier{})}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the candidates of a position with their results, ordered by suitability, highest " +
			"first.\n\nEach 1000 candidates take one request. The service allows 2 such requests per second and 30 per " +
			"minute. Data sources with equal arguments share their requests.",
		Attributes: map[string]schema.Attribute{
			"position_id": requiredID("ID of the position."),
			"candidate_ids": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators:  ids,
				MarkdownDescription: "IDs of the candidates to read. Default: all candidates. If the set is empty, `candidates` " +
					"is empty and no request is sent.",
			},
			"assessment_ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: ids,
				MarkdownDescription: "IDs of the assessments to read. The service then computes the suitability of a candidate " +
					"from these assessments only. Default: all assessments of the position. If the set is empty, `candidates` is " +
					"empty and no request is sent.",
			},
			"candidates": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The candidates, in the order of the service.",
				NestedObject: schema.NestedAttributeObject{Attributes: candidateAttributes()},
			},
			"candidate_login_urls": schema.MapAttribute{
				Computed: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "Addresses where candidates take their assessments, by the ID of the invitation. Anyone who " +
					"has an address can take the assessment.",
			},
			"raw_json": schema.StringAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "The candidates as a JSON array, exactly as the service returns them. It includes sign-in " +
					"addresses, and all data that has no attribute here.",
			},
		},
	}
}

func candidateAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":         computedString("ID of the candidate."),
		"name":       computedString("Name of the candidate."),
		"report_url": computedString("URL of the report about the candidate."),
		"suitability": computedFloat("Suitability of the candidate: one weighted score over all assessments, on the scale " +
			"of the service. Null if the candidate was not invited to all of them, or has not completed all of them."),
		"results": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "Results of the candidate, one for each assessment that the candidate was " +
				"invited to.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"assessment_id": computedString("ID of the assessment."),
				"type": computedString("Type of the result, such as `SCORED`. It determines which of the other attributes are " +
					"set."),
				"report_url": computedString("URL of the report about the result."),
				"percentile": computedFloat("Percentile, from 0 to 100. With 73, the result is at least as good as that of 73 " +
					"out of 100 people in the comparison group. Null if there is no result yet, and for types without a percentile."),
				"classification": computedString("Classification, such as `FAR_ABOVE_AVERAGE`. Null if there is no result yet, " +
					"and for types without a classification."),
				"validity": computedString("Validity: whether the answers are reliable, in the words of the service. Null for " +
					"types without a validity."),
				"invitations": schema.ListNestedAttribute{
					Computed: true,
					MarkdownDescription: "Invitations of the candidate to take the assessment. Their sign-in addresses " +
						"are in `candidate_login_urls`.",
					NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
						"id":   computedString("ID of the invitation."),
						"type": computedString("Type of the invitation: `REMOTE` or `SUPERVISED`."),
						"status": computedString("Status of the invitation: `INVITED`, `IN_PROGRESS`, `TESTED_WITH_RESULTS` " +
							"(completed) or `EXPIRED`."),
						"expiry":  computedString("Day when the invitation expires (YYYY-MM-DD)."),
						"created": computedString("Time when the invitation was created (ISO 8601, UTC)."),
						"completed": computedString("Time when the candidate completed the assessment (ISO 8601, UTC). Null until " +
							"then."),
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
			newError("Results refused by the privacy setting", "The data source assess_position_results stores "+
				"names, scores and links of people in the plan and the state. The setting privacy = \"strict\" does not allow "+
				"that.\n\nTo fix this: use the "+
				"ephemeral resource assess_position_results, or the action assess_results_report. Both store nothing in a plan or "+
				"a state."),
		)
		return
	}
	if model, ok := d.engine.readResults(ctx, req.Config, &resp.Diagnostics); ok {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// readResults reads the results that a configuration asks for.
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
