// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// TestExclusiveBlocks tests rule 14. Only packages and benchmark can be combined. A
// dynamic block that may be absent is not refused.
func TestExclusiveBlocks(t *testing.T) {
	t.Parallel()
	names := []string{"packages", "benchmark", "profile", "tests"}
	for i, a := range names {
		for _, b := range names[i+1:] {
			for _, written := range []bool{true, false} {
				var blocks []rules.NamedBlock
				for _, name := range names {
					set := name == a || name == b && written
					blocks = append(blocks, rules.NamedBlock{Name: name, Set: set, Unknown: name == b && !set})
				}
				var want []finding.Rule
				if written && a+b != "packagesbenchmark" {
					want = []finding.Rule{rules.ExclusiveBlocks}
				}
				got := rules.CheckBlocks(blocks)
				assertFindings(t, got, want...)
				for _, f := range got {
					if !strings.Contains(f.Detail, `"`+a+`"`) || !slices.Equal(f.Path, []string{b}) {
						t.Errorf("%s and %s: %+v", a, b, f)
					}
				}
			}
		}
	}
}

// A plan with two blocks that exclude each other cannot be applied, even if one of them may turn out to be absent.
func TestPossibleBlocks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b   rules.NamedBlock
		warned bool
	}{
		{rules.NamedBlock{Name: "packages", Unknown: true}, rules.NamedBlock{Name: "benchmark", Unknown: true}, false},
		{rules.NamedBlock{Name: "packages", Unknown: true}, rules.NamedBlock{Name: "profile"}, false},
		{rules.NamedBlock{Name: "packages", Unknown: true}, rules.NamedBlock{Name: "profile", Unknown: true}, true},
		{rules.NamedBlock{Name: "benchmark", Set: true}, rules.NamedBlock{Name: "tests", Unknown: true}, true},
	} {
		got := rules.CheckPossible([]rules.NamedBlock{row.a, row.b})
		if finding.Refuses(got) || (len(got) == 1) != row.warned {
			t.Errorf("%+v: %+v", row, got)
		}
	}
}

func TestIncompleteBlocks(t *testing.T) {
	t.Parallel()
	incomplete := []finding.Rule{rules.IncompleteBlock}
	complete := rules.NamedBlock{Name: "tests", Set: true, Key: "ids"}
	null := complete
	null.Missing = true
	assertFindings(t, rules.CheckBlocks([]rules.NamedBlock{complete}))
	got := rules.CheckBlocks([]rules.NamedBlock{null})
	assertFindings(t, got, incomplete...)
	if !slices.Equal(got[0].Path, []string{"tests", "ids"}) {
		t.Errorf("the path is %q", got[0].Path)
	}
	assertFindings(t, rules.CheckSelection(true, false))
	assertFindings(t, rules.CheckSelection(false, true))
	assertFindings(t, rules.CheckSelection(true, true), incomplete...)
	assertFindings(t, rules.CheckSelection(false, false), incomplete...)
}

// The plan may create an object again, with warnings, if Read just found that it no
// longer exists.
func TestAsWarnings(t *testing.T) {
	t.Parallel()
	refused := rules.CheckBlocks([]rules.NamedBlock{
		{Name: "profile", Set: true}, {Name: "tests", Set: true},
	})
	warnings := finding.AsWarnings(refused)
	if !finding.Refuses(refused) || finding.Refuses(warnings) || len(warnings) != len(refused) {
		t.Errorf("%+v became %+v", refused, warnings)
	}
}
