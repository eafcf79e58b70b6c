// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// assessmentDataSource finds one assessment of the organisation (section 4.8).
type assessmentDataSource struct{ dataSourceBase }

var (
	_ datasource.DataSourceWithConfigure        = (*assessmentDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*assessmentDataSource)(nil)
)

type assessmentModel struct {
	ID    types.String `tfsdk:"id"`
	Code  types.String `tfsdk:"code"`
	Name  types.String `tfsdk:"name"`
	Extra types.String `tfsdk:"extra_json"`
}

func newAssessmentModel(c *configured, a assessapi.Assessment) assessmentModel {
	return assessmentModel{
		ID:    types.StringValue(a.ID),
		Code:  types.StringPointerValue(a.Code),
		Name:  types.StringPointerValue(a.Name),
		Extra: c.personal(a.Extra),
	}
}

func (d *assessmentDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	find := []validator.String{latin1{}}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One assessment of the organisation, found by its id, its code or its name.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          find,
				MarkdownDescription: "Id of the assessment. Exactly one of `id`, `code` and `name` is given.",
			},
			"code": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          find,
				MarkdownDescription: "Code of the assessment, compared exactly.",
			},
			"name": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          find,
				MarkdownDescription: "Name of the assessment, compared exactly.",
			},
			"extra_json": extraAttribute(),
		},
	}
}

func (d *assessmentDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("code"), path.MatchRoot("name")),
	}
}

func (d *assessmentDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.engine.report(&resp.Diagnostics)
	var config assessmentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.engine.require("read the data source", &resp.Diagnostics) {
		return
	}
	all, err := d.engine.Assessments(ctx)
	if err != nil {
		resp.Diagnostics.Append(failure(listAssessments, "Could not list the assessments of the organization.", err))
		return
	}
	models := make([]assessmentModel, len(all))
	for i, a := range all {
		models[i] = newAssessmentModel(d.engine, a)
	}
	found := only(models, "assessment", []criterion[assessmentModel]{
		{"id", config.ID, func(m assessmentModel) types.String { return m.ID }},
		{"code", config.Code, func(m assessmentModel) types.String { return m.Code }},
		{"name", config.Name, func(m assessmentModel) types.String { return m.Name }},
	}, func(m assessmentModel) string {
		return fmt.Sprintf("%s (code %s, name %s)", m.ID.ValueString(), m.Code, m.Name)
	}, &resp.Diagnostics)
	if found != nil {
		resp.Diagnostics.Append(resp.State.Set(ctx, found)...)
	}
}
