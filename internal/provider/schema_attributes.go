// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// replacingID is a required id of a resource, which is replaced if the id changes.
func replacingID(description string) resourceschema.StringAttribute {
	return resourceschema.StringAttribute{
		Required: true, Validators: []validator.String{identifier}, MarkdownDescription: description,
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

// keptString is a computed string of a resource that no update changes.
func keptString(description string) resourceschema.StringAttribute {
	return resourceschema.StringAttribute{
		Computed: true, MarkdownDescription: description,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// keepsNull plans no change of a setting that has a default, if a state of an earlier version has null.
type keepsNull struct{}

func (keepsNull) Description(context.Context) string { return "null in the state means the default" }

func (m keepsNull) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepsNull) PlanModifyString(
	_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse,
) {
	if !req.State.Raw.IsNull() && req.StateValue.IsNull() && req.ConfigValue.IsNull() {
		resp.PlanValue = req.StateValue
	}
}

// extraAttribute is the attribute for members of a response that the provider does not model.
func extraAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: "Other data of the service, as JSON, or null.",
	}
}

// requiredID is a required argument that is an id.
func requiredID(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required: true, Validators: []validator.String{identifier}, MarkdownDescription: description,
	}
}

func computedString(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func computedFloat(description string) schema.Float64Attribute {
	return schema.Float64Attribute{Computed: true, MarkdownDescription: description}
}

// idsAttribute is a computed list of ids.
func idsAttribute(description string) schema.ListAttribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// idsByName is a computed map of ids by name.
func idsByName(description string) schema.MapAttribute {
	return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// selfLink describes the attribute self_link of a thing.
func selfLink(thing string) string {
	return "URL of the " + thing + " in the service."
}
