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

// attributes returns an object's own attributes, which must not be changed, or nil if it is null or unknown.
func attributes(v tftypes.Value) (found map[string]tftypes.Value) {
	if v.IsNull() || !v.IsKnown() || v.As(&found) != nil {
		return nil
	}
	return found
}

// members returns a copy of an object's attributes, or nil if the object is null or
// unknown.
func members(v tftypes.Value) map[string]tftypes.Value { return maps.Clone(attributes(v)) }

func elements(v tftypes.Value) []tftypes.Value {
	var found []tftypes.Value
	if v.IsNull() || !v.IsKnown() || v.As(&found) != nil {
		return nil
	}
	return slices.Clone(found)
}

// member returns one attribute or block of an object, or null if it is missing.
func member(object tftypes.Value, name string) tftypes.Value {
	if v, ok := attributes(object)[name]; ok {
		return v
	}
	typ, _ := object.Type().(tftypes.Object)
	return tftypes.NewValue(typ.AttributeTypes[name], nil)
}

// canonical sorts the elements of sets like a CLI, so that equal sets are equal values. It keeps all unknown elements,
// because they may turn out to differ.
func canonical(v tftypes.Value) tftypes.Value {
	v, _ = sorted(v)
	return v
}

// sorted is canonical, and reports whether the value has changed, because most have no set.
func sorted(v tftypes.Value) (_ tftypes.Value, changed bool) {
	if v.IsNull() || !v.IsKnown() {
		return v, false
	}
	switch v.Type().(type) {
	case tftypes.Object:
		var all map[string]tftypes.Value
		for name, m := range attributes(v) {
			if m, changed := sorted(m); changed {
				if all == nil {
					all = members(v)
				}
				all[name] = m
			}
		}
		if all == nil {
			return v, false
		}
		return tftypes.NewValue(v.Type(), all), true
	case tftypes.Set:
		all := elements(v)
		if len(all) < 2 {
			return v, false
		}
		slices.SortFunc(all, func(a, b tftypes.Value) int { return cmp.Compare(a.String(), b.String()) })
		same := func(a, b tftypes.Value) bool { return a.IsKnown() && a.Equal(b) }
		return tftypes.NewValue(v.Type(), slices.CompactFunc(all, same)), true
	}
	return v, false
}

// At returns what a path of names leads to in an object, or null.
func At(v tftypes.Value, path ...string) tftypes.Value {
	for _, name := range path {
		v = member(v, name)
	}
	return v
}

// Text returns a string in an object, or "" if it is null or unknown.
func Text(v tftypes.Value, path ...string) string {
	var text *string
	if found := At(v, path...); !found.IsKnown() || found.As(&text) != nil || text == nil {
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

// Encode encodes the value that a configuration (see [Body]) has for a type.
func Encode(typ tftypes.Type, v any) *tfprotov6.DynamicValue { return dynamic(value(typ, v, nil)) }

// stateJSON encodes a value as in a state file.
func stateJSON(v tftypes.Value) json.RawMessage {
	text, err := json.Marshal(Plain(v))
	if err != nil {
		panic(err) // impossible: Plain returns only types that JSON supports
	}
	return text
}

// Plain returns a value as a [json.Decoder] with UseNumber decodes it from JSON. An unknown value becomes nil.
func Plain(v tftypes.Value) any {
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
		return json.Number(n.Text('f', -1))
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		object := map[string]any{}
		for name, m := range attributes(v) {
			object[name] = Plain(m)
		}
		return object
	}
	list := []any{}
	for _, element := range elements(v) {
		list = append(list, Plain(element))
	}
	return list
}
