// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/lookup"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// DataSources are the data sources of this package.
func DataSources() []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &dataSource{tf.DataSource{Name: "position_assessment"}} },
		func() datasource.DataSource { return &allDataSource{tf.DataSource{Name: "position_assessments"}} },
	}
}

// dataSource reads one assessment that is attached to a position (getPositionAssessment).
type dataSource struct{ tf.DataSource }

// attached is a short name for the type from which the fields of the data sources read.
type attached = assessapi.PositionAssessment

// attachedFields returns the attributes of a position assessment. If the service does not return a value, the attribute
// is null. The objects packages, benchmark, profile and tests are null if the service returns no IDs for them. In
// strict mode, profile_url and extra_json are null, and self_link is shortened ([tf.Privacy.SelfLink]). position is the
// value of position_id. It can be "" if the fields are only for a schema.
func attachedFields(position string) tf.Fields[attached] {
	const sensitive = true
	return tf.Fields[attached]{
		tf.StringField("position_id", "ID of the position.", func(attached) *string { return &position }),
		tf.StringField("id", "ID of the position assessment.", func(a attached) *string { return &a.ID }),
		tf.StringField("assessment_id", "ID of the attached assessment.",
			func(a attached) *string { return a.AssessmentID.Value }),
		idsField("packages", "packages", "Packages of a multi-game cognitive assessment. Null if the service returns none."),
		idField("benchmark", "Benchmark (comparison group). Null if the service returns none."),
		idField("profile", "Attached profile. Null if no profile is attached, or if a supervisor has replaced it, because "+
			"the service then returns no ID."),
		idsField("tests", "skills tests", "Tests of a skills assessment. Null if the service returns none."),
		tf.StringField("profile_status", profileStatus, func(a attached) *string { return a.Metadata.ProfileStatus.Value }),
		tf.PersonalField("profile_url", profileURL, sensitive,
			func(a attached) *string { return a.Metadata.ProfileURL.Value }),
		{
			Name: "self_link", Attribute: tf.ComputedString(tf.SelfLink("position assessment")),
			Value: func(p tf.Privacy, a attached) attr.Value { return p.SelfLink(a.SelfLink) },
		},
		tf.ExtraField(sensitive, func(a attached) *string { return a.Extra }),
	}
}

// idsField returns a field that is an object with the attribute ids. Its name is also the key of metadata. The object
// is null if metadata show no IDs. The parameter what names the items in the description, such as "skills tests".
func idsField(name, what, description string) tf.Field[attached] {
	attribute := tf.IDsAttribute("IDs of the " + what + ", in the order of the service.")
	return nestedField(name, description, "ids", attribute, func(ids []string) attr.Value { return tf.IDList(ids) })
}

// idField does what idsField does, for an object with the attribute id.
func idField(name, description string) tf.Field[attached] {
	attribute := tf.ComputedString("ID of the " + name + ".")
	return nestedField(name, description, "id", attribute, func(ids []string) attr.Value {
		return types.StringValue(ids[0])
	})
}

// nestedField does what idsField does, for an object with any one attribute. The function valueOf returns the value of
// the attribute for one or more IDs.
func nestedField(
	name, description, attributeName string, attribute schema.Attribute, valueOf func(ids []string) attr.Value,
) tf.Field[attached] {
	object := schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: description, Attributes: map[string]schema.Attribute{attributeName: attribute},
	}
	members := tf.AttributeTypes(object.Attributes)
	return tf.Field[attached]{Name: name, Attribute: object, Value: func(_ tf.Privacy, pa attached) attr.Value {
		if ids := pa.Metadata.IDs(name); len(ids) > 0 {
			return types.ObjectValueMust(members, map[string]attr.Value{attributeName: valueOf(ids)})
		}
		return types.ObjectNull(members)
	}}
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := attachedFields("").Attributes()
	attributes["position_id"] = tf.RequiredID("ID of the position.")
	attributes["id"] = tf.RequiredID("ID of the position assessment.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one assessment that is attached to a position.", Attributes: attributes,
	}
}

// Read reads the position assessment by its ID. If the service does not know the ID, the error names IDs from the list
// of the position, unless the list contains the ID after all, or cannot be read.
func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.Run.Report(&resp.Diagnostics)
	var config types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.Run.Require("read the data source", &resp.Diagnostics) {
		return
	}
	wanted := tf.StringIn(config, "id")
	at := ref{tf.StringIn(config, "position_id").ValueString(), wanted.ValueString()}
	pa, err := d.Run.Client.PositionAssessment(ctx, at.Position, at.ID)
	if err == nil {
		tf.SaveResults(ctx, config, attachedFields(at.Position).Values(d.Run.Privacy, pa), resp)
		return
	}
	if assessapi.IsNotFound(err) {
		list, noList := d.Run.Attached.List(ctx, at.Position)
		if noList == nil && !has(list, at.ID) {
			d.searchFor(wanted).One(list.Elements, &resp.Diagnostics) // finds none, so it adds the error
			return
		}
	}
	resp.Diagnostics.Append(tf.Failure("Could not read the position assessment", fmt.Sprintf("Could not read position "+
		"assessment %q of position %s.", at.ID, d.Run.Lists.PositionLabel(at.Position)), err))
}

// searchFor returns a search for the position assessment with an ID.
func (d *dataSource) searchFor(id types.String) lookup.Search[assessapi.PositionAssessment] {
	return lookup.Search[assessapi.PositionAssessment]{
		Item: "position assessment", Attribute: "id", Wanted: id,
		Value: func(pa assessapi.PositionAssessment) types.String { return types.StringValue(pa.ID) },
		Describe: func(pa assessapi.PositionAssessment) string {
			if pa.AssessmentID.OrZero() == "" { // as in a list whose elements have only an ID (assumption A7)
				return fmt.Sprintf("%q", pa.ID)
			}
			return fmt.Sprintf("%q of assessment %s", pa.ID, d.Run.Lists.AssessmentLabel(pa.AssessmentID.OrZero()))
		},
	}
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

// Read lists the assessments of the position (see [attachedTo]).
func (d *allDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.Run.Report(&resp.Diagnostics)
	var config types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.Run.Require("read the data source", &resp.Diagnostics) {
		return
	}
	position := tf.StringIn(config, "position_id").ValueString()
	all, _, problem := attachedTo(ctx, d.Run, d.Run.Lists.PositionLabel(position),
		"read each position assessment by its ID, with the data source assess_position_assessment.")
	if problem != nil {
		resp.Diagnostics.Append(problem)
		return
	}
	tf.SaveResults(ctx, config, map[string]attr.Value{
		"assessments": attachedFields(position).List(d.Run.Privacy, all), "ids": tf.IDList(idsOf(all)),
	}, resp)
}
