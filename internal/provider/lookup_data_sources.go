// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// findDataSource finds a single thing.
type findDataSource[T assessapi.Labeled] struct {
	dataSourceBase
	noun *noun[T]
}

// listDataSource lists all things.
type listDataSource[T assessapi.Labeled] struct {
	dataSourceBase
	noun *noun[T]
}

var (
	_ datasource.DataSourceWithConfigure        = (*findDataSource[assessapi.Benchmark])(nil)
	_ datasource.DataSourceWithConfigValidators = (*findDataSource[assessapi.Benchmark])(nil)
	_ datasource.DataSourceWithConfigure        = (*listDataSource[assessapi.Benchmark])(nil)
)

// dataSources makes both data sources of a noun.
func (n *noun[T]) dataSources() []func() datasource.DataSource {
	base := func(f form) dataSourceBase { return dataSourceBase{name: strings.ReplaceAll(f.name, " ", "_")} }
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &findDataSource[T]{base(n.one), n} },
		func() datasource.DataSource { return &listDataSource[T]{base(n.many), n} },
	}
}

func (d *findDataSource[T]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.noun.schemaOfOne()
}

func (d *listDataSource[T]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.noun.schemaOfMany()
}

func (d *findDataSource[T]) ConfigValidators(context.Context) []datasource.ConfigValidator {
	var keys []path.Expression
	for _, key := range d.noun.allKeys() {
		keys = append(keys, path.MatchRoot(key))
	}
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(keys...)}
}

func (d *findDataSource[T]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	read := d.noun.read
	if d.noun.find != nil {
		read = d.noun.find
	}
	readDataSource(ctx, d.engine, d.noun, read, req, resp, func(config types.Object, all []T) map[string]attr.Value {
		if found := d.noun.only(all, config, &resp.Diagnostics); found != nil {
			return d.noun.values(d.engine, *found)
		}
		return nil
	})
}

func (d *listDataSource[T]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	n := d.noun
	readDataSource(ctx, d.engine, n, n.read, req, resp, func(config types.Object, all []T) map[string]attr.Value {
		matching := []T{}
		for _, thing := range all {
			if n.fits(config, thing) {
				matching = append(matching, thing)
			}
		}
		return n.listed(d.engine, matching)
	})
}

// readDataSource reads a list, and saves the attributes that results makes of it
// beside the arguments. It saves nothing if results is nil.
func readDataSource[T assessapi.Labeled](
	ctx context.Context, c *configured, n *noun[T],
	read func(context.Context, *configured, types.Object) ([]T, error),
	req datasource.ReadRequest, resp *datasource.ReadResponse,
	results func(types.Object, []T) map[string]attr.Value,
) {
	defer c.report(&resp.Diagnostics)
	var config types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !c.require("read the data source", &resp.Diagnostics) {
		return
	}
	all, err := read(ctx, c, config)
	if err != nil {
		resp.Diagnostics.Append(n.failure(c, config, err))
		return
	}
	if values := results(config, all); values != nil {
		resp.Diagnostics.Append(saveResults(ctx, config, values, resp)...)
	}
}

// saveResults saves the arguments of a data source together with its results.
func saveResults(
	ctx context.Context, config types.Object, results map[string]attr.Value, resp *datasource.ReadResponse,
) diag.Diagnostics {
	values := config.Attributes()
	maps.Copy(values, results)
	state, diags := types.ObjectValue(config.AttributeTypes(ctx), values)
	if diags.HasError() {
		return diags
	}
	return resp.State.Set(ctx, state)
}

// failure words that the list could not be read.
func (n *noun[T]) failure(c *configured, config types.Object, err error) diag.Diagnostic {
	if assessment := stringIn(config, "assessment_id"); !assessment.IsNull() {
		return listFailure(n.many.name, c.AssessmentLabel(assessment.ValueString()), err)
	}
	return failure("Could not list the "+n.many.name, "Could not list the "+n.many.name+" of the organization.", err)
}
