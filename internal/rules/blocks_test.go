// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// TestBlocks tests assumption A29.
func TestBlocks(t *testing.T) {
	t.Parallel()
	some := func(block string) rules.Offer { return rules.Offer{Block: block, Some: true} }
	hidden := func(block string) rules.Offer { return rules.Offer{Block: block, Hidden: true} }
	for name, row := range map[string]struct {
		offers             []rules.Offer
		accepted, required []string
	}{
		"nothing": {[]rules.Offer{{Block: "packages"}, {Block: "tests"}}, nil, nil},
		"packages and benchmarks": {
			[]rules.Offer{some("packages"), some("benchmark")}, []string{"packages", "benchmark"}, []string{"packages"},
		},
		"tests":    {[]rules.Offer{some("tests")}, []string{"tests"}, []string{"tests"}},
		"profiles": {[]rules.Offer{some("profile")}, []string{"profile"}, nil},
		"hidden": {
			[]rules.Offer{hidden("packages"), hidden("benchmark"), hidden("profile"), hidden("tests")},
			[]string{"packages", "benchmark", "profile", "tests"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			accepted, required := rules.Blocks(row.offers)
			if !slices.Equal(accepted, row.accepted) || !slices.Equal(required, row.required) {
				t.Errorf("accepts %q and requires %q, want %q and %q", accepted, required, row.accepted, row.required)
			}
		})
	}
}
