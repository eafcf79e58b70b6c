// SPDX-License-Identifier: MPL-2.0

package rules

import "testing"

func TestSimilar(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"Customer Support Adviser, Leeds", "customer support adviser leeds"}, {"asm-quartet", "Quartet"},
	} {
		if !Similar(pair[0], pair[1]) {
			t.Errorf("%q is not similar to %q", pair[0], pair[1])
		}
	}
	if Similar("asm-lumen", "asm-facet") {
		t.Error("ids that have only their prefix in common are similar")
	}
}
