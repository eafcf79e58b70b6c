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

// positionDataSource finds one position of the organisation (section 4.7).
type positionDataSource struct{ dataSourceBase }

var (
	_ datasource.DataSourceWithConfigure        = (*positionDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*positionDataSource)(nil)
)

type positionModel struct {
	ID     types.String `tfsdk:"id"`
	Title  types.String `tfsdk:"title"`
	Locale types.String `tfsdk:"locale"`
	Extra  types.String `tfsdk:"extra_json"`
}

func newPositionModel(c *configured, p assessapi.Position) positionModel {
	return positionModel{
		ID:     types.StringValue(p.ID),
		Title:  types.StringPointerValue(p.Title),
		Locale: types.StringPointerValue(p.Locale),
		Extra:  c.personal(p.Extra),
	}
}

func (d *positionDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	find := []validator.String{latin1{}}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One position of the organisation, found by its id or its title.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          find,
				MarkdownDescription: "Id of the position. Exactly one of `id` and `title` is given.",
			},
			"title": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          find,
				MarkdownDescription: "Title of the position, compared exactly.",
			},
			"locale": schema.StringAttribute{Computed: true, MarkdownDescription: "Locale of the position, such as `en-GB`. A " +
				"benchmark fits only where its locale is the same. Null where the service does not say."},
			"extra_json": extraAttribute(),
		},
	}
}

func (d *positionDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("title"))}
}

func (d *positionDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.engine.report(&resp.Diagnostics)
	var config positionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.engine.require("read the data source", &resp.Diagnostics) {
		return
	}
	candidates, err := d.candidates(ctx, config)
	if err != nil {
		resp.Diagnostics.Append(failure(listPositions, "Could not list the positions of the organization.", err))
		return
	}
	models := make([]positionModel, len(candidates))
	for i, p := range candidates {
		models[i] = newPositionModel(d.engine, p)
	}
	found := only(models, "position", []criterion[positionModel]{
		{"id", config.ID, func(m positionModel) types.String { return m.ID }},
		{"title", config.Title, func(m positionModel) types.String { return m.Title }},
	}, func(m positionModel) string {
		return fmt.Sprintf("%s (title %s)", m.ID.ValueString(), m.Title)
	}, &resp.Diagnostics)
	if found != nil {
		resp.Diagnostics.Append(resp.State.Set(ctx, found)...)
	}
}

// candidates reads as little as can hold the position: the service filters by
// title, and for an id the list is read until it is found.
func (d *positionDataSource) candidates(ctx context.Context, config positionModel) ([]assessapi.Position, error) {
	if config.ID.IsNull() {
		titled, err := d.engine.PositionsTitled(ctx, config.Title.ValueString())
		if err != nil || len(titled) > 0 {
			return titled, err
		}
		return d.engine.Positions(ctx) // to say which are near
	}
	position, found, err := d.engine.FindPosition(ctx, config.ID.ValueString())
	if err != nil || found {
		return []assessapi.Position{position}, err
	}
	return d.engine.Positions(ctx)
}
