// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// A message says what differs, because that decides whether candidates must take both. Nothing differs in equal ones.
func TestDifference(t *testing.T) {
	t.Parallel()
	for want, both := range map[string][2]assessapi.Metadata{
		"": {
			{Packages: []string{"x", "y"}, Tests: []string{}, ProfileStatus: new("s")}, {Packages: []string{"y", "x", "y"}},
		},
		`benchmark (existing: "a", here: "b")`:                                       {{Benchmark: new("a")}, {Benchmark: new("b")}},
		`benchmark (existing: none, here: "b")`:                                      {{}, {Benchmark: new("b")}},
		`profile (existing: "a", here: none), tests (only in the existing one: "t")`: {{Profile: new("a"), Tests: []string{"t"}}, {}},
		`profile (existing: completed by a supervisor, here: "a")`: {
			{ProfileStatus: new(assessapi.SupervisorCompleted)}, {Profile: new("a")},
		},
		`packages (only in the existing one: "1", "2", "3" and 2 more), benchmark (existing: "a", here: none)`: {
			{Packages: []string{"1", "2", "3", "4", "5", "6"}, Benchmark: new("a")}, {Packages: []string{"6"}},
		},
		`packages (only here: "p3")`:                            {{Packages: []string{"p1", "p2"}}, {Packages: []string{"p1", "p2", "p3"}}},
		`packages (only in the existing one: "p", "q")`:         {{Packages: []string{"q", "p", "p"}}, {}},
		`tests (only in the existing one: "x"; only here: "y")`: {{Tests: []string{"x", "z"}}, {Tests: []string{"z", "y"}}},
	} {
		existing, here := both[0], both[1]
		if got := rules.Difference(existing, here); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if isEqual := want == ""; existing.Equal(here) != isEqual || here.Equal(existing) != isEqual {
			t.Errorf("%q is equal: %t", want, !isEqual)
		}
	}
}
