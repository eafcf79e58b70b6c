// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

var (
	pos   = assessapi.Label{ID: "pos/1", Name: "Title"}
	names = rules.Names{Position: pos, Assessment: assessapi.Label{ID: "asm"}}
)

// assertRules fails the test unless the findings, refusals or warnings, are of these rules.
func assertRules(t *testing.T, found []finding.Finding, want ...finding.Rule) {
	t.Helper()
	var got []finding.Rule
	for _, f := range found {
		got = append(got, f.Rule)
	}
	if !slices.Equal(got, want) {
		t.Errorf("found by the rules %v, want %v: %+v", got, want, found)
	}
}

// assertSays fails the test unless the text of the findings contains all texts, and none of those after "-".
func assertSays(t *testing.T, found []finding.Finding, texts ...string) {
	t.Helper()
	var all strings.Builder
	for _, f := range found {
		all.WriteString(f.Detail + "\n")
	}
	for _, text := range texts {
		text, absent := strings.CutPrefix(text, "-")
		if strings.Contains(all.String(), text) == absent {
			t.Errorf("the findings contain %q: %t\n%s", text, !absent, all.String())
		}
	}
}

// What a position has already is a warning, whatever it is, because another resource of the plan may still change it.
func TestWhatThePositionHas(t *testing.T) {
	t.Parallel()
	equal := rules.Existing{ID: "pas", Comparable: true, Same: true}
	with := func(change func(*rules.Existing)) []rules.Existing {
		e := equal
		change(&e)
		return []rules.Existing{e}
	}
	known := func(e *rules.Existing) { e.InState = true }
	other := func(e *rules.Existing) { e.Same, e.Differs = false, "benchmark" }
	otherKnown := func(e *rules.Existing) { e.Same, e.InState = false, true }
	second := rules.Existing{ID: "pas-2", Comparable: true, Same: true}
	for name, row := range map[string]struct {
		existing []rules.Existing
		adopts   bool
		want     []finding.Rule
		says     []string
	}{
		"nothing":     {},
		"equal":       {[]rules.Existing{equal}, false, []finding.Rule{rules.AlreadyAttached}, []string{`"pas"`, "import {", `"pos%2F1/pas"`, "-moved {"}},
		"equal, held": {with(known), false, []finding.Rule{rules.AlreadyAttached}, []string{`"pas"`, "moved {", "-import {", `"pos%2F1/pas"`}},
		"equal, adopted": {
			[]rules.Existing{equal}, true, []finding.Rule{rules.WillBeAdopted}, []string{
				"adopt_existing", "adopts it, or attaches anew if this plan removes", "-To fix this",
			},
		},
		"two equal": {
			[]rules.Existing{equal, second}, false, []finding.Rule{rules.AlreadyAttached}, []string{`"pas"`, `"pas-2"`},
		},
		"two equal, adopted": {
			[]rules.Existing{equal, second}, true, []finding.Rule{rules.AttachedOften}, []string{
				"all of them but one", "remove the others in the service", "-ASSESS_ADOPT_EXISTING=true",
			},
		},
		"another configuration": {
			with(other), false, []finding.Rule{rules.AttachedTwice}, []string{
				"a different configuration", "What differs: benchmark. ", "candidates take both", "import {",
			},
		},
		"another configuration, held": {existing: with(otherKnown)},
		"another configuration, adopted": {
			with(other), true, []finding.Rule{rules.WillNotBeAdopted}, []string{"the apply fails", "unset adopt_existing"},
		},
		"another configuration, held, adopted": {
			with(otherKnown), true, []finding.Rule{rules.WillNotBeAdopted}, []string{"the apply fails"},
		},
		"an equal one beside another, adopted": {
			append(with(other), second), true, []finding.Rule{rules.WillBeAdopted}, []string{`"pas-2"`, `-"pas"`},
		},
		"an equal one beside another": {
			append(with(other), second), false, []finding.Rule{rules.AlreadyAttached, rules.AttachedTwice}, []string{
				"The apply fails", "-The apply attaches a second one", "If the apply succeeds",
			},
		},
		"a mute service": {
			with(func(e *rules.Existing) { e.Same, e.Comparable = false, false }), false,
			[]finding.Rule{rules.AttachedTwice},
			[]string{"cannot compare", "candidates take both"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := rules.CheckAttached(names, row.existing, row.adopts)
			assertRules(t, got, row.want...)
			if finding.Refuses(got) {
				t.Errorf("refused: %+v", got)
			}
			assertSays(t, got, row.says...)
		})
	}
}

// A configuration that is not known yet cannot be compared, so that the plan only warns.
func TestUnknownDuplicate(t *testing.T) {
	t.Parallel()
	got := rules.UnknownDuplicate(names, []rules.Existing{{ID: "pas-1"}, {ID: "pas-2"}}, false)
	assertRules(t, got, rules.AlreadyAttached)
	assertSays(t, got, `"pas-1"`, `"pas-2"`, "not known yet")
	if finding.Refuses(got) {
		t.Errorf("refused: %+v", got)
	}
	assertRules(t, rules.UnknownDuplicate(names, nil, true))
}

// Two facts that contradict each other refuse a plan.
func TestContradictions(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		found  []finding.Finding
		rule   finding.Rule
		warns  bool
		advice string
	}{
		"planned twice":        {rules.PlannedTwice(names), rules.Duplicate, false, "remove one of the two"},
		"maybe planned twice":  {rules.MaybePlannedTwice(names), rules.Duplicate, true, "remove one of the two"},
		"adopts what is kept":  {rules.AdoptsKept(names), rules.Duplicate, false, "remove one of the two"},
		"forgotten":            {rules.ForgottenDuplicate(rules.Removal{Names: names, ID: "pas"}), rules.Duplicate, false, "moved {"},
		"imported and removed": {rules.ImportedAndRemoved(pos, "pas"), rules.ImportRemoved, false, "moved {"},
		"kept and removed":     {rules.KeptAndRemoved(pos, "pas"), rules.KeptRemoved, false, "state rm 'ADDRESS'"},
		"kept twice":           {rules.KeptTwice(pos, "pas"), rules.KeptRemoved, true, "state rm 'ADDRESS'"},
	} {
		assertRules(t, row.found, row.rule)
		assertSays(t, row.found, row.advice, `"pos/1" ("Title")`)
		if finding.Refuses(row.found) == row.warns {
			t.Errorf("%s: refuses is %t", name, !row.warns)
		}
	}
}
