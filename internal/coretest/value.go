// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// members returns a copy of an object's attributes, or nil if the object is null or
// unknown.
func members(v tftypes.Value) map[string]tftypes.Value {
	var found map[string]tftypes.Value
	if v.IsNull() || !v.IsKnown() || v.As(&found) != nil {
		return nil
	}
	return maps.Clone(found) // As returns the value's own map
}

func elements(v tftypes.Value) []tftypes.Value {
	var found []tftypes.Value
	if v.IsNull() || !v.IsKnown() || v.As(&found) != nil {
		return nil
	}
	return slices.Clone(found)
}

// member returns one attribute or block of an object, or null if it is missing.
func member(object tftypes.Value, name string) tftypes.Value {
	if v, ok := members(object)[name]; ok {
		return v
	}
	typ, _ := object.Type().(tftypes.Object)
	return tftypes.NewValue(typ.AttributeTypes[name], nil)
}

// canonical sorts the elements of sets like a CLI, so that equal sets are equal values. It keeps all unknown elements,
// because they may turn out to differ.
func canonical(v tftypes.Value) tftypes.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	switch v.Type().(type) {
	case tftypes.Object:
		all := members(v)
		for name, m := range all {
			all[name] = canonical(m)
		}
		return tftypes.NewValue(v.Type(), all)
	case tftypes.Set:
		all := elements(v)
		slices.SortFunc(all, func(a, b tftypes.Value) int { return cmp.Compare(a.String(), b.String()) })
		same := func(a, b tftypes.Value) bool { return a.IsKnown() && a.Equal(b) }
		return tftypes.NewValue(v.Type(), slices.CompactFunc(all, same))
	}
	return v
}

// Text returns a string attribute of a value, or "" if it is null or unknown.
func Text(v tftypes.Value, name string) string {
	var text *string
	if m := member(v, name); !m.IsKnown() || m.As(&text) != nil || text == nil {
		return ""
	}
	return *text
}

// dynamic encodes a value for the provider.
func dynamic(v tftypes.Value) *tfprotov6.DynamicValue {
	encoded, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		panic(err) // impossible: the value has this type
	}
	return &encoded
}

// stateJSON encodes a value as in a state file.
func stateJSON(v tftypes.Value) json.RawMessage {
	text, err := json.Marshal(plain(v))
	if err != nil {
		panic(err) // impossible: plain returns only types that JSON supports
	}
	return text
}

func plain(v tftypes.Value) any {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	switch {
	case v.Type().Is(tftypes.String):
		var s string
		_ = v.As(&s) // the types match
		return s
	case v.Type().Is(tftypes.Bool):
		var b bool
		_ = v.As(&b) // the types match
		return b
	case v.Type().Is(tftypes.Number):
		n := new(big.Float)
		_ = v.As(&n) // the types match
		return json.Number(n.Text('g', -1))
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		object := map[string]any{}
		for name, m := range members(v) {
			object[name] = plain(m)
		}
		return object
	}
	list := []any{}
	for _, element := range elements(v) {
		list = append(list, plain(element))
	}
	return list
}
