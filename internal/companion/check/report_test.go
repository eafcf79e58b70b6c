// SPDX-License-Identifier: MPL-2.0

package check

import "testing"

// Nothing changes only if the provider understands each difference.
func TestEffectOfSeveralDifferences(t *testing.T) {
	t.Parallel()
	const understood = "The provider understands this too, so nothing changes."
	const lost = "The attribute is null. Read the field from raw_json."
	for _, row := range []struct {
		names  []string
		effect string
	}{
		{[]string{"names", "text"}, understood},
		{[]string{"names", "missing"}, lost},
		{[]string{"missing", "names"}, lost},
	} {
		all := newFindings()
		for _, name := range row.names {
			all.differs("A12", name)
		}
		if got := all.of("A12").Effect; got != row.effect {
			t.Errorf("%v: %s, want %s", row.names, got, row.effect)
		}
	}
}
