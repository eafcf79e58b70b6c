// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// benchmarksDataSource lists the benchmarks of an assessment (sections 2.4 and
// 4.9).
type benchmarksDataSource struct{ dataSourceBase }

var _ datasource.DataSourceWithConfigure = (*benchmarksDataSource)(nil)

type benchmarksModel struct {
	AssessmentID types.String     `tfsdk:"assessment_id"`
	Locale       types.String     `tfsdk:"locale"`
	Benchmarks   []benchmarkModel `tfsdk:"benchmarks"`
	IDs          types.List       `tfsdk:"ids"`
}

type benchmarkModel struct {
	ID     types.String `tfsdk:"id"`
	Name   types.String `tfsdk:"name"`
	Locale types.String `tfsdk:"locale"`
	Extra  types.String `tfsdk:"extra_json"`
}

// setBenchmarks takes over those of the locale that was asked for: the service
// has no such filter.
func (m *benchmarksModel) setBenchmarks(c *configured, all []assessapi.Benchmark) {
	m.Benchmarks = []benchmarkModel{}
	var ids []string
	for _, b := range all {
		locale := types.StringPointerValue(b.Locale)
		if !m.Locale.IsNull() && !rules.SameLocale(locale.ValueString(), m.Locale.ValueString()) {
			continue
		}
		m.Benchmarks = append(m.Benchmarks, benchmarkModel{
			ID:     types.StringValue(b.ID),
			Name:   types.StringPointerValue(b.Name),
			Locale: locale,
			Extra:  c.personal(b.Extra),
		})
		ids = append(ids, b.ID)
	}
	m.IDs = idList(ids)
}

func (d *benchmarksDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The client-specific benchmarks of an assessment, in the service's order. Empty for an " +
			"assessment that has none; an error where the service does not show such a list.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{identifier{}},
				MarkdownDescription: "Id of the assessment.",
			},
			"locale": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Locale of the benchmarks to list, such as `en-GB`. Case and separator do not matter. " +
					"Without it, all benchmarks are listed.",
			},
			"benchmarks": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The benchmarks.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the benchmark."},
					"name": schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the benchmark."},
					"locale": schema.StringAttribute{Computed: true, MarkdownDescription: "Locale of the benchmark, such as " +
						"`en-GB`. It can be used only on a position whose locale is the same."},
					"extra_json": extraAttribute(),
				}},
			},
			"ids": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Ids of the " +
				"benchmarks, in the service's order."},
		},
	}
}

func (d *benchmarksDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.engine.report(&resp.Diagnostics)
	var model benchmarksModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !d.engine.require("read the data source", &resp.Diagnostics) {
		return
	}
	all, err := d.engine.Benchmarks(ctx, model.AssessmentID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(listFailure("benchmarks", model.AssessmentID, err))
		return
	}
	model.setBenchmarks(d.engine, all)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
