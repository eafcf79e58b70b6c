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
	"github.com/assessascode/terraform-provider-assess/internal/run"
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

type attached = assessapi.PositionAssessment

// attachedFields returns the attributes of an assessment on a position, as the service returns it. Unlike the model of
// the resource, they contain nothing from a configuration. An attribute that the service does not return is null, and
// so is each of the objects packages, benchmark, profile and tests. position is the value of position_id. It can be ""
// if the fields are only for a schema.
func attachedFields(position string) tf.Fields[attached] {
	return tf.Fields[attached]{
		tf.StringField("position_id", "ID of the position.", func(attached) *string { return &position }),
		tf.StringField("id", "ID of the position assessment.", func(a attached) *string { return &a.ID }),
		tf.StringField("assessment_id", "ID of the attached assessment.",
			func(a attached) *string { return a.AssessmentID.Value }),
		idsField("packages", "packages", "Packages of a multi-game cognitive assessment. Null if the service returns none.",
			func(m assessapi.Metadata) []string { return m.Packages.OrZero() }),
		idField("benchmark", "Benchmark (comparison group). Null if the service returns none.",
			func(m assessapi.Metadata) *string { return m.Benchmark.Value }),
		idField("profile", "Attached profile. Null if no profile is attached, or if a supervisor has replaced it, because "+
			"the service then returns no ID.", func(m assessapi.Metadata) *string { return m.Profile.Value }),
		idsField("tests", "skills tests", "Tests of a skills assessment. Null if the service returns none.",
			func(m assessapi.Metadata) []string { return m.Tests.OrZero() }),
		tf.StringField("profile_status", profileStatus, func(a attached) *string { return a.Metadata.ProfileStatus.Value }),
		tf.PersonalField("profile_url", profileURL, true, func(a attached) *string { return a.Metadata.ProfileURL.Value }),
		{
			Name: "self_link", Attribute: tf.ComputedString(tf.SelfLink("position assessment")),
			Value: func(p tf.Privacy, a attached) attr.Value { return p.SelfLink(a.SelfLink) },
		},
		tf.ExtraField(true, func(a attached) *string { return a.Extra }),
	}
}

// idsField returns a field that is an object with the attribute ids. The parameter what names the items in the
// description of ids, such as "skills tests". The object is null if the parameter of, a function, returns nil.
func idsField(name, what, description string, of func(assessapi.Metadata) []string) tf.Field[attached] {
	attribute := tf.IDsAttribute("IDs of the " + what + ", in the order of the service.")
	return nestedField(name, description, "ids", attribute, func(m assessapi.Metadata) attr.Value {
		if all := of(m); all != nil {
			return tf.IDList(all)
		}
		return types.ListNull(types.StringType)
	})
}

// idField returns a field that is an object with the attribute id. The object is null if the parameter of, a function,
// returns nil.
func idField(name, description string, of func(assessapi.Metadata) *string) tf.Field[attached] {
	attribute := tf.ComputedString("ID of the " + name + ".")
	return nestedField(name, description, "id", attribute, func(m assessapi.Metadata) attr.Value {
		return types.StringPointerValue(of(m))
	})
}

// nestedField returns a field that is an object with one attribute, key. The object is null if value returns null.
func nestedField(
	name, description, key string, attribute schema.Attribute, value func(assessapi.Metadata) attr.Value,
) tf.Field[attached] {
	object := schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: description, Attributes: map[string]schema.Attribute{key: attribute},
	}
	members := tf.AttributeTypes(object.Attributes)
	valueOf := func(_ tf.Privacy, pa attached) attr.Value {
		if shown := value(pa.Metadata); !shown.IsNull() {
			return types.ObjectValueMust(members, map[string]attr.Value{key: shown})
		}
		return types.ObjectNull(members)
	}
	return tf.Field[attached]{Name: name, Attribute: object, Value: valueOf}
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
// of the position. If the list contains the ID after all, or cannot be read, Read returns the error of the position
// assessment's own request.
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

// Read lists the assessments of the position. If the service returns no such list, the error says that the position may
// not exist, or that the service may have no such list.
func (d *allDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.Run.Report(&resp.Diagnostics)
	var config types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.Run.Require("read the data source", &resp.Diagnostics) {
		return
	}
	position := tf.StringIn(config, "position_id").ValueString()
	what := fmt.Sprintf("Could not list the assessments of position %s.", d.Run.Lists.PositionLabel(position))
	list, err := d.Run.Attached.List(ctx, position)
	if assessapi.IsNoList(err) {
		resp.Diagnostics.Append(tf.ErrorIn(tf.Responses, tf.ListAttached, what+" "+run.Response(err)+" Either the position "+
			"does not exist, or this service has no such list.\n\nTo fix this: check the ID of the position. If the service "+
			"has no such list, read each position assessment by its ID, with the data source assess_position_assessment."))
		return
	}
	var all []assessapi.PositionAssessment
	if err == nil {
		all, err = d.Run.ReadWhole(ctx, position, list.Elements, forDataSource)
	}
	if err != nil {
		resp.Diagnostics.Append(tf.Failure(tf.ListAttached, what, err))
		return
	}
	tf.SaveResults(ctx, config, map[string]attr.Value{
		"assessments": attachedFields(position).List(d.Run.Privacy, all), "ids": tf.IDList(idsOf(all)),
	}, resp)
}
