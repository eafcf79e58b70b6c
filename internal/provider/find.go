// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// extraAttribute contains the members that the provider does not model.
func extraAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "Members of the service's answer that have no attribute here, as a JSON object with sorted " +
			"members. Null if there are none.",
	}
}

// criterion is a way to find one of many.
type criterion[T any] struct {
	name   string
	wanted types.String // null if it is not a criterion
	of     func(T) types.String
}

// only returns the one element that meets the criterion. If there is none, or
// several, it says how many, and which.
func only[T any](all []T, noun string, criteria []criterion[T], shown func(T) string, diags *diag.Diagnostics) *T {
	i := slices.IndexFunc(criteria, func(c criterion[T]) bool { return !c.wanted.IsNull() })
	c := criteria[i] // a validator ensures that exactly one is set
	var found, near []T
	for _, element := range all {
		switch value := c.of(element); {
		case value.Equal(c.wanted):
			found = append(found, element)
		case isNear(value.ValueString(), c.wanted.ValueString()):
			near = append(near, element)
		}
	}
	at := path.Root(c.name)
	names := func(list []T) string {
		texts := make([]string, len(list))
		for i, element := range list {
			texts[i] = shown(element)
		}
		return rules.OneOf(texts)
	}
	switch {
	case len(found) == 1:
		return &found[0]
	case len(found) > 1:
		diags.AddAttributeError(at, fmt.Sprintf("Several %ss found", noun), fmt.Sprintf(
			"%d %ss have the %s %s: %s.\n\nTo fix this: look one of them up by its id.",
			len(found), noun, c.name, c.wanted, names(found)))
	case len(near) > 0:
		diags.AddAttributeError(at, fmt.Sprintf("No %s found", noun), fmt.Sprintf(
			"None of %d %ss has the %s %s. Similar: %s.", len(all), noun, c.name, c.wanted, names(near)))
	default:
		diags.AddAttributeError(at, fmt.Sprintf("No %s found", noun), fmt.Sprintf(
			"None of %d %ss has the %s %s. Available: %s.", len(all), noun, c.name, c.wanted, names(all)))
	}
	return nil
}

// isNear reports a value that differs in case, spaces or a few characters, or
// contains the other.
func isNear(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))
	return a != "" && b != "" &&
		(strings.Contains(a, b) || strings.Contains(b, a) || levenshtein.Distance(a, b, nil) <= len(b)/5)
}
