// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// foreignServices answer 404 although nothing was removed.
var foreignServices = map[string]func(*testing.T, *sandboxtest.Server){
	"a wrong path": func(_ *testing.T, s *sandboxtest.Server) {
		s.Inject(sandboxtest.Fault{
			Status: http.StatusNotFound, Times: -1,
			Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<h1>Not Found</h1>"),
		})
	},
	"an empty organization": func(t *testing.T, s *sandboxtest.Server) {
		t.Helper()
		s.Change(t, func(st *sandbox.State) { st.Assessments, st.Positions = nil, nil })
	},
	"another organization": func(t *testing.T, s *sandboxtest.Server) {
		t.Helper()
		s.Change(t, func(st *sandbox.State) {
			theirs := sandbox.Assessment{ID: "asm-theirs", Kind: sandbox.CognitiveAbility, Name: "Theirs"}
			st.Positions, st.Assessments = nil, []sandbox.Assessment{theirs}
		})
	},
	"a list that is refused": func(_ *testing.T, s *sandboxtest.Server) {
		s.Inject(sandboxtest.Fault{Route: sandbox.RouteAssessments, Status: http.StatusForbidden, Times: -1})
		s.Inject(sandboxtest.Fault{Status: http.StatusNotFound, Times: -1})
	},
}

// If everything answers 404, because base_url or the key is wrong, no object counts as
// deleted: every operation fails, and the state does not change.
func TestFaultForeignService(t *testing.T) {
	t.Parallel()
	for name, turn := range foreignServices {
		for _, row := range []struct {
			kind          string
			config, other map[string]any
		}{
			{attachmentType, engineers, managers},
			{attachmentType, customers, builders},
			{activationType, goTest, nil},
		} {
			t.Run(name+", "+row.kind, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					m := &managed{harness: newHarness(t), name: row.kind}
					m.planAndApply(row.config)
					m.startRun(nil)
					destroy := m.plan(nil)
					m.succeeds()
					before := m.value()
					turn(t, m.service)
					m.service.ResetJournal()
					stays := func(operation string) {
						t.Helper()
						m.fails("404|403", baseURL, credentials, notChanged)
						if !m.value().Equal(before) {
							t.Errorf("after the %s the state has %s, want %s", operation, m.value(), before)
						}
					}

					m.startRun(nil)
					m.refresh()
					stays("refresh")
					if writes := m.service.Writes(); len(writes) > 0 {
						t.Errorf("the refresh sent %v", writes)
					}
					if row.kind == activationType {
						return // destroying an activation only drops it from the state
					}
					m.startRun(nil)
					m.apply(nil, destroy)
					stays("destruction")
				})
			})
		}
	}
}

// The real CLI starts a plan and a destroy with a refresh.
func TestFaultForeignServiceThroughTheCLI(t *testing.T) {
	t.Parallel()
	for name, turn := range foreignServices {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
			c := newCLI(t, service)
			c.env = append(c.env, "ASSESS_UNTHROTTLED=1")
			c.useFrom("TestFaultForeignService", "1")
			c.apply().ok()
			addresses := []string{"assess_position_assessment.a", "assess_skills_test_activation.a"}
			turn(t, service)
			service.ResetJournal()
			for command, r := range map[string]*run{
				"plan": c.plan(), "apply": c.apply(), "refresh": c.apply("-refresh-only"), "destroy": c.destroy(),
				"destroy without a refresh": c.destroy("-refresh=false", "-target="+addresses[0]),
			} {
				r.fails("404", baseURL, credentials, notChanged)
				for _, address := range addresses {
					if c.resource(address) == nil {
						t.Fatalf("%s is no longer in the state after %s", address, command)
					}
				}
			}
			if n := service.Count(http.MethodPost, "") + service.Count(http.MethodPut, ""); n > 0 {
				t.Errorf("%d creations and updates were sent", n)
			}
		})
	}
}

// A service that worked before answers 404 to everything. A later read must confirm
// each 404 before anything is dropped.
func TestFaultEverythingNotFound(t *testing.T) {
	t.Parallel()
	storm := sandboxtest.Fault{Status: http.StatusNotFound, Times: -1}
	t.Run("refresh", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newHarness(t)
			first, second := &managed{harness: w, name: attachmentType}, &managed{harness: w, name: attachmentType}
			first.planAndApply(engineers)
			second.planAndApply(map[string]any{"position_id": "pos-support-leeds", "assessment_id": "asm-facet"})
			w.service.Change(t, func(st *sandbox.State) {
				st.Position(backend).Assessments = nil
			})
			w.startRun(nil)
			w.read("assess_assessments", map[string]any{})
			first.refresh()
			w.succeeds()
			if first.state != nil {
				t.Error("the removed position assessment is still in the state")
			}
			w.service.Inject(storm)
			second.refresh()
			w.fails("Could not read the position assessment", notChanged)
			if second.state == nil {
				t.Error("an existing position assessment was dropped from the state")
			}
		})
	})
	t.Run("destroy", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newHarness(t)
			first, second := &managed{harness: w, name: attachmentType}, &managed{harness: w, name: attachmentType}
			first.planAndApply(engineers)
			second.planAndApply(managers)
			w.startRun(nil)
			one, other := first.plan(nil), second.plan(nil)
			w.service.Change(t, func(st *sandbox.State) {
				p := st.Position(backend)
				p.Assessments = p.Assessments[1:]
			})
			w.startRun(nil)
			first.apply(nil, one)
			w.succeeds()
			w.service.Inject(storm)
			second.apply(nil, other)
			w.fails("Could not remove the position assessment", notChanged)
			if first.state != nil || second.state == nil {
				t.Errorf("in the state: the removed one %t, the existing one %t", first.state != nil, second.state != nil)
			}
		})
	})
}

// If the list of a position answers 404 once, although the position exists and the
// service has such lists, the plan fails instead of missing a duplicate.
func TestFaultListNotFoundOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &managed{harness: newHarness(t), name: attachmentType}
		m.service.Change(t, attachByOther)
		m.startRun(nil)
		m.read("assess_position_assessments", map[string]any{"position_id": sandbox.DemoResultsPosition})
		m.service.Inject(sandboxtest.Fault{
			Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Status: http.StatusNotFound,
		})
		m.plan(engineers)
		m.fails("Could not check the plan", `"pos-backend-london"`, "answered 404", "To fix this: plan again")
	})
}

// Several 404s at the same time share the read that confirms them.
func TestFaultConcurrentNotFound(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{"retry_timeout": "2s"})
	var all []*instance
	for range 10 {
		r := &instance{protocolClient: w, name: attachmentType}
		state := attachingTo(backend, "asm-lumen")
		state["id"] = "pas-0001"
		r.state = dynamic(t, w.typ(attachmentType), state)
		all = append(all, r)
	}
	service.Inject(sandboxtest.Fault{
		Method: http.MethodGet, Route: sandbox.RouteAssessments, Status: http.StatusServiceUnavailable, Times: -1,
	})
	begin := time.Now()
	var group sync.WaitGroup
	for _, r := range all {
		group.Go(func() {
			if failed := r.refresh(); len(failed) == 0 || r.state == nil {
				t.Error("a 404 without confirmation dropped the resource")
			}
		})
	}
	group.Wait()
	if took := time.Since(begin); took > 10*time.Second { // one after the other would take 20
		t.Errorf("ten removals took %s", took)
	}
}
