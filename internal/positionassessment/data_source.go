// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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

// dataSource reads one assessment that is attached to a position (getPositionAssessment).
type dataSource struct{ tf.DataSource }

// attachedFields are the attributes of a position assessment as the service returns it. Unlike the model of the
// resource, they contain nothing from a configuration. What the service does not return is null.
func attachedFields(position string) tf.Fields[assessapi.PositionAssessment] {
	type attached = assessapi.PositionAssessment
	nested := func(
		name, description, key string, attribute schema.Attribute, value func(assessapi.Metadata) attr.Value,
	) tf.Field[attached] {
		block := schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: description, Attributes: map[string]schema.Attribute{key: attribute},
		}
		of := tf.AttributeTypes(block.Attributes)
		return tf.Field[attached]{Name: name, Attribute: block, Value: func(_ tf.Privacy, pa attached) attr.Value {
			if value := value(pa.Metadata); !value.IsNull() {
				return types.ObjectValueMust(of, map[string]attr.Value{key: value})
			}
			return types.ObjectNull(of)
		}}
	}
	ids := func(name, what, description string, of func(assessapi.Metadata) []string) tf.Field[attached] {
		attribute := tf.IDsAttribute("IDs of the " + what + ", in the order of the service.")
		return nested(name, description, "ids", attribute, func(m assessapi.Metadata) attr.Value {
			if ids := of(m); ids != nil {
				return tf.IDList(ids)
			}
			return types.ListNull(types.StringType)
		})
	}
	id := func(name, description string, of func(assessapi.Metadata) *string) tf.Field[attached] {
		attribute := tf.ComputedString("ID of the " + name + ".")
		return nested(name, description, "id", attribute, func(m assessapi.Metadata) attr.Value {
			return types.StringPointerValue(of(m))
		})
	}
	return tf.Fields[attached]{
		tf.StringField("position_id", "ID of the position.", func(attached) *string { return &position }),
		tf.StringField("id", "ID of the position assessment.", func(pa attached) *string { return &pa.ID }),
		tf.StringField("assessment_id", "ID of the attached assessment.",
			func(pa attached) *string { return &pa.AssessmentID }),
		ids("packages", "packages", "Packages of a multi-game cognitive assessment. Null if the service returns none.",
			func(m assessapi.Metadata) []string { return m.Packages }),
		id("benchmark", "Benchmark (comparison group). Null if the service returns none.",
			func(m assessapi.Metadata) *string { return m.Benchmark }),
		id("profile", "Attached profile. Null if no profile is attached, or if a supervisor has replaced it, because the "+
			"service then returns no ID.", func(m assessapi.Metadata) *string { return m.Profile }),
		ids("tests", "skills tests", "Tests of a skills assessment. Null if the service returns none.",
			func(m assessapi.Metadata) []string { return m.Tests }),
		tf.StringField("profile_status", profileStatus, func(pa attached) *string { return pa.Metadata.ProfileStatus }),
		tf.PersonalField("profile_url", profileURL, true, func(pa attached) *string { return pa.Metadata.ProfileURL }),
		{
			Name: "self_link", Attribute: tf.ComputedString(tf.SelfLink("position assessment")),
			Value: func(p tf.Privacy, pa attached) attr.Value { return p.SelfLink(pa.SelfLink) },
		},
		tf.ExtraField(true, func(pa attached) *string { return pa.Extra }),
	}
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := attachedFields("").Attributes()
	attributes["position_id"] = tf.RequiredID("ID of the position.")
	attributes["id"] = tf.RequiredID("ID of the position assessment.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one assessment that is attached to a position.", Attributes: attributes,
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.Run.Report(&resp.Diagnostics)
	config, ok := tf.Decode[types.Object](ctx, d.Run, req.Config, "read the data source", &resp.Diagnostics)
	if !ok {
		return
	}
	wanted := tf.StringIn(config, "id")
	ref := Ref{Position: tf.StringIn(config, "position_id").ValueString(), ID: wanted.ValueString()}
	pa, err := d.Run.Catalog().PositionAssessments.Find(ctx, ref.Position, ref.ID)
	if err == nil {
		tf.SaveResults(ctx, config, attachedFields(ref.Position).Values(d.Run.Privacy, pa), resp)
		return
	}
	if assessapi.IsNotFound(err) {
		if all, noList := d.Run.Catalog().PositionAssessments.List(ctx, ref.Position); noList == nil {
			lookup.Search[assessapi.PositionAssessment]{
				Item: "position assessment", Attribute: "id", Wanted: wanted,
				Value: func(pa assessapi.PositionAssessment) types.String { return types.StringValue(pa.ID) },
				Describe: func(pa assessapi.PositionAssessment) string {
					assessment := d.Run.Catalog().AssessmentLabel(pa.AssessmentID)
					return fmt.Sprintf("%q of assessment %s", pa.ID, assessment)
				},
			}.One(all, &resp.Diagnostics)
			return
		}
	}
	resp.Diagnostics.Append(tf.Failure("Could not read the position assessment",
		"Could not read "+named(d.Run, ref)+".", err))
}

// allDataSource lists the assessments that are attached to a position (assumption A7).
type allDataSource struct{ tf.DataSource }

func (d *allDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the assessments that are attached to a position.",
		Attributes: map[string]schema.Attribute{
			"position_id": tf.RequiredID("ID of the position."),
			"assessments": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The position assessments, in the order of the service.",
				NestedObject: schema.NestedAttributeObject{Attributes: attachedFields("").Attributes()},
			},
			"ids": tf.IDsAttribute("IDs of the position assessments, in the order of the service."),
		},
	}
}

func (d *allDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.Run.Report(&resp.Diagnostics)
	config, ok := tf.Decode[types.Object](ctx, d.Run, req.Config, "read the data source", &resp.Diagnostics)
	if !ok {
		return
	}
	position := tf.StringIn(config, "position_id").ValueString()
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
		ids := make([]string, len(all))
		for i, pa := range all {
			ids[i] = pa.ID
		}
		tf.SaveResults(ctx, config, map[string]attr.Value{
			"assessments": attachedFields(position).List(d.Run.Privacy, all), "ids": tf.IDList(ids),
		}, resp)
	}
}
