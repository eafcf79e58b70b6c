// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// profilesDataSource lists the existing profiles of an assessment (sections 2.6
// and 4.9).
type profilesDataSource struct{ dataSourceBase }

var _ datasource.DataSourceWithConfigure = (*profilesDataSource)(nil)

type profilesModel struct {
	AssessmentID types.String   `tfsdk:"assessment_id"`
	Profiles     []profileModel `tfsdk:"profiles"`
	IDs          types.List     `tfsdk:"ids"`
}

type profileModel struct {
	ID    types.String `tfsdk:"id"`
	Name  types.String `tfsdk:"name"`
	Extra types.String `tfsdk:"extra_json"`
}

func (m *profilesModel) setProfiles(c *configured, all []assessapi.Profile) {
	m.Profiles = make([]profileModel, len(all))
	ids := make([]string, len(all))
	for i, p := range all {
		m.Profiles[i] = profileModel{
			ID:    types.StringValue(p.ID),
			Name:  types.StringPointerValue(p.Name),
			Extra: c.personal(p.Extra),
		}
		ids[i] = p.ID
	}
	m.IDs = idList(ids)
}

func (d *profilesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The existing profiles of a values inventory or a work preferences profile, in the service's " +
			"order. Empty for an assessment that has none; an error where the service does not show such a list.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{identifier{}},
				MarkdownDescription: "Id of the assessment.",
			},
			"profiles": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The profiles.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":         schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the profile."},
					"name":       schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the profile."},
					"extra_json": extraAttribute(),
				}},
			},
			"ids": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Ids of the " +
				"profiles, in the service's order."},
		},
	}
}

func (d *profilesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.engine.report(&resp.Diagnostics)
	var model profilesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !d.engine.require("read the data source", &resp.Diagnostics) {
		return
	}
	all, err := d.engine.Profiles(ctx, model.AssessmentID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(listFailure("profiles", model.AssessmentID, err))
		return
	}
	model.setProfiles(d.engine, all)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
