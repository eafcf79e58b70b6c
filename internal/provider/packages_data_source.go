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

// packagesDataSource lists the packages of an assessment (section 4.1).
type packagesDataSource struct{ dataSourceBase }

var _ datasource.DataSourceWithConfigure = (*packagesDataSource)(nil)

type packagesModel struct {
	AssessmentID types.String   `tfsdk:"assessment_id"`
	Packages     []packageModel `tfsdk:"packages"`
	IDs          types.List     `tfsdk:"ids"`
	MandatoryIDs types.List     `tfsdk:"mandatory_ids"`
	OptionalIDs  types.List     `tfsdk:"optional_ids"`
}

type packageModel struct {
	ID        types.String `tfsdk:"id"`
	Name      types.String `tfsdk:"name"`
	Mandatory types.Bool   `tfsdk:"mandatory"`
	Extra     types.String `tfsdk:"extra_json"`
}

// setPackages takes over the list; a package without a mark is in neither of
// the two partial lists.
func (m *packagesModel) setPackages(c *configured, packages []assessapi.Package) {
	m.Packages = make([]packageModel, len(packages))
	var all, mandatory, optional []string
	for i, p := range packages {
		m.Packages[i] = packageModel{
			ID:        types.StringValue(p.ID),
			Name:      types.StringPointerValue(p.Name),
			Mandatory: types.BoolPointerValue(p.Mandatory),
			Extra:     c.personal(p.Extra),
		}
		all = append(all, p.ID)
		if p.Mandatory != nil && *p.Mandatory {
			mandatory = append(mandatory, p.ID)
		}
		if p.Mandatory != nil && !*p.Mandatory {
			optional = append(optional, p.ID)
		}
	}
	m.IDs, m.MandatoryIDs, m.OptionalIDs = idList(all), idList(mandatory), idList(optional)
}

func (d *packagesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The packages that make up a multi-game cognitive assessment, in the service's order. Empty " +
			"for an assessment of another kind.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{identifier{}},
				MarkdownDescription: "Id of the assessment.",
			},
			"packages": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The packages.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the package."},
					"name": schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the package."},
					"mandatory": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the package must be supplied. " +
						"Null where the service does not say."},
					"extra_json": extraAttribute(),
				}},
			},
			"ids": schema.ListAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Ids of all packages, in the service's order.",
			},
			"mandatory_ids": schema.ListAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Ids of the mandatory packages.",
			},
			"optional_ids": schema.ListAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Ids of the optional packages.",
			},
		},
	}
}

func (d *packagesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.engine.report(&resp.Diagnostics)
	var model packagesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !d.engine.require("read the data source", &resp.Diagnostics) {
		return
	}
	packages, err := d.engine.Packages(ctx, model.AssessmentID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(listFailure("packages", model.AssessmentID, err))
		return
	}
	model.setPackages(d.engine, packages)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
