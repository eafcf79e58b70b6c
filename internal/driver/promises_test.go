// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// count returns how often a position has an assessment.
func count(w *driver.Workspace, position, assessment string) int {
	return len(attached(w.Service.Snapshot(), position, assessment))
}

// Core starts creations of one key at the same time. At a service with a latency, all of them would look before one of
// them has attached.
func TestOneKeyInTwoResources(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{false, true} {
		virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
			w.Provider["adopt_existing"] = adopts
			for _, name := range []string{"a", "b", "c"} {
				w.Config[resource+"."+name] = attach("pos-1", asmPlain, nil)
			}
			applied := w.Apply(planned(t, w))
			if n := len(applied.Errors().Saying("Duplicate position and assessment")); n != 2 || len(applied.Errors()) != 2 {
				t.Errorf("adopt_existing is %t: %v", adopts, applied.Errors())
			}
			if n := count(w, "pos-1", asmPlain); n != 1 {
				t.Errorf("adopt_existing is %t: attached %d times", adopts, n)
			}
		})
	}
}

// Twenty keys get other addresses without moved blocks. At most two applies complete that, and nothing is lost or
// attached twice. With adopt_existing, one apply completes it.
func TestRenames(t *testing.T) {
	t.Parallel()
	const keys = 20
	for _, parallelism := range []int{1, 10} {
		for _, adopts := range []bool{false, true} {
			t.Run(fmt.Sprintf("parallelism %d, adopt_existing %t", parallelism, adopts), func(t *testing.T) {
				t.Parallel()
				virtual(t, asDocumented, positions(keys), func(t *testing.T, w *driver.Workspace) {
					w.Parallelism, w.Provider["adopt_existing"] = parallelism, adopts
					configure := func(prefix string) {
						clear(w.Config)
						for i := range keys {
							w.Config[fmt.Sprintf("%s.%s%d", resource, prefix, i)] = attach(fmt.Sprintf("pos-%d", i+1), asmPlain, nil)
						}
					}
					configure("old")
					apply(t, w)
					configure("new")
					w.Apply(planned(t, w))
					if !adopts { // the first apply may only remove
						w.Apply(planned(t, w))
					}
					if left := planned(t, w).Actions(); len(left) > 0 {
						t.Errorf("the plan has %d changes", len(left))
					}
					for i := range keys {
						if n := count(w, fmt.Sprintf("pos-%d", i+1), asmPlain); n != 1 {
							t.Errorf("pos-%d has it %d times", i+1, n)
						}
					}
				})
			})
		}
	}
}

// The list shows less than the fetch. Each plan still knows the status of a profile, so a destroy warns, and no status
// becomes null.
func TestSupervisorBehindPoorLists(t *testing.T) {
	t.Parallel()
	const noStatus = "whose list does not show the status"
	for _, service := range []string{asDocumented, linksOnly, unsigned, mute, noStatus} {
		virtual(t, service, organization, func(t *testing.T, w *driver.Workspace) {
			if service == noStatus {
				w.Service.Hook(func(r *driver.Request, next func() driver.Response) driver.Response {
					response := next()
					if r.Is(http.MethodGet, sandbox.RoutePositionAssessments) {
						response.Body = []byte(strings.ReplaceAll(string(response.Body), `"profile`, `"x-profile`))
					}
					return response
				})
			}
			w.Config[resource+".a"] = attach("pos-1", asmValues, nil)
			apply(t, w)
			complete(t, w.Service, "pos-1")
			w.Apply(planned(t, w)) // refreshes the state
			if got := w.State[resource+".a"].Text("profile_status"); got != sandbox.SupervisorCompleted {
				t.Errorf("a service %s: the status is %q", service, got)
			}
			clear(w.Config)
			plan := planned(t, w)
			if len(plan.Warnings().Saying("Supervisor's profile will be deleted")) != 1 {
				t.Errorf("a service %s: the destroy warns %v", service, plan.Warnings())
			}
		})
	}
}

