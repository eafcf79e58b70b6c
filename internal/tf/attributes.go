// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Replacing is a required string of a resource, such as an [Identifier] or [Latin1]. A change replaces the resource.
func Replacing(description string, rules ...validator.String) resourceschema.StringAttribute {
	return resourceschema.StringAttribute{
		Required: true, Validators: rules,
		MarkdownDescription: description + " If you change it, the resource is replaced.",
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

// KeptString is a computed string of a resource that no update changes.
func KeptString(description string) resourceschema.StringAttribute {
	return resourceschema.StringAttribute{
		Computed: true, MarkdownDescription: description,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// ExtraDescription describes the attribute for members of a response that the provider does not model.
const ExtraDescription = "Other data of the service, as JSON, or null."

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
func SelfLink(thing string) string {
	return "URL of the " + thing + " in the service."
}
