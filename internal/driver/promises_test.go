// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

const twoResources = "Duplicate position and assessment"

// count returns how often a position has an assessment.
func count(w *driver.Workspace, position, assessment string) int {
	return len(attached(w.Service.Snapshot(), position, assessment))
}

// Core starts creations of one key at the same time. At a service with a latency, all of them would look before one of
// them has attached.
func TestOneKeyInTwoResources(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{false, true} {
		virtual(t, service{}, func(t *testing.T, w *driver.Workspace) {
			w.Provider["adopt_existing"] = adopts
			w.Service.Hook(driver.Delay(25*time.Millisecond, 25*time.Millisecond))
			for _, name := range []string{"a", "b", "c"} {
				w.Config[resource+"."+name] = attach("pos-1", asmPlain, nil)
			}
			applied := w.Apply(planned(t, w))
			if n := len(applied.Errors().Saying(twoResources)); n != 2 || len(applied.Errors()) != 2 {
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
	virtual(t, service{}, func(t *testing.T, w *driver.Workspace) {
		w.Provider["adopt_existing"] = true
		games := func(packages ...string) driver.Resource {
			return attach("pos-1", asmGames, driver.Values{"packages": driver.Values{"ids": packages}})
		}
		w.Config[resource+".old"] = games("pkg-1")
		apply(t, w)
		delete(w.Config, resource+".old")
		w.Config[resource+".new"] = games("pkg-1", "pkg-2")
		plan := planned(t, w)
		w.Service.Hook(driver.At(0, isFetch, driver.Delay(time.Second, time.Second))) // between the look and the PUT
		for _, d := range w.Apply(plan).Errors() {
			t.Log(d) // either the removal or the adoption comes first
		}
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
// attached twice.
func TestRenames(t *testing.T) {
	t.Parallel()
	const keys = 20
	for _, parallelism := range []int{1, 10} {
		for _, adopts := range []bool{false, true} {
			t.Run(fmt.Sprintf("parallelism %d, adopt_existing %t", parallelism, adopts), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					service := driver.NewService(t, sandbox.Options{Seed: manyPositions(keys), NoLimits: true}, driver.AsDocumented)
					service.Hook(driver.Delay(5*time.Millisecond, 5*time.Millisecond))
					w := driver.NewWorkspace(t, service)
					w.Parallelism, w.Provider["adopt_existing"] = parallelism, adopts
					for i := range keys {
						w.Config[fmt.Sprintf("%s.old%d", resource, i)] = attach(fmt.Sprintf("pos-%d", i), asmPlain, nil)
					}
					apply(t, w)
					clear(w.Config)
					for i := range keys {
						w.Config[fmt.Sprintf("%s.new%d", resource, i)] = attach(fmt.Sprintf("pos-%d", i), asmPlain, nil)
					}
					applies := 0
					for ; applies < 2 && len(planned(t, w).Actions()) > 0; applies++ {
						w.Apply(planned(t, w))
						for i := range keys { // without adoptions, the first apply may only remove
							if n := count(w, fmt.Sprintf("pos-%d", i), asmPlain); adopts && n != 1 {
								t.Errorf("after %d applies, pos-%d has it %d times", applies+1, i, n)
							}
						}
					}
					if left := planned(t, w).Actions(); len(left) > 0 {
						t.Errorf("after %d applies the plan has %d changes", applies, len(left))
					}
					for i := range keys {
						if n := count(w, fmt.Sprintf("pos-%d", i), asmPlain); n != 1 {
							t.Errorf("pos-%d has it %d times", i, n)
						}
					}
					if adopts && service.Count(http.MethodDelete, "")+service.Count(http.MethodPost, "") > 2*keys+keys {
						t.Error("an adoption removed or attached")
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
	withoutStatus := func(r *driver.Request, next func() driver.Response) (driver.Response, error) {
		response := next()
		if r.Is(http.MethodGet, sandbox.RoutePositionAssessments) {
			for _, member := range []string{"profileStatus", "profileUrl"} {
				response.Body = []byte(strings.ReplaceAll(string(response.Body), `"`+member+`"`, `"x-`+member+`"`))
			}
		}
		return response, nil
	}
	for name, mode := range map[string]service{
		"as documented": {}, "links only": {hook: driver.LinksOnly}, "no status": {hook: withoutStatus},
		"unsigned": unsignedService, "mute": muteService,
	} {
		virtual(t, mode, func(t *testing.T, w *driver.Workspace) {
			w.Config[resource+".a"] = attach("pos-1", asmValues, nil)
			apply(t, w)
			w.Service.Change(func(st *sandbox.State) {
				if err := complete(st, "pos-1"); err != nil {
					t.Error(err)
				}
			})
			w.Apply(planned(t, w)) // refreshes the state
			if got := w.State[resource+".a"].Text("profile_status"); got != sandbox.SupervisorCompleted {
				t.Errorf("%s: the status is %q", name, got)
			}
			plan := w.PlanDestroy(planned(t, w))
			if len(plan.Warnings().Saying("Supervisor's profile will be deleted")) != 1 {
				t.Errorf("%s: the destroy warns %v", name, plan.Warnings())
			}
		})
	}
}

// Terraform 1.9 to 1.11 plan a removal with the state from before their refresh. The plan still warns about what a
// supervisor has done since then, so its apply removes it. An apply removes nothing that its plan did not warn about.
func TestRemovalIsPlannedBeforeItIsRead(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]service{
		"as documented": {}, "links only": {hook: driver.LinksOnly}, "unsigned": unsignedService, "mute": muteService,
	} {
		virtual(t, mode, func(t *testing.T, w *driver.Workspace) {
			w.Config[resource+".a"] = attach("pos-1", asmValues, nil)
			apply(t, w)
			w.Config = map[string]driver.Resource{}
			completes := func() {
				w.Service.Change(func(st *sandbox.State) {
					if err := complete(st, "pos-1"); err != nil {
						t.Error(err)
					}
				})
			}
			unaware := w.PlanDestroy(&driver.Plan{Refreshed: w.State})
			completes()
			applied := w.Apply(unaware)
			if len(applied.Errors().Saying("plan again")) != 1 || count(w, "pos-1", asmValues) != 1 {
				t.Errorf("%s: the apply says %v", name, applied.Diagnostics)
			}
			plan := w.PlanDestroy(&driver.Plan{Refreshed: w.State})
			if len(plan.Warnings().Saying("Supervisor's profile will be deleted")) != 1 {
				t.Errorf("%s: the plan warns %v", name, plan.Warnings())
			}
			if applied = w.Apply(plan); applied.Failed() || count(w, "pos-1", asmValues) != 0 {
				t.Errorf("%s: the apply says %v", name, applied.Diagnostics)
			}
		})
	}
}

// One more assessment on a position in use takes the rank of everybody who has finished.
func TestRankingLost(t *testing.T) {
	t.Parallel()
	virtual(t, service{}, func(t *testing.T, w *driver.Workspace) {
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
					err = st.Complete(id)
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
		virtual(t, service{}, func(t *testing.T, w *driver.Workspace) {
			w.Config[address] = driver.Resource{Values: driver.Values{"assessment_id": asmSkills, "test_id": "skt-3"}}
			apply(t, w)
			seen := 0
			w.Service.Hook(func(r *driver.Request, next func() driver.Response) (driver.Response, error) {
				response := next()
				if r.Is(http.MethodGet, sandbox.RouteSkillsTests) {
					if seen++; seen <= omissions {
						response.Body = []byte("[]")
					}
				}
				return response, nil
			})
			plan := w.Plan()
			gone := plan.Refreshed[address] == nil
			if gone != want || gone != (len(plan.Warnings().Saying("Skills test is gone")) == 1) {
				t.Errorf("after %d lists without it, the activation is gone: %t, %v", omissions, gone, plan.Diagnostics)
			}
		})
	}
}

// The requests that the guide "Rate limits" promises.
func TestEconomy(t *testing.T) {
	t.Parallel()
	const positions, each = 120, 5
	kinds := []func(position string) driver.Resource{
		func(p string) driver.Resource { return attach(p, asmPlain, nil) },
		func(p string) driver.Resource { return attach(p, asmCognitive, nil) },
		func(p string) driver.Resource {
			return attach(p, asmGames, driver.Values{"packages": driver.Values{"select": "all"}})
		},
		func(p string) driver.Resource { return attach(p, asmValues, nil) },
		func(p string) driver.Resource {
			return attach(p, asmSkills, driver.Values{"tests": driver.Values{"ids": []string{"skt-1"}}})
		},
	}
	for name, row := range map[string]struct {
		mode                driver.Hook
		create, plan, least int
	}{
		"as documented": {driver.AsDocumented, 890, positions + each + 4, positions},
		"links only":    {driver.LinksOnly, 890 + positions*each, positions*each + 2*positions, positions * each},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := driver.NewService(t, sandbox.Options{Seed: manyPositions(positions), NoLimits: true}, row.mode)
				w := driver.NewWorkspace(t, service)
				for i := range positions {
					for k, kind := range kinds {
						w.Config[fmt.Sprintf("%s.r%d_%d", resource, i, k)] = kind(fmt.Sprintf("pos-%d", i))
					}
				}
				apply(t, w)
				created := len(service.Journal())
				if len(planned(t, w).Actions()) > 0 {
					t.Error("the next plan is not empty")
				}
				again := len(service.Journal()) - created
				t.Logf("%d requests to create %d position assessments, %d for a plan without changes", created, len(w.Config), again)
				if created > row.create || again > row.plan || again < row.least {
					t.Errorf("%d requests to create, at most %d; %d to plan, at most %d", created, row.create, again, row.plan)
				}
			})
		})
	}
}

// Activations read two lists, whatever their number.
func TestEconomyOfActivations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seed := func() *sandbox.State {
			st := organization()
			tests := &st.Assessments[4].SkillsTests
			*tests = nil
			for i := range 300 {
				test, err := sandbox.ParseObject(fmt.Appendf(nil, `{"id": "skt-%d", "title": "Test %[1]d", "description": "Q",
					"category": "Any", "timeToComplete": "20 minutes", "numberOfQuestions": 20, "active": %t}`, i, i < 75))
				if err != nil {
					panic(err)
				}
				*tests = append(*tests, sandbox.SkillsTest{Object: test})
			}
			return st
		}
		service := driver.NewService(t, sandbox.Options{Seed: seed, NoLimits: true}, driver.AsDocumented)
		w := driver.NewWorkspace(t, service)
		for i := range 300 {
			w.Config[fmt.Sprintf("assess_skills_test_activation.t%d", i)] = driver.Resource{Values: driver.Values{
				"assessment_id": asmSkills, "test_id": fmt.Sprintf("skt-%d", i),
			}}
		}
		apply(t, w)
		created := len(service.Journal())
		if len(planned(t, w).Actions()) > 0 {
			t.Error("the next plan is not empty")
		}
		again := len(service.Journal()) - created
		t.Logf("%d requests to create 300 activations, %d for a plan without changes", created, again)
		if created > 235 || again > 1 {
			t.Errorf("%d requests to create, at most 235; %d to plan, at most 1", created, again)
		}
		plan := w.PlanDestroy(planned(t, w))
		if n := len(plan.Warnings().Saying("Skills test stays enabled")); n != 1 {
			t.Errorf("the destroy warns %d times", n)
		}
		if n := len(w.Apply(plan).Warnings().Saying("Skills test stays enabled")); n != 1 {
			t.Errorf("the apply of the destroy warns %d times", n)
		}
	})
}
