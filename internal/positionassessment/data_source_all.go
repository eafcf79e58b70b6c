// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// allDataSource lists the assessments that are attached to a position
// (assumption A7).
type allDataSource struct{ tf.DataSource }

type allModel struct {
	PositionID  types.String    `tfsdk:"position_id"`
	Assessments []attachedModel `tfsdk:"assessments"`
	IDs         types.List      `tfsdk:"ids"`
}

func (m *allModel) setAssessments(c *tf.Run, all []assessapi.PositionAssessment) {
	m.Assessments = make([]attachedModel, len(all))
	ids := make([]string, len(all))
	for i, pa := range all {
		m.Assessments[i], ids[i] = newAttachedModel(c, m.PositionID, pa), pa.ID
	}
	m.IDs = tf.IDList(ids)
}

func (d *allDataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the assessments that are attached to a position.",
		Attributes: map[string]schema.Attribute{
			"position_id": tf.RequiredID("ID of the position."),
			"assessments": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The position assessments, in the order of the service.",
				NestedObject: schema.NestedAttributeObject{Attributes: attachedAttributes()},
			},
			"ids": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "IDs of the " +
				"position assessments, in the order of the service."},
		},
	}
}

func (d *allDataSource) Read(
	ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse,
) {
	defer d.Run.Report(&resp.Diagnostics)
	model, ok := tf.Decode[allModel](ctx, d.Run, req.Config, "read the data source", &resp.Diagnostics)
	if !ok {
		return
	}
	position := model.PositionID.ValueString()
	what := fmt.Sprintf("Could not list the assessments of position %s.", d.Run.Catalog().PositionLabel(position))
	all, offered, err := d.Run.Catalog().PositionAssessments.List(ctx, position)
	switch {
	case err != nil:
		resp.Diagnostics.Append(tf.Failure(tf.ListAttached, what, err))
	case !offered:
		resp.Diagnostics.Append(
			tf.Error(tf.ListAttached, what+" This service has no such list.\n\nTo fix this: read "+
				"each position assessment by its ID, with the data source assess_position_assessment."),
		)
	default:
		model.setAssessments(d.Run, all)
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}
