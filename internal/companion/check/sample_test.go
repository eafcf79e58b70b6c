// SPDX-License-Identifier: MPL-2.0

package check_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// couldNotRead is the reason if a check could not read what shows whether a service meets an assumption.
const couldNotRead = "The check could not read enough to tell."

// workbench attaches the skills assessment of the demo with some of its tests.
func workbench(t *testing.T, st *sandbox.State, tests ...sandbox.SkillsTest) {
	t.Helper()
	metadata := sandbox.Metadata{}
	for _, test := range tests {
		metadata.Tests = append(metadata.Tests, test.ID())
	}
	if _, err := st.Attach(sandbox.DemoResultsPosition, "asm-workbench", metadata); err != nil {
		t.Fatal(err)
	}
}

// newest adds a position that has an assessment without options and no candidates.
func newest(t *testing.T, st *sandbox.State) {
	t.Helper()
	st.Positions = append(st.Positions, sandbox.Position{ID: "pos-newest", Title: "Žurnalist", Locale: "en-GB"})
	if _, err := st.Attach("pos-newest", "asm-facet", sandbox.Metadata{}); err != nil {
		t.Fatal(err)
	}
}

// A check reads a part of a service, and says what this part does not show. It never takes that as a difference.
func TestPartsOfAService(t *testing.T) {
	t.Parallel()
	const noCandidates = "No position that was read has candidates."
	forbidden := rejects(sandbox.RouteSkillsTests, http.StatusForbidden)
	forbidden.Match = func(r *http.Request) bool { return r.URL.Query().Get("active") == "false" }
	for name, row := range map[string]struct {
		page                 int
		faults               []sandboxtest.Fault
		change               func(*testing.T, *sandbox.State)
		differences, unknown []string // besides unseen
		why                  string
	}{
		// The newest position shows little, so the check reads others. Its title has a character that a filter rejects (A16).
		"another position shows everything": {change: newest},
		"there is no other": {change: func(t *testing.T, st *sandbox.State) {
			t.Helper()
			newest(t, st)
			st.Positions = st.Positions[len(st.Positions)-1:]
		}, unknown: []string{"A12", "A13", "A16", "A17", "A22", "A25", "A29"}, why: noCandidates},
		// A position assessment can have a skills test of a later page, and one that was disabled or removed later.
		"an attached test is on a later page, and another is disabled": {page: 10, change: func(t *testing.T, st *sandbox.State) {
			t.Helper()
			tests := st.Assessment("asm-workbench").SkillsTests
			workbench(t, st, tests[0], tests[len(tests)-1])
			tests[0].Set("active", false)
		}, differences: []string{"A24"}},
		"the list of disabled tests is forbidden": {change: func(t *testing.T, st *sandbox.State) {
			t.Helper()
			skills := st.Assessment("asm-workbench")
			workbench(t, st, skills.SkillsTests[0])
			skills.SkillsTests = skills.SkillsTests[1:]
		}, faults: []sandboxtest.Fault{forbidden}, differences: []string{"A20"}, unknown: []string{"A19"}, why: couldNotRead},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{MaxPage: row.page}})
			service.Change(t, func(st *sandbox.State) { row.change(t, st) })
			for _, fault := range row.faults {
				service.Inject(fault)
			}
			got := run(t, service)
			different := append(got.statuses("not offered"), got.statuses("differs")...)
			isUnseen := func(id string) bool { return slices.Contains(unseen, id) }
			unknown := slices.DeleteFunc(got.statuses("cannot tell"), isUnseen)
			if !slices.Equal(different, row.differences) || !slices.Equal(unknown, row.unknown) ||
				len(service.Writes()) > 0 || got.Requests > 40 {
				t.Errorf("differences %v, unknown %v, %d requests, %d writes:\n%s", different, unknown, got.Requests,
					len(service.Writes()), got.text)
			}
			for _, a := range got.Assumptions {
				if slices.Contains([]string{"A10", "A12", "A19"}, a.ID) && a.Status == "cannot tell" && a.Seen != row.why {
					t.Errorf("%s says %q", a.ID, a.Seen)
				}
			}
		})
	}
}
