// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

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
			if n := count(w, "pos-1", asmPlain); n != 1 || w.Service.Count(http.MethodPost, "") != 1 {
				t.Errorf("adopt_existing is %t: attached %d times", adopts, n)
			}
		})
	}
}

// A removal that arrives while a creation adopts must not remove what is adopted.
func TestRemovalDuringAdoption(t *testing.T) {
	t.Parallel()
	isFetch := func(r *driver.Request) bool { return r.Is(http.MethodGet, sandbox.RoutePositionAssessment) }
	virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
		w.Provider["adopt_existing"] = true
		games := func(packages ...string) driver.Resource {
			return attach("pos-1", asmGames, driver.Values{"packages": driver.Values{"ids": packages}})
		}
		w.Config[resource+".old"] = games("pkg-1")
		apply(t, w)
		delete(w.Config, resource+".old")
		w.Config[resource+".new"] = games("pkg-1", "pkg-2")
		plan := planned(t, w)
		second := driver.Wait(time.Second)
		w.Service.HookAt(0, isFetch, driver.Around(second, second)) // between the look and the PUT

		w.Apply(plan) // either the removal or the adoption comes first
		for range 2 {
			w.Apply(planned(t, w))
		}
		if n := count(w, "pos-1", asmGames); n != 1 || len(w.State) != 1 {
			t.Errorf("attached %d times, %d in the state", n, len(w.State))
		}
		if got := attached(w.Service.Snapshot(), "pos-1", asmGames)[0].Packages; len(got) != 2 {
			t.Errorf("it has the packages %v", got)
		}
	})
}

// Twenty keys get other addresses without moved blocks. At most two applies complete that, and nothing is lost or
// attached twice. With adopt_existing, nothing is even removed for a moment.
func TestRenames(t *testing.T) {
	t.Parallel()
	const keys = 20
	for _, parallelism := range []int{1, 10} {
		for _, adopts := range []bool{false, true} {
			t.Run(fmt.Sprintf("parallelism %d, adopt_existing %t", parallelism, adopts), func(t *testing.T) {
				t.Parallel()
				virtual(t, asDocumented, manyPositions(keys), func(t *testing.T, w *driver.Workspace) {
					w.Parallelism, w.Provider["adopt_existing"] = parallelism, adopts
					configure := func(prefix string) {
						clear(w.Config)
						for i := range keys {
							w.Config[fmt.Sprintf("%s.%s%d", resource, prefix, i)] = attach(fmt.Sprintf("pos-%d", i), asmPlain, nil)
						}
					}
					configure("old")
					apply(t, w)
					configure("new")
					w.Apply(planned(t, w))
					if !adopts { // the first apply may only remove
						w.Apply(planned(t, w))
					}
					if left := planned(t, w).Actions(); len(left) > 0 && !adopts {
						t.Errorf("the plan has %d changes", len(left))
					}
					for i := range keys {
						if n := count(w, fmt.Sprintf("pos-%d", i), asmPlain); n != 1 {
							t.Errorf("pos-%d has it %d times", i, n)
						}
					}
				})
			})
		}
	}
}

// manyPositions returns an organization with positions "pos-0" and so on.
func manyPositions(n int) func() *sandbox.State {
	return func() *sandbox.State {
		st := organization()
		st.Positions = nil
		for i := range n {
			st.Positions = append(st.Positions, sandbox.Position{
				ID: fmt.Sprintf("pos-%d", i), Title: fmt.Sprintf("Position %d", i), Locale: "en-GB",
			})
		}
		return st
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
			plan := w.PlanDestroy(planned(t, w))
			if len(plan.Warnings().Saying("Supervisor's profile will be deleted")) != 1 {
				t.Errorf("a service %s: the destroy warns %v", service, plan.Warnings())
			}
		})
	}
}

