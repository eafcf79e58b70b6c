// SPDX-License-Identifier: MPL-2.0

package results

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// dataSource reads the results of a position (listResults).
type dataSource struct{ tf.DataSource }

// Schema describes the data source. The ephemeral resource has the same attributes.
func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the candidates of a position and their results, with one request for the first 1000 " +
			"candidates, and two for each further 1000. Data sources with the same arguments share the requests. With " +
			"`privacy = \"strict\"`, they fail.",
		Attributes: map[string]schema.Attribute{
			"position_id": tf.RequiredID("ID of the position."),
			"candidate_ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: []validator.Set{tf.AnyIDs},
				MarkdownDescription: "IDs of the candidates to read. Default: all. With an empty set, `candidates` is empty.",
			},
			"assessment_ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: []validator.Set{tf.AnyIDs},
				MarkdownDescription: "IDs of the assessments to read. The service then calculates `suitability` from these " +
					"assessments only. Default: all assessments of the position. With an empty set, `candidates` is empty.",
			},
			"candidates": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The candidates in the order of the service, by suitability, " +
					"highest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: candidateAttributes()},
			},
			"candidate_login_urls": schema.MapAttribute{
				Computed: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "Sign-in links of candidates by the IDs of invitations. Anyone who has such a link can take " +
					"the assessment.",
			},
			"raw_json": schema.StringAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "The candidates as a JSON array, as the service returns them, with sign-in links and " +
					"data that has no attribute. Null in the ephemeral resource with `privacy = \"strict\"`.",
			},
		},
	}
}

// candidateAttributes are the attributes of a candidate. None of them is sensitive (see candidateType).
func candidateAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":         tf.ComputedString("ID of the candidate."),
		"name":       tf.ComputedString("Name of the candidate."),
		"report_url": tf.ComputedString("URL of the service's report about the candidate."),
		"suitability": tf.ComputedFloat("Score over all assessments of the position, or over the assessments in " +
			"`assessment_ids`. Null if the candidate has not completed all of them."),
		"results": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "Results of the candidate, one for each assessment that the candidate " +
				"was invited to. With `assessment_ids`, only the results of these assessments.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"assessment_id": tf.ComputedString("ID of the assessment."),
				"type":          tf.ComputedString("Type of the result, such as `SCORED`."),
				"report_url":    tf.ComputedString("URL of the service's report about the result."),
				"percentile": tf.ComputedFloat("Percentile, from 0 to 100. Null if the candidate has not completed the " +
					"assessment, or if results of this `type` have none."),
				"classification": tf.ComputedString("Classification, such as `FAR_ABOVE_AVERAGE`, or null."),
				"validity":       tf.ComputedString("The service's verdict on whether the answers are consistent, or null."),
				"invitations": schema.ListNestedAttribute{
					Computed:            true,
					MarkdownDescription: "Invitations of the candidate to the assessment, usually one.",
					NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
						"id":        tf.ComputedString("ID of the invitation."),
						"type":      tf.ComputedString("`REMOTE` or `SUPERVISED`: how the candidate takes the assessment."),
						"status":    tf.ComputedString("`INVITED`, `IN_PROGRESS`, `TESTED_WITH_RESULTS` (completed) or `EXPIRED`."),
						"expiry":    tf.ComputedString("Day when the invitation expires (YYYY-MM-DD)."),
						"created":   tf.ComputedString("Time when the invitation was created (ISO 8601, UTC)."),
						"completed": tf.ComputedString("Time when the candidate completed the assessment, or null."),
					}},
				},
			}},
		},
	}
}

// Read reads the results. In strict mode it fails, because the state would contain them.
func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.Run.Report(&resp.Diagnostics)
	if d.Run.Privacy == tf.Strict {
		resp.Diagnostics.Append(tf.Error("Results rejected by the privacy setting", "The data source "+
			"assess_position_results stores names, scores and links of people in the plan and the state. The setting "+
			"privacy = \"strict\" does not allow that.\n\nTo fix this: use the ephemeral resource assess_position_results, or "+
			"the action assess_results_report. Both store nothing in a plan or a state."))
		return
	}
	if model, ok := readResults(ctx, d.Run, req.Config, &resp.Diagnostics); ok {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// readResults returns the arguments of a configuration, and the results that they ask for. In strict mode, raw_json is
// null. ok is false after an error, which readResults adds to diags.
func readResults(
	ctx context.Context, r *tf.Run, config tfsdk.Config, diags *diag.Diagnostics,
) (m resultsModel, ok bool) {
	diags.Append(config.Get(ctx, &m)...)
	if diags.HasError() || !r.Require("read the results", diags) {
		return m, false
	}
	results, err := r.Lists.Results(ctx, resultsFilter(m.PositionID, m.CandidateIDs, m.AssessmentIDs))
	if err != nil {
		diags.Append(resultsFailure(r, m.PositionID.ValueString(), err))
		return m, false
	}
	m.Candidates = tf.ObjectList(candidateType, results.Candidates, candidateValues)
	m.LoginURLs = types.MapValueMust(types.StringType, loginURLs(results.Candidates))
	m.Raw = r.Privacy.Personal(types.StringValue(results.Raw))
	return m, true
}

func resultsFailure(r *tf.Run, position string, err error) diag.Diagnostic {
	return tf.Failure("Could not read the results",
		fmt.Sprintf("Could not read the results of position %s.", r.Lists.PositionLabel(position)), err)
}
