// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// with returns a configuration that contains some blocks, by name.
func with(blocks map[string]rules.Block) rules.Desired {
	return rules.Desired{
		Packages: blocks["packages"], Benchmark: blocks["benchmark"], Profile: blocks["profile"], Tests: blocks["tests"],
	}
}

// TestExclusiveBlocks tests rule 14. Only packages and benchmark can be combined. A
// dynamic block that may be absent is not rejected.
func TestExclusiveBlocks(t *testing.T) {
	t.Parallel()
	names := []string{"packages", "benchmark", "profile", "tests"}
	for i, a := range names {
		for _, b := range names[i+1:] {
			for _, written := range []bool{true, false} {
				var want []messages.Rule
				if written && a+b != "packagesbenchmark" {
					want = []messages.Rule{rules.ExclusiveBlocks}
				}
				got := rules.CheckBlocks(with(map[string]rules.Block{a: {Set: true}, b: {Set: written, Unknown: !written}}))
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
		blocks map[string]rules.Block
		warned bool
	}{
		{map[string]rules.Block{"packages": unknownBlock, "benchmark": unknownBlock}, false},
		{map[string]rules.Block{"packages": unknownBlock}, false},
		{map[string]rules.Block{"packages": unknownBlock, "profile": unknownBlock}, true},
		{map[string]rules.Block{"benchmark": {Set: true}, "tests": unknownBlock}, true},
	} {
		got := rules.CheckPossible(with(row.blocks))
		if messages.Rejects(got) || (len(got) == 1) != row.warned {
			t.Errorf("%+v: %+v", row, got)
		}
	}
}

func TestIncompleteBlocks(t *testing.T) {
	t.Parallel()
	incomplete := []messages.Rule{rules.IncompleteBlock}
	assertFindings(t, rules.CheckBlocks(rules.Desired{Tests: rules.Block{Set: true}}))
	assertFindings(t, rules.CheckBlocks(rules.Desired{Tests: rules.Block{Null: true}}))
	assertFindings(t, rules.CheckBlocks(rules.Desired{Packages: rules.Block{Set: true, Null: true}})) // with select
	got := rules.CheckBlocks(rules.Desired{Tests: rules.Block{Set: true, Null: true}})
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
	rejected := rules.CheckBlocks(rules.Desired{Profile: ids("prf"), Tests: ids("skt")})
	warnings := messages.AsWarnings(rejected)
	if !messages.Rejects(rejected) || messages.Rejects(warnings) || len(warnings) != len(rejected) {
		t.Errorf("%+v became %+v", rejected, warnings)
	}
}
