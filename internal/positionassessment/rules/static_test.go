// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// TestExclusiveBlocks tests rule 14. Only packages and benchmark can be combined. A dynamic block that may be absent is
// not rejected.
func TestExclusiveBlocks(t *testing.T) {
	t.Parallel()
	set := rules.Block{Set: true}
	assertFindings(t, rules.CheckBlocks(rules.Desired{Packages: set, Benchmark: set}))
	assertFindings(t, rules.CheckBlocks(rules.Desired{Packages: set, Tests: unknownBlock}))
	got := rules.CheckBlocks(rules.Desired{Benchmark: set, Profile: set})
	assertFindings(t, got, rules.ExclusiveBlocks)
	if !strings.Contains(got[0].Detail, `"benchmark" and "profile"`) || !slices.Equal(got[0].Path, []string{"profile"}) {
		t.Errorf("got %+v", got[0])
	}
	assertFindings(t, rules.CheckBlocks(rules.Desired{Packages: set, Profile: set, Tests: set}),
		rules.ExclusiveBlocks, rules.ExclusiveBlocks, rules.ExclusiveBlocks)
}

// A plan with two blocks that exclude each other cannot be applied, even if one of them may turn out to be absent.
func TestPossibleBlocks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		blocks rules.Desired
		warned bool
	}{
		{rules.Desired{Packages: unknownBlock, Benchmark: unknownBlock}, false},
		{rules.Desired{Packages: unknownBlock}, false},
		{rules.Desired{Packages: unknownBlock, Profile: unknownBlock}, true},
		{rules.Desired{Benchmark: rules.Block{Set: true}, Tests: unknownBlock}, true},
	} {
		got := rules.CheckPossible(row.blocks)
		if (len(got) == 1) != row.warned || row.warned &&
			(!got[0].Warning || !strings.Contains(got[0].Detail, "contains both, and not all values are known yet")) {
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
