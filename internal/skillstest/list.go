// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

type listModel struct {
	AssessmentID types.String `tfsdk:"assessment_id"`
}

// ListResourceConfigSchema describes the argument of the list.
func (r *Resource) ListResourceConfigSchema(
	_ context.Context, _ listresource.ListResourceSchemaRequest, resp *listresource.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the enabled tests of a skills assessment.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": schema.StringAttribute{
				Required: true, Validators: []validator.String{tf.Identifier}, MarkdownDescription: "ID of the skills assessment.",
			},
		},
	}
}

// List lists the enabled tests.
func (r *Resource) List(ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream) {
	var config listModel
	r.Run.List(ctx, req, stream, &config, func(yield func(tf.ListItem, diag.Diagnostic) bool) {
		assessment := config.AssessmentID.ValueString()
		tests, err := r.Run.Catalog().SkillsTests(ctx, assessment, true)
		if err != nil {
			yield(tf.ListItem{}, tf.ListFailure("skills tests", r.Run.Catalog().AssessmentLabel(assessment), err))
			return
		}
		name, problem := r.Run.AssessmentName(ctx, assessment)
		if problem != nil {
			yield(tf.ListItem{}, problem)
			return
		}
		for _, test := range tests {
			state := model{AssessmentID: config.AssessmentID, TestID: types.StringValue(test.ID)}
			state.refresh(test, r.Run.Privacy)
			title := fmt.Sprintf("%s (%s)", tf.NameOr(test.Name, test.ID), name)
			if !yield(tf.ListItem{Name: title, Resource: state}, nil) {
				return
			}
		}
	})
}
