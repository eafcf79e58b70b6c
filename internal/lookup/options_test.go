// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"slices"
	"testing"
)

// TestBlocks tests assumption A29.
func TestBlocks(t *testing.T) {
	t.Parallel()
	some := func(block string) offer { return offer{block: block, some: true} }
	hidden := func(block string) offer { return offer{block: block, hidden: true} }
	for name, row := range map[string]struct {
		offers             []offer
		accepted, required []string
	}{
		"nothing": {[]offer{{block: "packages"}, {block: "tests"}}, nil, nil},
		"packages and benchmarks": {
			[]offer{some("packages"), some("benchmark")}, []string{"packages", "benchmark"}, []string{"packages"},
		},
		"tests":    {[]offer{some("tests")}, []string{"tests"}, []string{"tests"}},
		"profiles": {[]offer{some("profile")}, []string{"profile"}, nil},
		"hidden": {
			[]offer{hidden("packages"), hidden("benchmark"), hidden("profile"), hidden("tests")},
			[]string{"packages", "benchmark", "profile", "tests"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			accepted, required := blocksOf(row.offers)
			if !slices.Equal(accepted, row.accepted) || !slices.Equal(required, row.required) {
				t.Errorf("accepts %q and requires %q, want %q and %q", accepted, required, row.accepted, row.required)
			}
		})
	}
}
