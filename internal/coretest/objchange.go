// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The functions below support what the schemas of this provider use: primitive
// attributes, sets of primitives, and single nested blocks.

// proposedNew merges a configuration with the computed values of the prior object.
func proposedNew(schema *tfprotov6.SchemaBlock, prior, config tftypes.Value) tftypes.Value {
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	merged := members(config)
	for _, a := range schema.Attributes {
		if a.Computed && merged[a.Name].IsNull() {
			merged[a.Name] = member(prior, a.Name)
		}
	}
	for _, b := range schema.BlockTypes {
		merged[b.TypeName] = proposedNew(b.Block, member(prior, b.TypeName), merged[b.TypeName])
	}
	return tftypes.NewValue(config.Type(), merged)
}

// ignoreChanges replaces configured values by prior values.
func ignoreChanges(schema *tfprotov6.SchemaBlock, names []string, prior, config tftypes.Value) tftypes.Value {
	if prior.IsNull() || len(names) == 0 {
		return config
	}
	if slices.Contains(names, "all") {
		return withoutComputed(schema, prior)
	}
	merged := members(config)
	for _, name := range names {
		merged[name] = member(prior, name)
	}
	return tftypes.NewValue(config.Type(), merged)
}

func withoutComputed(schema *tfprotov6.SchemaBlock, object tftypes.Value) tftypes.Value {
	all := members(object)
	if all == nil {
		return object
	}
	for _, a := range schema.Attributes {
		if a.Computed && !a.Optional {
			all[a.Name] = tftypes.NewValue(a.Type, nil)
		}
	}
	for _, b := range schema.BlockTypes {
		all[b.TypeName] = withoutComputed(b.Block, all[b.TypeName])
	}
	return tftypes.NewValue(object.Type(), all)
}

// checkPlan returns the differences between a planned object and its configuration.
func checkPlan(schema *tfprotov6.SchemaBlock, prior, config, planned tftypes.Value, path string) []string {
	if planned.IsNull() != config.IsNull() {
		return []string{fmt.Sprintf("%s: planned for absence or existence against the configuration", path)}
	}
	if planned.IsNull() {
		return nil
	}
	var wrong []string
	for _, a := range schema.Attributes {
		p, c, before := member(planned, a.Name), member(config, a.Name), member(prior, a.Name)
		switch {
		case p.Equal(c), p.Equal(before) && !before.IsNull() && !c.IsNull():
		case a.Computed && !a.Optional, a.Computed && c.IsNull():
		default:
			const differs = "%s.%s: planned value %s does not match config value %s nor prior value %s"
			wrong = append(wrong, fmt.Sprintf(differs, path, a.Name, p, c, before))
		}
	}
	for _, b := range schema.BlockTypes {
		p, c, at := member(planned, b.TypeName), member(config, b.TypeName), path+"."+b.TypeName
		switch {
		case p.Equal(c):
		case !c.IsKnown():
			wrong = append(wrong, at+": planned a value for an unknown dynamic block")
		case !p.IsKnown():
			wrong = append(wrong, at+": planned an unknown value for a block")
		default:
			wrong = append(wrong, checkPlan(b.Block, member(prior, b.TypeName), c, p, at)...)
		}
	}
	return wrong
}

// checkCompatible returns the differences between a result and its plan. Only values
// that were unknown may differ.
func checkCompatible(planned, actual tftypes.Value, path string) []string {
	switch {
	case !planned.IsKnown():
		return nil
	case planned.IsNull() != actual.IsNull():
		return []string{fmt.Sprintf("%s: was %s, but now %s", path, planned, actual)}
	case !actual.IsKnown():
		return []string{path + ": was known, but now unknown"}
	case planned.IsNull():
		return nil
	case planned.Type().Is(tftypes.Object{}):
		var wrong []string
		after := attributes(actual)
		for name, before := range attributes(planned) {
			wrong = append(wrong, checkCompatible(before, after[name], path+"."+name)...)
		}
		slices.Sort(wrong)
		return wrong
	case planned.IsFullyKnown() && !planned.Equal(actual):
		return []string{fmt.Sprintf("%s: was %s, but now %s", path, planned, actual)}
	}
	return nil
}

// replacing reports whether one of the paths that require a replacement has changed.
func replacing(paths []*tftypes.AttributePath, prior, planned tftypes.Value) bool {
	return slices.ContainsFunc(paths, func(p *tftypes.AttributePath) bool {
		before, _, errBefore := tftypes.WalkAttributePath(prior, p)
		after, _, errAfter := tftypes.WalkAttributePath(planned, p)
		a, okA := before.(tftypes.Value)
		b, okB := after.(tftypes.Value)
		return errBefore == nil && errAfter == nil && okA && okB && (!b.IsKnown() || !a.Equal(b))
	})
}
