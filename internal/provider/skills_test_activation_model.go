// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// skillsTestActivationModel is the resource in a configuration, plan or state.
type skillsTestActivationModel struct {
	ID                types.String `tfsdk:"id"`
	AssessmentID      types.String `tfsdk:"assessment_id"`
	TestID            types.String `tfsdk:"test_id"`
	Active            types.Bool   `tfsdk:"active"`
	Title             types.String `tfsdk:"title"`
	Description       types.String `tfsdk:"description"`
	Category          types.String `tfsdk:"category"`
	TimeToComplete    types.String `tfsdk:"time_to_complete"`
	NumberOfQuestions types.Number `tfsdk:"number_of_questions"`
	SelfLink          types.String `tfsdk:"self_link"`
}

func (m skillsTestActivationModel) ref() catalog.TestRef {
	return catalog.TestRef{Assessment: m.AssessmentID.ValueString(), Test: m.TestID.ValueString()}
}

// identify sets the id. It is unknown if one of its parts is unknown.
func (m *skillsTestActivationModel) identify() {
	if m.AssessmentID.IsUnknown() || m.TestID.IsUnknown() {
		m.ID = types.StringUnknown()
		return
	}
	m.ID = types.StringValue(words.JoinImportID(m.AssessmentID.ValueString(), m.TestID.ValueString()))
}

// refresh updates the model with a response of the service.
func (m *skillsTestActivationModel) refresh(test assessapi.SkillsTest, p tf.Privacy) {
	m.identify()
	m.Active = types.BoolPointerValue(test.Active)
	m.Title = types.StringPointerValue(test.Title)
	m.Description = types.StringPointerValue(test.Description)
	m.Category = types.StringPointerValue(test.Category)
	m.TimeToComplete = types.StringPointerValue(test.TimeToComplete)
	m.NumberOfQuestions = tf.NumberOrNull(test.NumberOfQuestions)
	m.SelfLink = p.SelfLink(test.SelfLink)
}

// namedTest is how a message names a skills test.
func namedTest(c *tf.Run, ref catalog.TestRef) string {
	return fmt.Sprintf(
		"skills test %s of assessment %s",
		c.Catalog().Tests.Label(ref),
		c.Catalog().AssessmentLabel(ref.Assessment),
	)
}
