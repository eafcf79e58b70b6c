// SPDX-License-Identifier: MPL-2.0

package rules

import "testing"

// Every constant from the first rule to the last has a summary.
func TestEveryRuleHasASummary(t *testing.T) {
	t.Parallel()
	for rule := UnknownAssessment; rule <= ProfileDeleted; rule++ {
		if Summaries[rule] == "" {
			t.Errorf("rule %d has no summary", rule)
		}
	}
	if n := len(Summaries); n != int(ProfileDeleted) {
		t.Errorf("%d summaries, want %d", n, ProfileDeleted)
	}
}
