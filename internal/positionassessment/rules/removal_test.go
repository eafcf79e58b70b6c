// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// A removal, a replacement and an ID that only became unknown say what happens, and how to keep the object.
func TestRemovalSaysWhy(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		removal rules.Removal
		says    []string
	}{
		"removal":     {rules.Removal{}, []string{"removes position assessment", "undo the change", "-depends_on"}},
		"replacement": {rules.Removal{Replaces: true}, []string{"replaces position assessment", "undo the change"}},
		"unknown": {
			rules.Removal{Replaces: true, Unknown: "position_id"},
			[]string{"only because position_id is not known yet", "depends_on", "with -target", "-undo the change that"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := row.removal
			r.Names, r.ID = names, "pas"
			assertRules(t, rules.CheckRemoval(r))
			assertRules(t, rules.CheckSupervised(r, true))
			r.Invited, r.Supervised = 2, true
			assertSays(t, rules.CheckRemoval(r), append(row.says, "2 candidates have been invited", "deposed")...)
			supervised := rules.CheckSupervised(r, false)
			assertSays(t, supervised, append(row.says, "permanently deletes that work")...)
			if shown := strings.Contains(supervised[0].Detail, "  moved {"); shown == r.Replaces {
				t.Errorf("whether it shows how to move it: %v", shown)
			}
			if !finding.Refuses(rules.CheckRemoval(r)) || finding.Refuses(rules.CheckSupervised(r, false)) {
				t.Error("want a refusal of the removal, and a warning about the profile")
			}
			r.Forget = true
			assertSays(t, rules.CheckRemoval(r), append(row.says, `"forget"`)...)
			if finding.Refuses(rules.CheckRemoval(r)) {
				t.Error("what may be forgotten is refused")
			}
		})
	}
}

// If core shows no warning, the plan is refused, and says how to get one.
func TestSupervisedWithoutAWarning(t *testing.T) {
	t.Parallel()
	removal := rules.Removal{Names: names, ID: "pas", Replaces: true, Supervised: true}
	found := rules.CheckSupervised(removal, true)
	assertRules(t, found, rules.ProfileDeleted)
	assertSays(t, found, "taint 'ADDRESS'", "drop -replace or")
	if !finding.Refuses(found) {
		t.Error("not refused")
	}
}

// Core does not tell whether an instance is tainted, so the plan can only warn.
func TestMaybeReplaced(t *testing.T) {
	t.Parallel()
	r := rules.Removal{Names: names, ID: "pas"}
	assertRules(t, rules.MaybeReplaced(r))
	r.Supervised, r.Invited = true, 1
	found := rules.MaybeReplaced(r)
	assertRules(t, found, rules.ProfileDeleted, rules.RefusedRemoval)
	assertSays(t, found, "if only its address has changed, move it:\n\n  moved {", "may be tainted", "untaint 'ADDRESS'",
		"1 candidate has been invited")
	if finding.Refuses(found) {
		t.Error("refused")
	}
}
