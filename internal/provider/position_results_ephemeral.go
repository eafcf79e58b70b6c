// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	twin "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
)

var _ provider.ProviderWithEphemeralResources = (*Provider)(nil)

// EphemeralResources is the registry of ephemeral resources.
func (p *Provider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		func() ephemeral.EphemeralResource { return &positionResultsEphemeral{} },
		func() ephemeral.EphemeralResource { return &profileLinkEphemeral{} },
	}
}

// positionResultsEphemeral is the twin of positionResultsDataSource that leaves
// nothing in plans and states. It is opened in each walk, and holds nothing open.
type positionResultsEphemeral struct{ ephemeralBase }

var _ ephemeral.EphemeralResourceWithConfigure = (*positionResultsEphemeral)(nil)

func (r *positionResultsEphemeral) Metadata(
	_ context.Context,
	req ephemeral.MetadataRequest,
	resp *ephemeral.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_position_results"
}

// Schema is that of the data source.
func (r *positionResultsEphemeral) Schema(
	ctx context.Context,
	_ ephemeral.SchemaRequest,
	resp *ephemeral.SchemaResponse,
) {
	var data datasource.SchemaResponse
	(&positionResultsDataSource{}).Schema(ctx, datasource.SchemaRequest{}, &data)
	resp.Schema = schema.Schema{
		MarkdownDescription: "What came of a position: its candidates with their results, ordered by suitability, highest " +
			"first. Unlike the data source of the same name it leaves nothing in a plan or a state.\n\nIt is read in every " +
			"plan, and once more in the apply. The service allows 2 requests a second and 30 a minute for results, one for " +
			"each 1000 candidates; ephemeral resources and data sources with equal arguments share theirs.",
		Attributes: ephemeralAttributes(data.Schema.Attributes),
	}
}

// ephemeralAttributes makes attributes of an ephemeral resource from those of a
// data source: the same in every respect but their Go types.
func ephemeralAttributes(of map[string]twin.Attribute) map[string]schema.Attribute {
	attributes := make(map[string]schema.Attribute, len(of))
	for name, attribute := range of {
		switch a := attribute.(type) {
		case twin.StringAttribute:
			attributes[name] = schema.StringAttribute(a)
		case twin.Float64Attribute:
			attributes[name] = schema.Float64Attribute(a)
		case twin.SetAttribute:
			attributes[name] = schema.SetAttribute(a)
		case twin.MapAttribute:
			attributes[name] = schema.MapAttribute(a)
		case twin.ListNestedAttribute:
			attributes[name] = schema.ListNestedAttribute{
				Computed: a.Computed, MarkdownDescription: a.MarkdownDescription,
				NestedObject: schema.NestedAttributeObject{Attributes: ephemeralAttributes(a.NestedObject.Attributes)},
			}
		}
	}
	return attributes
}

func (r *positionResultsEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	defer r.engine.report(&resp.Diagnostics)
	if model, ok := r.engine.readResults(ctx, req.Config, &resp.Diagnostics); ok {
		resp.Diagnostics.Append(resp.Result.Set(ctx, &model)...)
	}
}
