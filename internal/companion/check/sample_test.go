// SPDX-License-Identifier: MPL-2.0

package check_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

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
	for name, row := range map[string]struct {
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
		}, unknown: []string{"A12", "A13", "A16", "A17", "A22", "A25", "A29"}, why: "No position that was read has candidates."},
		"no title is in ASCII": {change: func(_ *testing.T, st *sandbox.State) {
			for i := range st.Positions {
				st.Positions[i].Title = "Köchin"
			}
		}, unknown: []string{"A16", "A25"}, why: "No position that was read has a title in ASCII with at least two characters."},
		"few requests are left, but there is nothing more to read": {change: func(t *testing.T, st *sandbox.State) {
			t.Helper()
			st.Positions = []sandbox.Position{
				{ID: "pos-1", Title: "Bäcker", Locale: "de-DE"}, {ID: "pos-2", Title: "Köche", Locale: "de-DE"},
			}
			st.Assessments = nil
			for i := range 7 { // 8 requests, and then 4 for each assessment
				assessment := sandbox.Assessment{ID: fmt.Sprint("asm-", i), Kind: sandbox.BehaviouralProfile}
				st.Assessments = append(st.Assessments, assessment)
			}
		}, unknown: []string{"A7", "A10", "A12", "A13", "A16", "A19", "A22", "A25", "A29"}, why: "No assessment that was read has packages."},
		"all skills tests are disabled": {change: func(t *testing.T, st *sandbox.State) {
			t.Helper()
			for i := range st.Assessments {
				for j, test := range st.Assessments[i].SkillsTests {
					disabled := fmt.Sprintf(`{"id":%q,"title":"needle","active":false}`, test.ID())
					st.Assessments[i].SkillsTests[j] = sandboxtest.SkillsTest(t, disabled)
				}
			}
		}, unknown: []string{"A19"}, why: "No assessment that was read has an enabled skills test."},
		// A position assessment can have a skills test that was disabled later, and here nobody may list these.
		"the list of disabled tests is forbidden": {change: func(t *testing.T, st *sandbox.State) {
			t.Helper()
			skills := st.Assessment("asm-workbench")
			metadata := sandbox.Metadata{Tests: []string{skills.SkillsTests[0].ID()}}
			if _, err := st.Attach(sandbox.DemoResultsPosition, "asm-workbench", metadata); err != nil {
				t.Fatal(err)
			}
			skills.SkillsTests = skills.SkillsTests[1:]
		}, differences: []string{"A20"}, unknown: []string{"A19"}, why: "The check could not read enough to tell."},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{})
			service.Change(t, func(st *sandbox.State) { row.change(t, st) })
			service.Inject(sandboxtest.Fault{
				Route: sandbox.RouteSkillsTests, Status: http.StatusForbidden, Times: -1,
				Match: func(r *http.Request) bool { return r.URL.Query().Get("active") == "false" && row.differences != nil },
			})
			got := run(t, service)
			different := append(got.statuses("not offered"), got.statuses("differs")...)
			isUnseen := func(id string) bool { return slices.Contains(unseen, id) }
			unknown := slices.DeleteFunc(got.statuses("cannot tell"), isUnseen)
			if !slices.Equal(different, row.differences) || !slices.Equal(unknown, row.unknown) ||
				!strings.Contains(got.text, row.why) {
				t.Errorf("differences %v, unknown %v:\n%s", different, unknown, got.text)
			}
		})
	}
}
