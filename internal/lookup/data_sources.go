// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"context"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// findDataSource is the singular data source of a lookup.
type findDataSource[T assessapi.Listed] struct {
	tf.DataSource
	lookup *lookup[T]
}

// listDataSource is the plural data source of a lookup.
type listDataSource[T assessapi.Listed] struct {
	tf.DataSource
	lookup *lookup[T]
}

var (
	_ datasource.DataSourceWithConfigure        = (*findDataSource[assessapi.Item])(nil)
	_ datasource.DataSourceWithConfigValidators = (*findDataSource[assessapi.Item])(nil)
	_ datasource.DataSourceWithConfigure        = (*listDataSource[assessapi.Item])(nil)
)

// DataSources are the data sources of this package.
func DataSources() []func() datasource.DataSource {
	options := func() datasource.DataSource {
		return &assessmentOptionsDataSource{tf.DataSource{Name: "assessment_options"}}
	}
	all := []func() datasource.DataSource{options}
	for _, l := range lookups {
		all = append(all, l.dataSources()...)
	}
	return all
}

// dataSources are the data sources of a lookup.
func (l *lookup[T]) dataSources() (all []func() datasource.DataSource) {
	base := func(name string) tf.DataSource { return tf.DataSource{Name: strings.ReplaceAll(name, " ", "_")} }
	if l.finds != "" {
		all = append(all, func() datasource.DataSource { return &findDataSource[T]{base(l.name), l} })
	}
	return append(all, func() datasource.DataSource { return &listDataSource[T]{base(l.plural()), l} })
}

func (d *findDataSource[T]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.lookup.singularSchema()
}

func (d *listDataSource[T]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.lookup.pluralSchema()
}

func (d *findDataSource[T]) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{tf.Choice{Arguments: d.lookup.allKeys(), Required: true}}
}

func (d *findDataSource[T]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	read := d.lookup.read
	if d.lookup.find != nil {
		read = d.lookup.find
	}
	readDataSource(ctx, d.Run, d.lookup, read, req, resp, func(config types.Object, all []T) map[string]attr.Value {
		if found := d.lookup.one(ctx, d.Run, all, config, &resp.Diagnostics); found != nil {
			return d.lookup.values(d.Run, *found)
		}
		return nil
	})
}

func (d *listDataSource[T]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	l := d.lookup
	readDataSource(ctx, d.Run, l, l.read, req, resp, func(config types.Object, all []T) map[string]attr.Value {
		return l.pluralValues(d.Run, l.filter(config, all))
	})
}

// readDataSource reads items, and saves the arguments together with the computed values
// that results returns. It saves nothing if they are nil.
func readDataSource[T assessapi.Listed](
	ctx context.Context, c *tf.Run, l *lookup[T],
	read func(context.Context, *tf.Run, types.Object) ([]T, error),
	req datasource.ReadRequest, resp *datasource.ReadResponse,
	results func(types.Object, []T) map[string]attr.Value,
) {
	defer c.Report(&resp.Diagnostics)
	config, ok := tf.Decode[types.Object](ctx, c, req.Config, "read the data source", &resp.Diagnostics)
	if !ok {
		return
	}
	all, err := read(ctx, c, config)
	if err != nil {
		resp.Diagnostics.Append(l.failure(c, config, err))
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

// failure is the diagnostic for a list that could not be read.
func (l *lookup[T]) failure(c *tf.Run, config types.Object, err error) diag.Diagnostic {
	if assessment := tf.StringIn(config, "assessment_id"); !assessment.IsNull() {
		return tf.ListFailure(l.plural(), c.Catalog().AssessmentLabel(assessment.ValueString()), err)
	}
	what := "Could not list the " + l.plural()
	return tf.Failure(what, what+" of the organization.", err)
}