// With on_supervisor_change = "keep", an update of another block does not send the profile, because a request with a
// profile discards the supervisor's work.
func TestKeptProfileIsNotSent(t *testing.T) {
	t.Parallel()
	virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
		w.Config[resource+".a"] = attach("pos-1", asmValues, driver.Values{"profile": driver.Values{"id": "prf-1"}})
		apply(t, w)
		complete(t, w.Service, "pos-1")
		w.Service.Hook(func(r *driver.Request, next func() driver.Response) driver.Response {
			response := next()
			if r.Method == http.MethodGet { // somebody has set a benchmark outside Terraform
				response.Body = []byte(strings.ReplaceAll(string(response.Body), `"metadata":{`, `"metadata":{"benchmark":"b",`))
			}
			return response
		})
		w.Apply(planned(t, w))
		sent := 0
		for _, r := range w.Service.Journal() {
			if r.Method != http.MethodPut {
				continue
			}
			sent++
			if strings.Contains(string(r.Body), "prf-1") {
				t.Errorf("the update sends %s", r.Body)
			}
		}
		if sent == 0 {
			t.Error("no update was sent")
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
			unaware := w.PlanDestroy(&driver.Plan{Refreshed: w.State})
			complete(t, w.Service, "pos-1")
			applied := w.Apply(unaware)
			if len(applied.Errors().Saying("plan again")) != 1 || count(w, "pos-1", asmValues) != 1 {
				t.Errorf("a service %s: the apply says %v", service, applied.Diagnostics)
			}
			plan := w.PlanDestroy(&driver.Plan{Refreshed: w.State})
			if len(plan.Warnings().Saying("Supervisor's profile will be deleted")) != 1 {
				t.Errorf("a service %s: the plan warns %v", service, plan.Warnings())
			}
			if applied = w.Apply(plan); applied.Failed() || count(w, "pos-1", asmValues) != 0 {
				t.Errorf("a service %s: the apply says %v", service, applied.Diagnostics)
			}
		})
	}
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
	const address = "assess_skills_test_activation.three"
	for omissions, want := range map[int]bool{1: false, 2: false, 4: true} {
		virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
			w.Config[address] = driver.Resource{Values: driver.Values{"assessment_id": asmSkills, "test_id": "skt-3"}}
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

// economy applies a configuration, and plans it again. Neither may send more requests than the guide "Rate limits"
// promises.
func economy(t *testing.T, w *driver.Workspace, create, plan int) {
	t.Helper()
	apply(t, w)
	created := len(w.Service.Journal())
	if actions := planned(t, w).Actions(); len(actions) > 0 {
		t.Errorf("the next plan is not empty: %v", actions)
	}
	again := len(w.Service.Journal()) - created
	t.Logf("%d requests to create %d resources, %d for a plan without changes", created, len(w.Config), again)
	if created > create || again > plan {
		t.Errorf("%d requests to create, at most %d; %d to plan, at most %d", created, create, again, plan)
	}
}

// A plan reads one list for each position, or each position assessment if the lists show only links.
func TestEconomy(t *testing.T) {
	t.Parallel()
	const positions, each = 120, 5
	for service, most := range map[string]struct{ create, plan int }{
		asDocumented: {890, positions + each + 4},
		linksOnly:    {890 + positions*each, positions*each + 2*positions},
	} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			virtual(t, service, manyPositions(positions), func(t *testing.T, w *driver.Workspace) {
				for i := range positions {
					for assessment, blocks := range map[string]driver.Values{
						asmPlain: nil, asmCognitive: nil, asmValues: nil,
						asmGames:  {"packages": driver.Values{"select": "all"}},
						asmSkills: {"tests": driver.Values{"ids": []string{"skt-1"}}},
					} {
						address := fmt.Sprintf("%s.%d-%s", resource, i, assessment)
						w.Config[address] = attach(fmt.Sprintf("pos-%d", i), assessment, blocks)
					}
				}
				economy(t, w, most.create, most.plan)
			})
		})
	}
}

// Activations read two lists, whatever their number, and warn once.
func TestEconomyOfActivations(t *testing.T) {
	t.Parallel()
	seed := func() *sandbox.State {
		st := organization()
		st.Assessments[4].SkillsTests = skillsTests(75, 225)
		return st
	}
	virtual(t, asDocumented, seed, func(t *testing.T, w *driver.Workspace) {
		for i := range 300 {
			w.Config[fmt.Sprintf("assess_skills_test_activation.t%d", i)] = driver.Resource{Values: driver.Values{
				"assessment_id": asmSkills, "test_id": fmt.Sprintf("skt-%d", i+1),
			}}
		}
		economy(t, w, 235, 1)
		plan := w.PlanDestroy(planned(t, w))
		for what, said := range map[string]driver.Diagnostics{"plan": plan.Diagnostics, "apply": w.Apply(plan).Diagnostics} {
			if n := len(said.Warnings().Saying("Skills test stays enabled")); n != 1 {
				t.Errorf("the %s of the destroy warns %d times", what, n)
			}
		}
	})
}
