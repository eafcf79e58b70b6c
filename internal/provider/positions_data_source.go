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

// positionsDataSource lists the positions of the organisation (section 4.7).
type positionsDataSource struct{ dataSourceBase }

var _ datasource.DataSourceWithConfigure = (*positionsDataSource)(nil)

type positionsModel struct {
	Title     types.String    `tfsdk:"title"`
	Positions []positionModel `tfsdk:"positions"`
	IDs       types.List      `tfsdk:"ids"`
}

func (m *positionsModel) setPositions(c *configured, all []assessapi.Position) {
	m.Positions = make([]positionModel, len(all))
	ids := make([]string, len(all))
	for i, p := range all {
		m.Positions[i], ids[i] = newPositionModel(c, p), p.ID
	}
	m.IDs = idList(ids)
}

func (d *positionsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The positions of the organisation, in the service's order.",
		Attributes: map[string]schema.Attribute{
			"title": schema.StringAttribute{
				Optional: true, Validators: []validator.String{latin1{}},
				MarkdownDescription: "Title that the service filters by: what it finds is passed on. Without it, all positions.",
			},
			"positions": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The positions.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":    schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the position."},
					"title": schema.StringAttribute{Computed: true, MarkdownDescription: "Title of the position."},
					"locale": schema.StringAttribute{Computed: true, MarkdownDescription: "Locale of the position, such as `en-GB`. " +
						"A benchmark fits only where its locale is the same. Null where the service does not say."},
					"extra_json": extraAttribute(),
				}},
			},
			"ids": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Ids of the " +
				"positions, in the service's order."},
		},
	}
}

func (d *positionsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.engine.report(&resp.Diagnostics)
	var model positionsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !d.engine.require("read the data source", &resp.Diagnostics) {
		return
	}
	list, what := d.engine.Positions, "Could not list the positions of the organization."
	if !model.Title.IsNull() {
		what = "Could not list the positions with title " + model.Title.String() + "."
		list = func(ctx context.Context) ([]assessapi.Position, error) {
			return d.engine.PositionsTitled(ctx, model.Title.ValueString())
		}
	}
	all, err := list(ctx)
	if err != nil {
		resp.Diagnostics.Append(failure(listPositions, what, err))
		return
	}
	model.setPositions(d.engine, all)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
