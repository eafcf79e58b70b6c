// SPDX-License-Identifier: MPL-2.0

package results

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// resultsModel contains the results of a position (listResults).
type resultsModel struct {
	PositionID    types.String `tfsdk:"position_id"`
	CandidateIDs  types.Set    `tfsdk:"candidate_ids"`
	AssessmentIDs types.Set    `tfsdk:"assessment_ids"`
	Candidates    types.List   `tfsdk:"candidates"`
	LoginURLs     types.Map    `tfsdk:"candidate_login_urls"`
	Raw           types.String `tfsdk:"raw_json"`
}

// A position can have thousands of candidates. They are built as values and not as structs, because the framework needs
// twice as long to read structs by reflection. None of their attributes is sensitive, because the time that the CLIs
// need grows with the square of the number of sensitive values in one data source. Sensitive data is in one value next
// to the candidates.
var (
	candidateType  = tf.AttributeTypes(candidateAttributes())
	resultType     = tf.ElementTypes(candidateType["results"])
	invitationType = tf.ElementTypes(resultType["invitations"])
)

// resultsFilter converts arguments to a filter. A set that is null means all candidates or all assessments, and an
// empty set means none.
func resultsFilter(position attr.Value, candidates, assessments types.Set) run.ResultsFilter {
	ids := func(set types.Set) []string {
		if set.IsNull() {
			return nil
		}
		known, _ := tf.KnownIDs(set) // a data source is read when its arguments are known
		slices.Sort(known)
		return known
	}
	id, _ := position.(types.String)
	return run.ResultsFilter{Position: id.ValueString(), Candidates: ids(candidates), Assessments: ids(assessments)}
}

func candidateValues(c assessapi.Candidate) map[string]attr.Value {
	return map[string]attr.Value{
		"id":          textOrNull(c.ID),
		"name":        textOrNull(c.Name),
		"report_url":  textOrNull(c.ReportURL),
		"suitability": types.Float64PointerValue(c.Suitability),
		"results":     tf.ObjectList(resultType, c.Results, resultValues),
	}
}

func resultValues(r assessapi.Result) map[string]attr.Value {
	return map[string]attr.Value{
		"assessment_id":  textOrNull(r.AssessmentID),
		"type":           textOrNull(r.Type),
		"report_url":     textOrNull(r.ReportURL),
		"percentile":     types.Float64PointerValue(r.Percentile),
		"classification": textOrNull(r.Classification),
		"validity":       textOrNull(r.Validity),
		"invitations":    tf.ObjectList(invitationType, r.Invitations, invitationValues),
	}
}

func invitationValues(i assessapi.Invitation) map[string]attr.Value {
	return map[string]attr.Value{
		"id":        textOrNull(i.ID),
		"type":      textOrNull(i.Type),
		"status":    textOrNull(i.Status),
		"expiry":    textOrNull(i.Expiry),
		"created":   textOrNull(i.Created),
		"completed": textOrNull(i.Completed),
	}
}

// textOrNull returns null for a text that is not known.
func textOrNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

// loginURLs are the sign-in addresses by the id of the invitation.
func loginURLs(candidates []assessapi.Candidate) map[string]attr.Value {
	urls := map[string]attr.Value{}
	for _, c := range candidates {
		for _, r := range c.Results {
			for _, v := range r.Invitations {
				if v.ID != "" && v.LoginURL != "" {
					urls[v.ID] = types.StringValue(v.LoginURL)
				}
			}
		}
	}
	return urls
}
