// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// dataSource is one of the two data sources of a lookup.
type dataSource[T assessapi.Listed] struct {
	tf.DataSource
	lookup   *lookup[T]
	findsOne bool // whether it is the singular data source
}

var (
	_ datasource.DataSourceWithConfigure        = (*dataSource[assessapi.Item])(nil)
	_ datasource.DataSourceWithConfigValidators = (*dataSource[assessapi.Item])(nil)
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
	add := func(name string, findsOne bool) {
		base := tf.DataSource{Name: strings.ReplaceAll(name, " ", "_")}
		all = append(all, func() datasource.DataSource { return &dataSource[T]{base, l, findsOne} })
	}
	if l.finds != "" {
		add(l.name, true)
	}
	add(l.plural(), false)
	return all
}

func (d *dataSource[T]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.lookup.pluralSchema()
	if d.findsOne {
		resp.Schema = d.lookup.singularSchema()
	}
}

func (d *dataSource[T]) ConfigValidators(context.Context) []datasource.ConfigValidator {
	if d.findsOne {
		return []datasource.ConfigValidator{tf.Choice{Arguments: d.lookup.allKeys(), Required: true}}
	}
	return nil
}

func (d *dataSource[T]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.Run.Report(&resp.Diagnostics)
	var config types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.Run.Require("read the data source", &resp.Diagnostics) {
		return
	}
	if d.findsOne {
		d.readOne(ctx, config, resp)
	} else {
		d.readAll(ctx, config, resp)
	}
}

// readOne saves the item that the arguments ask for.
func (d *dataSource[T]) readOne(ctx context.Context, config types.Object, resp *datasource.ReadResponse) {
	l, read := d.lookup, d.lookup.read
	if l.find != nil {
		read = l.find
	}
	items, err := read(ctx, d.Run, config)
	if err != nil {
		resp.Diagnostics.Append(l.failure(d.Run, config, err))
		return
	}
	if found := l.one(d.Run, items, config, &resp.Diagnostics); found != nil {
		tf.SaveResults(ctx, config, l.allFields().Values(d.Run.Privacy, *found), resp)
	}
}

// readAll saves all items, and warns about names that the map of IDs omits.
func (d *dataSource[T]) readAll(ctx context.Context, config types.Object, resp *datasource.ReadResponse) {
	l := d.lookup
	items, err := l.read(ctx, d.Run, config)
	if err != nil {
		resp.Diagnostics.Append(l.failure(d.Run, config, err))
		return
	}
	values, ambiguous := l.pluralValues(d.Run, l.filter(config, items))
	if len(ambiguous) > 0 {
		resp.Diagnostics.Append(l.ambiguousWarning(config, ambiguous))
	}
	tf.SaveResults(ctx, config, values, resp)
}

// failure is the diagnostic for a list that could not be read.
func (l *lookup[T]) failure(c *tf.Run, config types.Object, err error) diag.Diagnostic {
	if assessment := tf.StringIn(config, "assessment_id"); !assessment.IsNull() {
		return tf.ListFailure(l.plural(), c.Lists.AssessmentLabel(assessment.ValueString()), err)
	}
	summary := "Could not list the " + l.plural()
	return tf.Failure(summary, summary+" of the organization.", err)
}
