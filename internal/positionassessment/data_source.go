// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/lookup"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// DataSources are the data sources of this package.
func DataSources() []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource {
			return &dataSource{tf.DataSource{Name: "position_assessment"}}
		},
		func() datasource.DataSource {
			return &allDataSource{tf.DataSource{Name: "position_assessments"}}
		},
	}
}

// dataSource reads one assessment that is attached to a
// position (getPositionAssessment).
type dataSource struct{ tf.DataSource }

// attachedModel is a position assessment as the service returns it. Unlike the model of
// the resource, it contains nothing from a configuration. What the service does not return
// is null.
type attachedModel struct {
	PositionID    types.String `tfsdk:"position_id"`
	ID            types.String `tfsdk:"id"`
	AssessmentID  types.String `tfsdk:"assessment_id"`
	Packages      *idsModel    `tfsdk:"packages"`
	Benchmark     *idModel     `tfsdk:"benchmark"`
	Profile       *idModel     `tfsdk:"profile"`
	Tests         *idsModel    `tfsdk:"tests"`
	ProfileStatus types.String `tfsdk:"profile_status"`
	ProfileURL    types.String `tfsdk:"profile_url"`
	SelfLink      types.String `tfsdk:"self_link"`
	Extra         types.String `tfsdk:"extra_json"`
}

type idModel struct {
	ID types.String `tfsdk:"id"`
}

type idsModel struct {
	IDs types.List `tfsdk:"ids"`
}

func newAttachedModel(c *tf.Run, position types.String, pa assessapi.PositionAssessment) attachedModel {
	m := attachedModel{
		PositionID:    position,
		ID:            types.StringValue(pa.ID),
		AssessmentID:  types.StringValue(pa.AssessmentID),
		ProfileStatus: types.StringPointerValue(pa.Metadata.ProfileStatus),
		ProfileURL:    c.Privacy.Personal(types.StringPointerValue(pa.Metadata.ProfileURL)),
		SelfLink:      c.Privacy.SelfLink(pa.SelfLink),
		Extra:         c.Privacy.Personal(types.StringPointerValue(pa.Extra)),
	}
	if ids := pa.Metadata.Packages; ids != nil {
		m.Packages = &idsModel{tf.IDList(ids)}
	}
	if id := pa.Metadata.Benchmark; id != nil {
		m.Benchmark = &idModel{types.StringValue(*id)}
	}
	if id := pa.Metadata.Profile; id != nil {
		m.Profile = &idModel{types.StringValue(*id)}
	}
	if ids := pa.Metadata.Tests; ids != nil {
		m.Tests = &idsModel{tf.IDList(ids)}
	}
	return m
}

func nested(name string, attribute schema.Attribute, description string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: description, Attributes: map[string]schema.Attribute{name: attribute},
	}
}

// attachedAttributes are the computed attributes of an attachedModel.
func attachedAttributes() map[string]schema.Attribute {
	ids := func(what, description string) schema.Attribute {
		return nested("ids", tf.IDsAttribute("IDs of the "+what+", in the order of the service."), description)
	}
	id := func(what, description string) schema.Attribute {
		return nested("id", tf.ComputedString("ID of the "+what+"."), description)
	}
	return map[string]schema.Attribute{
		"position_id":   tf.ComputedString("ID of the position."),
		"id":            tf.ComputedString("ID of the position assessment."),
		"assessment_id": tf.ComputedString("ID of the attached assessment."),
		"packages":      ids("packages", "Packages of a multi-game cognitive assessment. Null if the service returns none."),
		"benchmark":     id("benchmark", "Benchmark (comparison group). Null if the service returns none."),
		"profile": id("profile", "Attached profile. Null if no profile is attached, or if a "+
			"supervisor has replaced it, because the service then returns no ID."),
		"tests":          ids("skills tests", "Tests of a skills assessment. Null if the service returns none."),
		"profile_status": tf.ComputedString(profileStatus),
		"profile_url":    schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: profileURL},
		"self_link":      tf.ComputedString(tf.SelfLink("position assessment")),
		"extra_json": schema.StringAttribute{
			Computed: true, Sensitive: true, MarkdownDescription: tf.ExtraDescription,
		},
	}
}

func (d *dataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	attributes := attachedAttributes()
	attributes["position_id"] = tf.RequiredID("ID of the position.")
	attributes["id"] = tf.RequiredID("ID of the position assessment.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one assessment that is attached to a position.",
		Attributes:          attributes,
	}
}

// described returns a function that names a position assessment of a list.
func described(c *tf.Run) func(assessapi.PositionAssessment) lookup.Description {
	return func(pa assessapi.PositionAssessment) lookup.Description {
		return lookup.Description(fmt.Sprintf("%q of assessment %s", pa.ID, c.Catalog().AssessmentLabel(pa.AssessmentID)))
	}
}

func (d *dataSource) Read(
	ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse,
) {
	defer d.Run.Report(&resp.Diagnostics)
	config, ok := tf.Decode[attachedModel](ctx, d.Run, req.Config, "read the data source", &resp.Diagnostics)
	if !ok {
		return
	}
	ref := Ref{Position: config.PositionID.ValueString(), ID: config.ID.ValueString()}
	pa, err := d.Run.Catalog().PositionAssessments.Find(ctx, ref.Position, ref.ID)
	if err == nil {
		resp.Diagnostics.Append(resp.State.Set(ctx, newAttachedModel(d.Run, config.PositionID, pa))...)
		return
	}
	if assessapi.IsNotFound(err) {
		if all, noList := d.Run.Catalog().PositionAssessments.List(ctx, ref.Position); noList == nil {
			lookup.Search[assessapi.PositionAssessment]{
				Item: "position assessment", Attribute: "id", Wanted: config.ID, Describe: described(d.Run),
				Value: func(pa assessapi.PositionAssessment) types.String { return types.StringValue(pa.ID) },
			}.One(all, &resp.Diagnostics)
			return
		}
	}
	resp.Diagnostics.Append(tf.Failure("Could not read the position assessment",
		"Could not read "+named(d.Run, ref)+".", err))
}

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
			"ids": tf.IDsAttribute("IDs of the position assessments, in the order of the service."),
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
	all, err := d.Run.Catalog().PositionAssessments.List(ctx, position)
	switch {
	case errors.Is(err, catalog.ErrNotListed):
		resp.Diagnostics.Append(
			tf.ErrorIn(tf.Answers, tf.ListAttached, what+" This service has no such list.\n\nTo fix this: read "+
				"each position assessment by its ID, with the data source assess_position_assessment."),
		)
	case err != nil:
		resp.Diagnostics.Append(tf.Failure(tf.ListAttached, what, err))
	default:
		model.setAssessments(d.Run, all)
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}
