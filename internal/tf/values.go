// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Blocks are read as objects and not as structs, because a whole block may be unknown. The attributes of an absent
// block are null, which is the zero value of their types. The attributes of an unknown block are unknown.

// BlockIn returns whether a configuration contains a block. unknown is true if this is not known yet.
//
// If the for_each of a dynamic block is not known yet, as in each validation of a module, the CLI sends a block whose
// arguments are all unknown or null. So a block with at least one unknown argument and no known value may turn out to
// be absent. If no argument is unknown, the configuration contains the block, even if all arguments are null.
func BlockIn(value types.Object) (set, unknown bool) {
	if value.IsNull() {
		return false, false
	}
	unknown = value.IsUnknown()
	for _, argument := range value.Attributes() {
		if !argument.IsNull() && !argument.IsUnknown() {
			return true, false
		}
		unknown = unknown || argument.IsUnknown()
	}
	return !unknown, unknown
}

// HasBlock reports whether a plan or a state contains a block. A block of a plan that may turn out to be absent (see
// [BlockIn]) counts, because no CLI applies a plan whose block turns out to be absent.
func HasBlock(value types.Object) bool {
	set, unknown := BlockIn(value)
	return set || unknown
}

func StringIn(block types.Object, name string) types.String {
	if block.IsUnknown() {
		return types.StringUnknown()
	}
	value, _ := block.Attributes()[name].(types.String)
	return value
}

func BoolIn(block types.Object, name string) types.Bool {
	value, _ := block.Attributes()[name].(types.Bool)
	return value
}

func Float64In(block types.Object, name string) types.Float64 {
	value, _ := block.Attributes()[name].(types.Float64)
	return value
}

func IDsIn(block types.Object) types.Set {
	if block.IsUnknown() {
		return types.SetUnknown(types.StringType)
	}
	value, _ := block.Attributes()["ids"].(types.Set)
	return value
}

// IDSet returns a set of ids. Duplicates are dropped.
func IDSet(ids []string) types.Set {
	once := slices.Compact(slices.Sorted(slices.Values(ids)))
	return types.SetValueMust(types.StringType, idValues(once))
}

// IDList returns a list of ids in the same order.
func IDList(ids []string) types.List { return types.ListValueMust(types.StringType, idValues(ids)) }

// IDMap returns a map of ids by name.
func IDMap(ids map[string]string) types.Map {
	values := make(map[string]attr.Value, len(ids))
	for name, id := range ids {
		values[name] = types.StringValue(id)
	}
	return types.MapValueMust(types.StringType, values)
}

func idValues(ids []string) []attr.Value {
	values := make([]attr.Value, len(ids))
	for i, id := range ids {
		values[i] = types.StringValue(id)
	}
	return values
}

// ObjectList converts items to a list of objects in the same order.
func ObjectList[T any](of map[string]attr.Type, things []T, values func(T) map[string]attr.Value) types.List {
	objects := make([]attr.Value, len(things))
	for i, thing := range things {
		objects[i] = types.ObjectValueMust(of, values(thing))
	}
	return types.ListValueMust(types.ObjectType{AttrTypes: of}, objects)
}

// AttributeTypes returns the types of attributes.
func AttributeTypes(attributes map[string]schema.Attribute) map[string]attr.Type {
	of := make(map[string]attr.Type, len(attributes))
	for name, attribute := range attributes {
		of[name] = attribute.GetType()
	}
	return of
}

// ElementTypes returns the types of the attributes of the objects in a list. It returns nil for every other type.
func ElementTypes(list attr.Type) map[string]attr.Type {
	objects, _ := list.(types.ListType)
	object, _ := objects.ElemType.(types.ObjectType)
	return object.AttrTypes
}

// NumberOrNull converts a number of any size. Nil becomes null.
func NumberOrNull(n *big.Float) types.Number {
	if n == nil {
		return types.NumberNull()
	}
	return types.NumberValue(n)
}

// KnownIDs returns the ids of a set, and false if the set or one of the ids is unknown. A null set has no ids.
func KnownIDs(set types.Set) ([]string, bool) {
	if set.IsUnknown() {
		return nil, false
	}
	ids := make([]string, 0, len(set.Elements()))
	for _, element := range set.Elements() {
		id, ok := element.(types.String)
		if !ok || id.IsUnknown() {
			return nil, false
		}
		ids = append(ids, id.ValueString())
	}
	return ids, true
}

// Text returns a text, or "" if it is missing.
func Text(s *string) string { return types.StringPointerValue(s).ValueString() }

// NameOr returns a name, or the id if the name is missing.
func NameOr(name *string, id string) string { return cmp.Or(Text(name), id) }

// DurationOr returns the duration in value. If value contains no duration, DurationOr returns its second parameter.
func DurationOr(value types.String, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(value.ValueString()); err == nil {
		return d
	}
	return otherwise
}
