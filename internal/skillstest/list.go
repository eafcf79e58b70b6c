// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

var _ list.ListResourceWithConfigure = (*Resource)(nil)

// NewList returns the list resource.
func NewList() list.ListResource { return &Resource{} }

type listModel struct {
	AssessmentID types.String `tfsdk:"assessment_id"`
}

// ListResourceConfigSchema describes the argument of the list.
func (r *Resource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the enabled tests of a skills assessment.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": schema.StringAttribute{
				Required: true, Validators: []validator.String{tf.Identifier},
				MarkdownDescription: "ID of the skills assessment.",
			},
		},
	}
}

// List lists the enabled tests of the assessment. It ends at the first error.
func (r *Resource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config listModel
	r.Run.List(ctx, req, stream, &config, func(yield func(tf.ListItem, diag.Diagnostic) bool) {
		assessment := config.AssessmentID.ValueString()
		tests, err := r.Run.Lists.SkillsTests(ctx, assessment, true)
		if err != nil {
			yield(tf.ListItem{}, tf.ListFailure("skills tests", r.Run.Lists.AssessmentLabel(assessment), err))
			return
		}
		name, err := r.Run.Lists.AssessmentName(ctx, assessment)
		if err != nil {
			yield(tf.ListItem{}, tf.Failure(tf.ListAssessments, tf.ListAssessments+" of the organization.", err))
			return
		}
		for _, test := range tests {
			state := model{AssessmentID: config.AssessmentID, TestID: types.StringValue(test.ID)}
			state.refresh(test, r.Run.Privacy)
			item := tf.ListItem{
				Name: tf.NameOr(test.Name, test.ID) + " (" + name + ")", Identity: state.identity(), Resource: state,
			}
			if !yield(item, nil) {
				return
			}
		}
	})
}
