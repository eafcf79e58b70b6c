// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Values is an object as in JSON: attributes and blocks by name. What is left out is null.
type Values = map[string]any

// encode returns an object of a type.
func encode(typ tftypes.Type, object Values) tftypes.Value {
	text, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("driver: %v is not JSON: %v", object, err))
	}
	v, err := tfprotov6.DynamicValue{JSON: text}.Unmarshal(typ)
	if err != nil {
		panic(fmt.Sprintf("driver: %s does not fit the schema: %v", text, err))
	}
	return canonical(v)
}

// decode is the reverse of encode. What is unknown becomes nil, and a number a json.Number.
func decode(v tftypes.Value) any {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	switch typ := v.Type(); {
	case typ.Is(tftypes.String):
		var text string
		_ = v.As(&text) // the types match, here and below
		return text
	case typ.Is(tftypes.Bool):
		var b bool
		_ = v.As(&b)
		return b
	case typ.Is(tftypes.Number):
		n := new(big.Float)
		_ = v.As(&n)
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

// members returns the attributes and blocks of an object, which are none if it is null or unknown.
func members(v tftypes.Value) map[string]tftypes.Value {
	found := map[string]tftypes.Value{}
	if v.IsNull() || !v.IsKnown() || v.As(&found) != nil {
		return nil
	}
	return found
}

// member returns an attribute or a block of an object, or null.
func member(object tftypes.Value, name string) tftypes.Value {
	if found, ok := members(object)[name]; ok {
		return found
	}
	typ, _ := object.Type().(tftypes.Object)
	return null(typ.AttributeTypes[name])
}

// elements returns a copy of the elements of a list or a set.
func elements(v tftypes.Value) (found []tftypes.Value) {
	_ = v.As(&found) // the types match
	return slices.Clone(found)
}

// canonical sorts the elements of sets, so that equal sets are equal values.
func canonical(v tftypes.Value) tftypes.Value {
	sorted, err := tftypes.Transform(v, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if !v.Type().Is(tftypes.Set{}) || v.IsNull() || !v.IsKnown() {
			return v, nil
		}
		all := elements(v)
		slices.SortFunc(all, func(a, b tftypes.Value) int { return strings.Compare(a.String(), b.String()) })
		return tftypes.NewValue(v.Type(), all), nil
	})
	if err != nil {
		panic(err) // impossible: the types stay the same
	}
	return sorted
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

// proposedNew merges a configuration with the computed values of the prior object, as core does. All blocks are single.
func proposedNew(block *tfprotov6.SchemaBlock, prior, config tftypes.Value) tftypes.Value {
	if config.IsNull() {
		return config
	}
	merged := map[string]tftypes.Value{}
	for _, a := range block.Attributes {
		merged[a.Name] = member(config, a.Name)
		if a.Computed && merged[a.Name].IsNull() {
			merged[a.Name] = member(prior, a.Name)
		}
	}
	for _, b := range block.BlockTypes {
		merged[b.TypeName] = proposedNew(b.Block, member(prior, b.TypeName), member(config, b.TypeName))
	}
	return tftypes.NewValue(config.Type(), merged)
}

// differences describes how a result differs from its plan, in which unknown values stand for any value.
func differences(planned, actual tftypes.Value, path string) (wrong []string) {
	switch {
	case !planned.IsKnown():
		return nil
	case planned.IsNull(), actual.IsNull(), !planned.Type().Is(tftypes.Object{}):
		if planned.IsFullyKnown() && !planned.Equal(actual) {
			return []string{fmt.Sprintf("%s was planned as %s, and is %s", path, planned, actual)}
		}
		return nil
	}
	for name, before := range members(planned) {
		wrong = append(wrong, differences(before, member(actual, name), path+"."+name)...)
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
