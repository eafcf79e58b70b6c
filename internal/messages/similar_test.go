// SPDX-License-Identifier: MPL-2.0

package messages

import (
	"strings"
	"testing"
)

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

// TestLatin1 tests rule 13.
func TestLatin1(t *testing.T) {
	t.Parallel()
	for text, rejected := range map[string]string{
		"": "", "pos-Züri": "", "ÿ": "", "pos-Łódź": `'Ł' (U+0141)`,
		"日": `'日' (U+65E5)`,
	} {
		problem := Latin1(text)
		if (problem != "") != (rejected != "") || !strings.Contains(problem, rejected) {
			t.Errorf("%q: %q, want %q", text, problem, rejected)
		}
	}
}

func TestSameLocale(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		same bool
	}{{"en-GB", "en_gb", true}, {"EN-gb", "en-GB", true}, {"en-GB", "en-US", false}, {"en", "en-GB", false}} {
		if SameLocale(row.a, row.b) != row.same {
			t.Errorf("%q and %q: want %t", row.a, row.b, row.same)
		}
	}
}
