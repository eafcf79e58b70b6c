// SPDX-License-Identifier: MPL-2.0

package results

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// ephemeralResource returns what dataSource returns, but stores nothing in plans and states, so it also works in strict
// mode. Each plan and each apply opens it.
type ephemeralResource struct{ tf.Ephemeral }

var _ ephemeral.EphemeralResourceWithConfigure = (*ephemeralResource)(nil)

func (r *ephemeralResource) Metadata(
	_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_position_results"
}

// Schema returns a schema with the attributes of the data source.
func (r *ephemeralResource) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	var data datasource.SchemaResponse
	(&dataSource{}).Schema(ctx, datasource.SchemaRequest{}, &data)
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the candidates of a position and their results, without storing them. Each plan and " +
			"each apply reads them, with one request for the first 1000 candidates, and two for each further 1000.",
		Attributes: ephemeralAttributes(data.Schema.Attributes),
	}
}

// ephemeralAttributes converts the attributes of the data source to the Go types of an ephemeral resource. It omits
// types of attributes, and fields of nested lists, that the data source does not use.
func ephemeralAttributes(of map[string]dataschema.Attribute) map[string]schema.Attribute {
	attributes := make(map[string]schema.Attribute, len(of))
	for name, attribute := range of {
		switch a := attribute.(type) {
		case dataschema.StringAttribute:
			attributes[name] = schema.StringAttribute(a)
		case dataschema.Float64Attribute:
			attributes[name] = schema.Float64Attribute(a)
		case dataschema.SetAttribute:
			attributes[name] = schema.SetAttribute(a)
		case dataschema.MapAttribute:
			attributes[name] = schema.MapAttribute(a)
		case dataschema.ListNestedAttribute:
			attributes[name] = schema.ListNestedAttribute{
				Computed: a.Computed, MarkdownDescription: a.MarkdownDescription,
				NestedObject: schema.NestedAttributeObject{Attributes: ephemeralAttributes(a.NestedObject.Attributes)},
			}
		}
	}
	return attributes
}

func (r *ephemeralResource) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	if model, ok := readResults(ctx, r.Run, req.Config, &resp.Diagnostics); ok {
		resp.Diagnostics.Append(resp.Result.Set(ctx, &model)...)
	}
}
