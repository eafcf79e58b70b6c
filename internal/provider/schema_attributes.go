// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// extraAttribute contains the members that the provider does not model.
func extraAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "Members of the service's answer that have no attribute here, as a JSON object with sorted " +
			"members. Null if there are none.",
	}
}

// requiredID is the id of something that a data source belongs to.
func requiredID(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required: true, Validators: []validator.String{identifier{}}, MarkdownDescription: description,
	}
}

// idsAttribute lists ids in the order of the service.
func idsAttribute(description string) schema.ListAttribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// idsByName maps names to ids.
func idsByName(description string) schema.MapAttribute {
	return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}
