// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A block is certainly in a configuration if one of its arguments is known and not null, or if none is unknown.
func TestBlockIn(t *testing.T) {
	t.Parallel()
	ids := types.SetType{ElemType: types.StringType}
	kinds := map[string]attr.Type{"ids": ids, "select": types.StringType}
	block := func(ids types.Set, selected types.String) types.Object {
		return types.ObjectValueMust(kinds, map[string]attr.Value{"ids": ids, "select": selected})
	}
	unknown, null := types.StringUnknown(), types.StringNull()
	unknownSet, nullSet := types.SetUnknown(types.StringType), types.SetNull(types.StringType)
	someUnknown := types.SetValueMust(types.StringType, []attr.Value{unknown})
	const absent, possible, certain = "absent", "possible", "certain"
	for name, row := range map[string]struct {
		block types.Object
		want  string
	}{
		"absent":                          {types.ObjectNull(kinds), absent},
		"unknown":                         {types.ObjectUnknown(kinds), possible},
		"empty":                           {block(nullSet, null), certain},
		"known":                           {block(nullSet, types.StringValue("all")), certain},
		"all unknown":                     {block(unknownSet, unknown), possible},
		"unknown, the other not written":  {block(unknownSet, null), possible},
		"unknown, the other known":        {block(unknownSet, types.StringValue("all")), certain},
		"a known set with unknown values": {block(someUnknown, unknown), certain},
	} {
		got := absent
		switch set, unknown := BlockIn(row.block); {
		case set:
			got = certain
		case unknown:
			got = possible
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}