// The list omits one key of metadata that the fetch shows. The state keeps its block, and a plan fetches each position
// assessment instead of reading the lists of the other positions.
func TestListLacksKey(t *testing.T) {
	t.Parallel()
	virtual(t, asDocumented, positions(3), func(t *testing.T, w *driver.Workspace) {
		w.Service.Hook(func(r *driver.Request, next func() driver.Response) driver.Response {
			response := next()
			if r.Is(http.MethodGet, sandbox.RoutePositionAssessments) {
				response.Body = []byte(strings.ReplaceAll(string(response.Body), `"benchmark"`, `"x-benchmark"`))
			}
			return response
		})
		block := driver.Values{"benchmark": driver.Values{"id": "bmk-lumen-graduates-en-gb"}}
		for _, position := range []string{"pos-1", "pos-2", "pos-3"} {
			w.Config[resource+"."+position] = attach(position, asmCognitive, block)
		}
		w.Parallelism = 1
		apply(t, w)
		w.Apply(planned(t, w)) // stores which keys reads have shown
		before := len(w.Service.Journal())
		if changes := planned(t, w).Actions(); len(changes) > 0 {
			t.Errorf("the plan has changes: %v", changes)
		}
		lists, fetches := 0, 0
		for _, r := range w.Service.Journal()[before:] {
			switch {
			case r.Is(http.MethodGet, sandbox.RoutePositionAssessments):
				lists++
			case r.Is(http.MethodGet, sandbox.RoutePositionAssessment):
				fetches++
			}
		}
		if lists != 1 || fetches != 3 {
			t.Errorf("the plan reads %d lists and %d position assessments, want 1 and 3", lists, fetches)
		}
	})
}

// Terraform 1.9 to 1.11 plan a removal with the state from before their refresh. The plan still warns about what a
// supervisor has done since then, so its apply removes it. An apply removes nothing that its plan did not warn about.
func TestRemovalIsPlannedBeforeItIsRead(t *testing.T) {
	t.Parallel()
	for service := range services {
		virtual(t, service, organization, func(t *testing.T, w *driver.Workspace) {
			w.Config[resource+".a"] = attach("pos-1", asmValues, nil)
			apply(t, w)
			clear(w.Config)
			w.OldState = true
			unaware := planned(t, w)
			complete(t, w.Service, "pos-1")
			applied := w.Apply(unaware)
			if len(applied.Errors().Saying("plan again")) != 1 || count(w, "pos-1", asmValues) != 1 {
				t.Errorf("a service %s: the apply says %v", service, applied.Diagnostics)
			}
			plan := planned(t, w)
			if len(plan.Warnings().Saying("Supervisor's profile will be deleted")) != 1 {
				t.Errorf("a service %s: the plan warns %v", service, plan.Warnings())
			}
			if applied = w.Apply(plan); applied.Failed() || count(w, "pos-1", asmValues) != 0 {
				t.Errorf("a service %s: the apply says %v", service, applied.Diagnostics)
			}
		})
	}
}

// With -refresh=false, a plan warns only about the work that it has read, whatever the plan of a failed removal has read
// before. So the apply of a replacement does not remove what its own plan has not shown.
func TestReplacementAfterFailedRemoval(t *testing.T) {
	t.Parallel()
	virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
		w.Config[resource+".a"] = attach("pos-1", asmValues, nil)
		apply(t, w)
		clear(w.Config)
		w.NoRefresh = true
		complete(t, w.Service, "pos-1")
		isDown := true
		w.Service.Hook(func(r *driver.Request, next func() driver.Response) driver.Response {
			if isDown && r.Is(http.MethodDelete, sandbox.RoutePositionAssessment) {
				return driver.Response{Status: http.StatusConflict, Body: []byte("{}")}
			}
			return next()
		})
		if applied := w.Apply(planned(t, w)); !applied.Failed() {
			t.Fatalf("the removal says %v", applied.Diagnostics)
		}
		isDown = false
		w.Config[resource+".a"] = attach("pos-2", asmValues, nil)
		plan := planned(t, w)
		applied := w.Apply(plan)
		if len(applied.Errors().Saying("plan again")) != 1 || count(w, "pos-1", asmValues) != 1 {
			t.Errorf("the plan warns %v, and the apply says %v", plan.Warnings(), applied.Diagnostics)
		}
	})
}

