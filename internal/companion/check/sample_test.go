// SPDX-License-Identifier: MPL-2.0

package check_test

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
		"it is not read": func(t *testing.T) *sandbox.State { return beside(t, 20) },
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

// severalTests returns enabled skills tests.
func severalTests(count int) (tests []sandbox.SkillsTest) {
	for i := range count {
		var test sandbox.Object
		test.Set("id", fmt.Sprint("skt-", i))
		test.Set("title", fmt.Sprint("Test ", i))
		test.Set("active", true)
		tests = append(tests, sandbox.SkillsTest{Object: test})
	}
	return tests
}

// knows checks a service. It fails unless the check finds these differences, and cannot tell only these assumptions
// besides unseen, with at most 40 requests and no writes. It returns why the check cannot tell them.
func knows(t *testing.T, service *sandboxtest.Service, differences, unknown []string) (says []string) {
	t.Helper()
	got := run(t, service)
	var seen []string
	for _, a := range got.Assumptions {
		if a.Status == "cannot tell" && !slices.Contains(unseen, a.ID) {
			seen, says = append(seen, a.ID), append(says, a.Seen)
		}
	}
	if different := append(got.statuses("not offered"), got.statuses("differs")...); !slices.Equal(different, differences) ||
		!slices.Equal(seen, unknown) || len(service.Writes()) > 0 || got.Requests > 40 {
		t.Errorf("differences %v, unknown %v, %d requests, %d writes:\n%s", different, seen, got.Requests,
			len(service.Writes()), got.text)
	}
	return says
}

// couldNotRead is the reason if a check could not read what shows whether a service meets an assumption.
const couldNotRead = "The check could not read enough to tell."

func assertUnread(t *testing.T, reasons []string) {
	t.Helper()
	for _, reason := range reasons {
		if reason != couldNotRead {
			t.Errorf("the check says %q", reason)
		}
	}
}

// A position assessment can have a skills test of a later page, and one that was disabled later.
func TestAttachedSkillsTests(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]int{"one page": 0, "several pages": 10} {
		var differences []string
		if page > 0 {
			differences = []string{"A24"}
		}
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{MaxPage: page}})
			service.Change(t, func(st *sandbox.State) {
				tests := st.Assessment("asm-workbench").SkillsTests
				workbench(t, st, tests[0], tests[len(tests)-1])
				tests[0].Set("active", false)
			})
			knows(t, service, differences, nil)
		})
	}
}

// An attached test that is not enabled says nothing about the lists, and neither does a list that the key may not read.
func TestAttachedTestsThatAreNotListed(t *testing.T) {
	t.Parallel()
	forbidden := rejects(sandbox.RouteSkillsTests, http.StatusForbidden)
	forbidden.Match = func(r *http.Request) bool { return r.URL.Query().Get("active") == "false" }
	for name, row := range map[string]struct {
		faults               []sandboxtest.Fault
		differences, unknown []string
	}{
		"removed":   {nil, nil, nil},
		"forbidden": {[]sandboxtest.Fault{forbidden}, []string{"A20"}, []string{"A19"}},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{})
			service.Change(t, func(st *sandbox.State) {
				skills := st.Assessment("asm-workbench")
				workbench(t, st, skills.SkillsTests[0])
				skills.SkillsTests = skills.SkillsTests[1:]
			})
			for _, fault := range row.faults {
				service.Inject(fault)
			}
			assertUnread(t, knows(t, service, row.differences, row.unknown))
		})
	}
}

// Even if a list has more pages than a check can read, the check says what the other lists show.
func TestLongLists(t *testing.T) {
	t.Parallel()
	tests := severalTests(600)
	for name, row := range map[string]struct {
		change func(*testing.T, *sandbox.State)
		unread []string // what the check cannot tell
	}{
		"the tests of a position assessment are on the last page": {func(t *testing.T, st *sandbox.State) {
			t.Helper()
			st.Assessment("asm-workbench").SkillsTests = tests
			workbench(t, st, tests[len(tests)-1])
		}, nil},
		"it has nothing else": {func(t *testing.T, st *sandbox.State) {
			t.Helper()
			st.Assessment("asm-workbench").SkillsTests = tests
			workbench(t, st, tests[len(tests)-1])
			position := st.Position(sandbox.DemoResultsPosition)
			for i := range position.Assessments {
				position.Assessments[i].Metadata.Benchmark, position.Assessments[i].Metadata.Profile = "", ""
			}
		}, []string{"A29"}},
		"several lists use up the requests": {func(t *testing.T, st *sandbox.State) {
			t.Helper()
			slices.Reverse(st.Positions) // the one with candidates comes first
			lumen, values := st.Assessment("asm-lumen"), st.Assessment("asm-northlight")
			for i := range 600 {
				lumen.Benchmarks = append(lumen.Benchmarks, sandbox.Benchmark{ID: fmt.Sprint("bmk-", i), Name: "More", Locale: "en-GB"})
				values.Profiles = append(values.Profiles, sandbox.Profile{ID: fmt.Sprint("prf-", i), Name: "More"})
				st.Positions = append(st.Positions, sandbox.Position{ID: fmt.Sprint("pos-", i), Title: fmt.Sprint("Title ", i)})
			}
			st.Assessment("asm-workbench").SkillsTests = tests
			workbench(t, st, tests[0])
		}, []string{"A10"}},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{MaxPage: 20}})
			service.Change(t, func(st *sandbox.State) { row.change(t, st) })
			assertUnread(t, knows(t, service, []string{"A24"}, row.unread))
		})
	}
}

// A title filter that a service rejects (A16) says nothing about titles with accents.
func TestTitleOutsideLatin1(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "", func(t *testing.T) {
		got := run(t, sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{Seed: func() *sandbox.State {
			st := sandbox.Demo()
			st.Positions = append(st.Positions, sandbox.Position{ID: "pos-newest", Title: "Žurnalist", Locale: "en-GB"})
			return st
		}}}))
		if !slices.Contains(got.statuses("ok"), "A17") {
			t.Errorf("A17 is not ok:\n%s", got.text)
		}
	})
}
