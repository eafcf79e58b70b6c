// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// assessmentsDataSource lists the assessments of the organisation (section 4.8).
type assessmentsDataSource struct{ dataSourceBase }

var _ datasource.DataSourceWithConfigure = (*assessmentsDataSource)(nil)

type assessmentsModel struct {
	Assessments []assessmentModel `tfsdk:"assessments"`
	IDs         types.List        `tfsdk:"ids"`
}

func newAssessmentsModel(c *configured, all []assessapi.Assessment) assessmentsModel {
	models, ids := make([]assessmentModel, len(all)), make([]string, len(all))
	for i, a := range all {
		models[i], ids[i] = newAssessmentModel(c, a), a.ID
	}
	return assessmentsModel{Assessments: models, IDs: idList(ids)}
}

func (d *assessmentsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The assessments of the organisation, in the service's order.",
		Attributes: map[string]schema.Attribute{
			"assessments": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The assessments.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":         schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the assessment."},
					"code":       schema.StringAttribute{Computed: true, MarkdownDescription: "Code of the assessment."},
					"name":       schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the assessment."},
					"extra_json": extraAttribute(),
				}},
			},
			"ids": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Ids of the " +
				"assessments, in the service's order."},
		},
	}
}

func (d *assessmentsDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.engine.report(&resp.Diagnostics)
	if !d.engine.require("read the data source", &resp.Diagnostics) {
		return
	}
	all, err := d.engine.Assessments(ctx)
	if err != nil {
		resp.Diagnostics.Append(failure(listAssessments, "Could not list the assessments of the organization.", err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, newAssessmentsModel(d.engine, all))...)
}