// One more assessment on a position in use takes the rank of everybody who has finished.
func TestRankingLost(t *testing.T) {
	t.Parallel()
	virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
		w.Service.Change(func(st *sandbox.State) {
			if _, err := st.Attach("pos-1", asmCognitive, sandbox.Metadata{}); err != nil {
				t.Fatal(err)
			}
			for i := range 11 {
				candidate := fmt.Sprintf("cand-%d", i)
				st.Position("pos-1").Candidates = append(st.Position("pos-1").Candidates,
					sandbox.Candidate{ID: candidate, Name: candidate})
				id, err := st.Invite("pos-1", candidate, asmCognitive, "REMOTE")
				if err == nil {
					err = sandboxtest.Complete(st, id)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		})
		w.Config[resource+".a"] = attach("pos-1", asmPlain, nil)
		w.Config[resource+".b"] = attach("pos-2", asmPlain, nil)
		warnings := planned(t, w).Warnings()
		found := warnings.Saying("Candidates lose their ranking")
		if len(found) != 1 || len(warnings) != 1 || !strings.Contains(found[0].Detail, "11 candidates") ||
			!strings.Contains(found[0].Detail, `"pos-1"`) {
			t.Errorf("the plan warns %v", warnings)
		}
	})
}

// An activation is gone only if both lists lack its test, read twice.
func TestActivationIsGone(t *testing.T) {
	t.Parallel()
	const address = activation + ".test"
	for omissions, want := range map[int]bool{1: false, 2: false, 4: true} {
		virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
			w.Config[address] = driver.Values{"assessment_id": asmSkills, "test_id": "skt-go"}
			apply(t, w)
			seen := 0
			w.Service.Hook(func(r *driver.Request, next func() driver.Response) driver.Response {
				response := next()
				if r.Is(http.MethodGet, sandbox.RouteSkillsTests) {
					if seen++; seen <= omissions {
						response.Body = []byte("[]")
					}
				}
				return response
			})
			plan := w.Plan()
			gone := plan.Refreshed[address] == nil
			if gone != want || gone != (len(plan.Warnings().Saying("Skills test is gone")) == 1) {
				t.Errorf("after %d lists without it, the activation is gone: %t, %v", omissions, gone, plan.Diagnostics)
			}
		})
	}
}

// Neither an apply nor the plan after it sends more requests than the guide "Rate limits" promises: a plan reads one list
// for each position, or each position assessment if the lists show only links.
func TestEconomy(t *testing.T) {
	t.Parallel()
	const size, each = 120, 5
	for service, most := range map[string]struct{ create, plan int }{
		asDocumented: {890, size + each + 4},
		linksOnly:    {890 + size*each, size*each + 2*size},
	} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			virtual(t, service, positions(size), func(t *testing.T, w *driver.Workspace) {
				for i := range size {
					for assessment, blocks := range map[string]driver.Values{
						asmPlain: nil, asmCognitive: nil, asmValues: nil,
						asmGames:  {"packages": driver.Values{"select": "all"}},
						asmSkills: {"tests": driver.Values{"ids": []string{"skt-sql"}}},
					} {
						address := fmt.Sprintf("%s.%d-%s", resource, i, assessment)
						w.Config[address] = attach(fmt.Sprintf("pos-%d", i+1), assessment, blocks)
					}
				}
				apply(t, w)
				create := len(w.Service.Journal())
				if actions := planned(t, w).Actions(); len(actions) > 0 {
					t.Errorf("the next plan is not empty: %v", actions)
				}
				plan := len(w.Service.Journal()) - create
				if create > most.create || plan > most.plan {
					t.Errorf("%d requests to create, %d to plan, at most %+v", create, plan, most)
				}
			})
		})
	}
}

// A destroy of activations warns once in its plan, and once in its apply.
func TestActivationsStayEnabled(t *testing.T) {
	t.Parallel()
	virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
		for _, id := range []string{"skt-go", "skt-rust"} {
			w.Config[activation+"."+id] = driver.Values{"assessment_id": asmSkills, "test_id": id}
		}
		apply(t, w)
		clear(w.Config)
		plan := planned(t, w)
		for what, said := range map[string]driver.Diagnostics{"plan": plan.Diagnostics, "apply": w.Apply(plan).Diagnostics} {
			if len(said) != 1 || len(said.Saying("Skills test stays enabled")) != 1 {
				t.Errorf("the %s says %v", what, said)
			}
		}
	})
}
