// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Replacing returns a required string attribute of a resource. A change of its value replaces the resource. rules are
// validators such as [Identifier] and [Latin1].
func Replacing(description string, rules ...validator.String) resourceschema.StringAttribute {
	return resourceschema.StringAttribute{
		Required: true, Validators: rules,
		MarkdownDescription: description + " If you change it, the resource is replaced.",
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

// KeptString returns a computed string attribute of a resource. Updates do not change its value.
func KeptString(description string) resourceschema.StringAttribute {
	return resourceschema.StringAttribute{
		Computed: true, MarkdownDescription: description,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// RequiredID is a required argument that is an id.
func RequiredID(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required: true, Validators: []validator.String{Identifier}, MarkdownDescription: description,
	}
}

func ComputedString(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func ComputedFloat(description string) schema.Float64Attribute {
	return schema.Float64Attribute{Computed: true, MarkdownDescription: description}
}

// IDsAttribute is a computed list of ids.
func IDsAttribute(description string) schema.ListAttribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// IDsByName is a computed map of ids by name.
func IDsByName(description string) schema.MapAttribute {
	return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// SelfLink describes the attribute self_link of a thing.
func SelfLink(thing string) string { return "URL of the " + thing + " in the service." }

// Field is a computed attribute of the objects that a data source returns. The function Value returns the value of the
// attribute for one object.
type Field[T any] struct {
	Name      string
	Attribute schema.Attribute
	Value     func(Privacy, T) attr.Value
}

// StringField returns a string field, which is null if the service does not return it.
func StringField[T any](name, description string, of func(T) *string) Field[T] {
	return Field[T]{name, ComputedString(description), func(_ Privacy, object T) attr.Value {
		return types.StringPointerValue(of(object))
	}}
}

// PersonalField returns a string field that can contain data about people. It is null in strict mode.
func PersonalField[T any](name, description string, sensitive bool, of func(T) *string) Field[T] {
	attribute := schema.StringAttribute{Computed: true, Sensitive: sensitive, MarkdownDescription: description}
	return Field[T]{name, attribute, func(p Privacy, object T) attr.Value {
		return p.Personal(types.StringPointerValue(of(object)))
	}}
}

// ExtraField returns the field extra_json, which contains the members of a response that the provider does not model.
func ExtraField[T any](sensitive bool, of func(T) *string) Field[T] {
	return PersonalField("extra_json", "Other data of the service, as JSON, or null.", sensitive, of)
}

// Fields are all computed attributes of the objects that a data source returns.
type Fields[T any] []Field[T]

// Attributes are the attributes of a schema.
func (fields Fields[T]) Attributes() map[string]schema.Attribute {
	all := map[string]schema.Attribute{}
	for _, f := range fields {
		all[f.Name] = f.Attribute
	}
	return all
}

// Values are the values of the attributes of an object.
func (fields Fields[T]) Values(p Privacy, object T) map[string]attr.Value {
	all := map[string]attr.Value{}
	for _, f := range fields {
		all[f.Name] = f.Value(p, object)
	}
	return all
}

// List is the value of an attribute that contains several objects.
func (fields Fields[T]) List(p Privacy, objects []T) types.List {
	values := func(object T) map[string]attr.Value { return fields.Values(p, object) }
	return ObjectList(AttributeTypes(fields.Attributes()), objects, values)
}

// SaveResults saves the arguments of a data source together with its results.
func SaveResults(
	ctx context.Context, config types.Object, results map[string]attr.Value, resp *datasource.ReadResponse,
) {
	values := config.Attributes()
	maps.Copy(values, results)
	state, diags := types.ObjectValue(config.AttributeTypes(ctx), values)
	if !diags.HasError() {
		diags = resp.State.Set(ctx, state)
	}
	resp.Diagnostics.Append(diags...)
}
