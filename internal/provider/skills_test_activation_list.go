// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ listresource.ListResourceWithConfigure = (*skillsTestActivationResource)(nil)

type skillsTestActivationListModel struct {
	AssessmentID types.String `tfsdk:"assessment_id"`
}

// ListResourceConfigSchema describes the argument of the list.
func (r *skillsTestActivationResource) ListResourceConfigSchema(
	_ context.Context, _ listresource.ListResourceSchemaRequest, resp *listresource.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the enabled tests of a skills assessment.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": schema.StringAttribute{
				Required: true, Validators: []validator.String{identifier},
				MarkdownDescription: "ID of the skills assessment.",
			},
		},
	}
}

// List lists the enabled tests.
func (r *skillsTestActivationResource) List(
	ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream,
) {
	var config skillsTestActivationListModel
	r.run.list(ctx, req, stream, &config, func(yield func(listItem, diag.Diagnostic) bool) {
		assessment := config.AssessmentID.ValueString()
		tests, err := r.run.Catalog.SkillsTests(ctx, assessment, true)
		if err != nil {
			yield(listItem{}, listFailure("skills tests", r.run.Catalog.AssessmentLabel(assessment), err))
			return
		}
		name, problem := r.run.assessmentName(ctx, assessment)
		if problem != nil {
			yield(listItem{}, problem)
			return
		}
		for _, test := range tests {
			state := skillsTestActivationModel{AssessmentID: config.AssessmentID, TestID: types.StringValue(test.ID)}
			state.refresh(test, r.run.privacy)
			item := listItem{
				name:     fmt.Sprintf("%s (%s)", nameOr(test.Title, test.ID), name),
				resource: state,
			}
			if !yield(item, nil) {
				return
			}
		}
	})
}
