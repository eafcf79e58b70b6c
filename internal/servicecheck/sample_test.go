// SPDX-License-Identifier: MPL-2.0

package servicecheck_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// beside returns the demo between some empty positions. The last position has an assessment without options, and no
// candidate.
func beside(t *testing.T, empty int) *sandbox.State {
	t.Helper()
	st := sandbox.Demo()
	of := func(end string, i int) []sandbox.Position {
		id := fmt.Sprintf("pos-%s-%d", end, i)
		return []sandbox.Position{{ID: id, Title: id, Locale: "en-GB"}}
	}
	for i := range empty {
		st.Positions = slices.Concat(of("first", i), st.Positions, of("last", i))
	}
	st.Positions = append(st.Positions, sandbox.Position{ID: "pos-newest", Title: "Newest", Locale: "en-GB"})
	if _, err := st.Attach("pos-newest", "asm-facet", sandbox.Metadata{}); err != nil {
		t.Fatal(err)
	}
	return st
}

// The newest position has no candidates, and its assessment has no options. Then a check reads more positions, and says
// what none of them shows.
func TestNewestPositionShowsLittle(t *testing.T) {
	t.Parallel()
	const everything, says = "another position shows everything", `No position that was read has candidates."`
	for name, seed := range map[string]func(*testing.T) *sandbox.State{
		everything:       func(t *testing.T) *sandbox.State { return beside(t, 0) },
		"it is not read": func(t *testing.T) *sandbox.State { return beside(t, 5) },
		"there is no other": func(t *testing.T) *sandbox.State {
			st := beside(t, 0)
			st.Positions = st.Positions[len(st.Positions)-1:]
			return st
		},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{
				Options: sandbox.Options{Seed: func() *sandbox.State { return seed(t) }}, Latency: 100 * time.Millisecond,
			})
			got := run(t, service)
			for _, id := range []string{"A12", "A13", "A22", "A29"} {
				if unseen := slices.Contains(got.statuses("cannot tell"), id); unseen != (name != everything) {
					t.Errorf("the check cannot tell %s: %t", id, unseen)
				}
			}
			if strings.Contains(got.text, says) != (name != everything) || service.Count(http.MethodGet, "") > 40 ||
				len(got.statuses("differs")) > 0 {
				t.Errorf("the check says:\n%s", got.text)
			}
		})
	}
}

// A position assessment can have a skills test of a later page, and one that was disabled later.
func TestAttachedSkillsTests(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]int{"one page": 0, "several pages": 10} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{MaxPage: page}})
			service.Change(t, func(st *sandbox.State) {
				tests := st.Assessment("asm-workbench").SkillsTests
				metadata := sandbox.Metadata{Tests: []string{tests[0].ID(), tests[len(tests)-1].ID()}}
				if _, err := st.Attach(sandbox.DemoResultsPosition, "asm-workbench", metadata); err != nil {
					t.Fatal(err)
				}
				tests[0].Set("active", false)
			})
			if got := run(t, service); slices.Contains(got.statuses("differs"), "A29") {
				t.Errorf("the check says:\n%s", got.text)
			}
		})
	}
}
