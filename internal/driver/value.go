// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Values is an object: attributes and blocks by name. A value is nil, a string, a bool, an int, a json.Number, a list
// ([]any or []string) or Values. What is left out is null.
type Values = map[string]any

// encode returns the value of a type.
func encode(typ tftypes.Type, v any) tftypes.Value {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(typ, nil)
	case []string:
		all := make([]any, len(v))
		for i, text := range v {
			all[i] = text
		}
		return encode(typ, all)
	case []any:
		return encodeList(typ, v)
	case Values:
		return encodeObject(typ, v)
	case json.Number:
		n, _, err := big.ParseFloat(v.String(), 10, 512, big.ToNearestEven)
		if err != nil {
			panic(fmt.Sprintf("driver: %v is not a number", v))
		}
		return tftypes.NewValue(typ, n)
	}
	return tftypes.NewValue(typ, v)
}

func encodeList(typ tftypes.Type, list []any) tftypes.Value {
	var element tftypes.Type
	switch typ := typ.(type) {
	case tftypes.Set:
		element = typ.ElementType
	case tftypes.List:
		element = typ.ElementType
	}
	all := make([]tftypes.Value, len(list))
	for i := range list {
		all[i] = encode(element, list[i])
	}
	return canonical(tftypes.NewValue(typ, all))
}

func encodeObject(typ tftypes.Type, object Values) tftypes.Value {
	all := map[string]tftypes.Value{}
	if m, isMap := typ.(tftypes.Map); isMap {
		for name, v := range object {
			all[name] = encode(m.ElementType, v)
		}
		return tftypes.NewValue(typ, all)
	}
	o, _ := typ.(tftypes.Object)
	for name, t := range o.AttributeTypes {
		all[name] = encode(t, object[name])
	}
	for name := range object {
		if o.AttributeTypes[name] == nil {
			panic(fmt.Sprintf("driver: the schema has no %q", name))
		}
	}
	return tftypes.NewValue(typ, all)
}

// decode is the reverse of encode. What is unknown becomes nil, a number a json.Number, and a list a []any.
func decode(v tftypes.Value) any {
	switch typ := v.Type(); {
	case v.IsNull(), !v.IsKnown():
		return nil
	case typ.Is(tftypes.String):
		var text string
		_ = v.As(&text) // the types match
		return text
	case typ.Is(tftypes.Bool):
		var b bool
		_ = v.As(&b) // the types match
		return b
	case typ.Is(tftypes.Number):
		n := new(big.Float)
		_ = v.As(&n) // the types match
		return json.Number(n.Text('f', -1))
	case typ.Is(tftypes.Object{}), typ.Is(tftypes.Map{}):
		object := Values{}
		for name, member := range members(v) {
			object[name] = decode(member)
		}
		return object
	}
	list := []any{}
	for _, element := range elements(v) {
		list = append(list, decode(element))
	}
	return list
}

// members returns a copy of the attributes of an object, which are none if it is null or unknown.
func members(v tftypes.Value) map[string]tftypes.Value {
	found := map[string]tftypes.Value{}
	if v.IsNull() || !v.IsKnown() || v.As(&found) != nil {
		return map[string]tftypes.Value{}
	}
	return maps.Clone(found)
}

// member returns an attribute of an object, or null.
func member(object tftypes.Value, name string) tftypes.Value {
	if found, ok := members(object)[name]; ok {
		return found
	}
	typ, _ := object.Type().(tftypes.Object)
	return tftypes.NewValue(typ.AttributeTypes[name], nil)
}

func elements(v tftypes.Value) (found []tftypes.Value) {
	if v.IsNull() || !v.IsKnown() || v.As(&found) != nil {
		return nil
	}
	return slices.Clone(found)
}

// canonical sorts the elements of sets, so that equal sets are equal values.
func canonical(v tftypes.Value) tftypes.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	switch v.Type().(type) {
	case tftypes.Object:
		all := members(v)
		for name := range all {
			all[name] = canonical(all[name])
		}
		return tftypes.NewValue(v.Type(), all)
	case tftypes.Set:
		all := elements(v)
		slices.SortFunc(all, func(a, b tftypes.Value) int { return strings.Compare(a.String(), b.String()) })
		return tftypes.NewValue(v.Type(), all)
	}
	return v
}

func null(typ tftypes.Type) tftypes.Value { return tftypes.NewValue(typ, nil) }

// dynamic encodes a value for the protocol.
func dynamic(v tftypes.Value) *tfprotov6.DynamicValue {
	encoded, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		panic(err) // impossible: the value has this type
	}
	return &encoded
}

// proposedNew merges a configuration with the computed values of the prior object, as core does. It knows single nested
// blocks only.
func proposedNew(block *tfprotov6.SchemaBlock, prior, config tftypes.Value) tftypes.Value {
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	merged := members(config)
	for _, a := range block.Attributes {
		if a.Computed && merged[a.Name].IsNull() {
			merged[a.Name] = member(prior, a.Name)
		}
	}
	for _, b := range block.BlockTypes {
		merged[b.TypeName] = proposedNew(b.Block, member(prior, b.TypeName), merged[b.TypeName])
	}
	return tftypes.NewValue(config.Type(), merged)
}

// differsFromConfig describes how a planned object differs from what its configuration allows.
func differsFromConfig(
	block *tfprotov6.SchemaBlock, prior, config, planned tftypes.Value, path string,
) (wrong []string) {
	if planned.IsNull() != config.IsNull() {
		return []string{path + ": planned for absence or existence against the configuration"}
	}
	if planned.IsNull() || !config.IsKnown() || !planned.IsKnown() {
		return nil
	}
	for _, a := range block.Attributes {
		p, c, before := member(planned, a.Name), member(config, a.Name), member(prior, a.Name)
		free := a.Computed && c.IsNull() || p.Equal(before) && !before.IsNull() && !c.IsNull()
		if !free && !p.Equal(c) {
			wrong = append(wrong, fmt.Sprintf("%s.%s: planned %s, but the configuration has %s", path, a.Name, p, c))
		}
	}
	for _, b := range block.BlockTypes {
		name := b.TypeName
		p, c, before := member(planned, name), member(config, name), member(prior, name)
		wrong = append(wrong, differsFromConfig(b.Block, before, c, p, path+"."+name)...)
	}
	return wrong
}

// differsFromPlan describes how a result differs from its plan. What was unknown may be anything.
func differsFromPlan(planned, actual tftypes.Value, path string) (wrong []string) {
	switch {
	case !planned.IsKnown():
		return nil
	case planned.IsNull() || actual.IsNull() || !planned.Type().Is(tftypes.Object{}):
		if planned.IsFullyKnown() && !planned.Equal(actual) {
			return []string{fmt.Sprintf("%s: was %s, but now %s", path, planned, actual)}
		}
		return nil
	}
	after := members(actual)
	for name, before := range members(planned) {
		wrong = append(wrong, differsFromPlan(before, after[name], path+"."+name)...)
	}
	slices.Sort(wrong)
	return wrong
}

// replaces reports whether one of the paths that require a replacement has changed.
func replaces(paths []*tftypes.AttributePath, prior, planned tftypes.Value) bool {
	return slices.ContainsFunc(paths, func(p *tftypes.AttributePath) bool {
		before, _, errBefore := tftypes.WalkAttributePath(prior, p)
		after, _, errAfter := tftypes.WalkAttributePath(planned, p)
		a, okA := before.(tftypes.Value)
		b, okB := after.(tftypes.Value)
		return errBefore == nil && errAfter == nil && okA && okB && (!b.IsKnown() || !a.Equal(b))
	})
}
