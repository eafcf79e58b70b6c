// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// assertSays checks the only finding, of which the detail matches all patterns. An empty rule means no finding.
func assertSays(t *testing.T, got []messages.Finding, rule messages.Rule, isWarning bool, patterns ...string) {
	t.Helper()
	if rule.Summary == "" && len(got) == 0 {
		return
	}
	if len(got) != 1 || got[0].Summary != rule.Summary || got[0].Warning != isWarning {
		t.Fatalf("got %+v, want %q", got, rule.Summary)
	}
	for _, pattern := range patterns {
		if !regexp.MustCompile("(?s)" + pattern).MatchString(got[0].Detail) {
			t.Errorf("%q does not match %q", got[0].Detail, pattern)
		}
	}
}

// TestRemoval tests rule 15: the ways out of a rejected removal begin with the one that a reviewer sees.
func TestRemoval(t *testing.T) {
	t.Parallel()
	const waysOut = `removed \{.*on_refused_removal = "forget".*state rm.* For single instances of count or for_each`
	invited := rules.Candidates{Invited: 2, Completed: 1}
	for name, row := range map[string]struct {
		removal  rules.Removal
		rule     messages.Rule
		warns    bool
		patterns []string
	}{
		"nobody is invited": {removal: rules.Removal{}},
		"two are invited": {rules.Removal{Candidates: invited, ID: "pas"}, rules.RejectedRemoval, false, []string{
			`This plan removes position assessment "pas" of assessment "Lumen" \(ability\) on position "Engineer" \(pos\)\.`,
			"2 candidates have been invited to it, and 1 candidate has completed it", waysOut,
		}},
		"at least one is invited": {
			rules.Removal{Candidates: rules.Candidates{Invited: 1, AtLeast: true}},
			rules.RejectedRemoval, false,
			[]string{`At least 1 candidate has been invited to it\. The service`}, // others may have completed it
		},
		"forget": {rules.Removal{Candidates: invited, Forget: true}, rules.RejectedRemoval, true, []string{"only removes it from the state"}},
		"replaced, because an ID is not known": {
			rules.Removal{Candidates: invited, Replaces: true, Unknown: "position_id"},
			rules.RejectedRemoval, false,
			[]string{"This plan replaces .*, only because position_id is not known yet.*make position_id known when you plan"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.removal.Names = names
			assertSays(t, rules.CheckRemoval(row.removal), row.rule, row.warns, row.patterns...)
		})
	}
}

func TestSupervisedRemoval(t *testing.T) {
	t.Parallel()
	assertSays(t, rules.CheckSupervised(rules.Removal{}), messages.Rule{}, true)
	removed := rules.CheckSupervised(rules.Removal{Supervised: true})
	assertSays(t, removed, rules.ProfileDeleted, true, "permanently deletes that work.*moved \\{")
	replaced := rules.CheckSupervised(rules.Removal{Supervised: true, Replaces: true})
	assertSays(t, replaced, rules.ProfileDeleted, true, "This plan replaces")
	if strings.Contains(replaced[0].Detail, "moved {") {
		t.Errorf("a moved block does not prevent a replacement: %s", replaced[0].Detail)
	}
}

// Scores and rankings of candidates are affected only if there are any.
func TestCandidates(t *testing.T) {
	t.Parallel()
	assertSays(t, rules.CheckScores(names, rules.Candidates{Invited: 1, AtLeast: true}), messages.Rule{}, true)
	three := rules.CheckScores(names, rules.Candidates{Completed: 3})
	assertSays(t, three, rules.ScoresDiffer, true, `^3 candidates have completed assessment "Lumen"`, "not known yet")
	more := rules.CheckScores(names, rules.Candidates{Completed: 1, AtLeast: true})
	assertSays(t, more, rules.ScoresDiffer, true, `^At least 1 candidate has completed assessment "Lumen"`)
	assertSays(t, rules.CheckRanking(names, 11, true), rules.RankingLost, true, "^At least 11 candidates have a suitability")
}

// A plan says that its apply fails because of what the position has, or what an adoption does to it.
func TestAttachedAlready(t *testing.T) {
	t.Parallel()
	assertSays(t, rules.CheckAttached(names, "pas"), rules.AlreadyAttached, true, `"pas".*block moved.*id = "pos/pas"`)
	for says, existing := range map[string]rules.Existing{
		"sends nothing.*may remove it first, and then.*-target.*state rm":                                 {ID: "pas"},
		`What differs: benchmark \(existing: "b"`:                                                         {ID: "pas", Differs: `benchmark (existing: "b", here: none)`},
		"not known yet. If anything differs, the apply also sends":                                        {ID: "pas", Unknown: true},
		"does not show how the existing one.*invited.*or a supervisor.*does not show this.*fails instead": {ID: "pas", Hidden: true},
	} {
		assertSays(t, rules.CheckAdoption(names, existing), rules.WillBeAdopted, true, says)
	}
}

// A difference names the blocks, and of long lists only the IDs that one side lacks.
func TestDifference(t *testing.T) {
	t.Parallel()
	bmk, prf := "bmk", "prf"
	five := []string{"p1", "p2", "p3", "p4", "p5"}
	for want, row := range map[string]struct {
		existing, here assessapi.Configuration
		status         string
	}{
		"": {
			existing: assessapi.Configuration{Tests: []string{"a", "b"}}, here: assessapi.Configuration{Tests: []string{"b", "a"}},
		},
		`packages (only in the existing one: "p1", "p2", "p3", "p4"; only here: "p6")`: {
			existing: assessapi.Configuration{Packages: five}, here: assessapi.Configuration{Packages: []string{"p5", "p6"}},
		},
		`benchmark (existing: "bmk", here: none)`: {existing: assessapi.Configuration{Benchmark: &bmk}},
		`profile (existing: completed by a supervisor, here: "prf")`: {
			here: assessapi.Configuration{Profile: &prf}, status: assessapi.SupervisorCompleted,
		},
	} {
		if got := rules.Difference(row.existing, row.here, row.status); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
