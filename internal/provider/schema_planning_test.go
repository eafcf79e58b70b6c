// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
)

var defaulted = stringdefault.StaticString("x")

// plannedBelowSets returns the attributes and blocks below a set that have a default or
// plan modifiers.
func plannedBelowSets(
	path string, below bool, attributes map[string]schema.Attribute, blocks map[string]schema.Block,
) (found []string) {
	for name, a := range attributes {
		at := path + "." + name
		if below && isPlanned(a) {
			found = append(found, at)
		}
		switch a := a.(type) {
		case schema.SingleNestedAttribute:
			found = append(found, plannedBelowSets(at, below, a.Attributes, nil)...)
		case schema.ListNestedAttribute:
			found = append(found, plannedBelowSets(at, below, a.NestedObject.Attributes, nil)...)
		case schema.MapNestedAttribute:
			found = append(found, plannedBelowSets(at, below, a.NestedObject.Attributes, nil)...)
		case schema.SetNestedAttribute:
			found = append(found, plannedBelowSets(at, true, a.NestedObject.Attributes, nil)...)
		}
	}
	for name, b := range blocks {
		at := path + "." + name
		if below && isPlanned(b) {
			found = append(found, at)
		}
		switch b := b.(type) {
		case schema.SingleNestedBlock:
			found = append(found, plannedBelowSets(at, below, b.Attributes, b.Blocks)...)
		case schema.ListNestedBlock:
			found = append(found, plannedBelowSets(at, below, b.NestedObject.Attributes, b.NestedObject.Blocks)...)
		case schema.SetNestedBlock:
			found = append(found, plannedBelowSets(at, true, b.NestedObject.Attributes, b.NestedObject.Blocks)...)
		}
	}
	return found
}

// isPlanned reports whether an element has a default or plan modifiers. Every kind of
// attribute has its own fields for them, with the same names.
func isPlanned(element any) bool {
	v := reflect.ValueOf(element)
	for _, name := range []string{"Default", "PlanModifiers"} {
		if field := v.FieldByName(name); field.IsValid() && !field.IsZero() {
			return true
		}
	}
	return false
}
