// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// foreignServices answer 404 although nothing was removed.
var foreignServices = map[string]func(*simulation){
	"a wrong path": func(s *simulation) {
		s.service.Inject(sandboxtest.Fault{
			Status: http.StatusNotFound, Times: -1,
			Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<h1>Not Found</h1>"),
		})
	},
	"an empty organization": func(s *simulation) {
		s.change(func(st *sandbox.State) { st.Assessments, st.Positions = nil, nil })
	},
	"another organization": func(s *simulation) {
		s.change(func(st *sandbox.State) {
			theirs := sandbox.Assessment{ID: "asm-theirs", Kind: sandbox.CognitiveAbility, Name: "Theirs"}
			st.Positions, st.Assessments = nil, []sandbox.Assessment{theirs}
		})
	},
	"a list that is refused": func(s *simulation) {
		s.service.Inject(sandboxtest.Fault{Route: sandbox.RouteAssessments, Status: http.StatusForbidden, Times: -1})
		s.service.Inject(sandboxtest.Fault{Status: http.StatusNotFound, Times: -1})
	},
}

// If everything answers 404, because base_url or the key is wrong, no object counts as
// deleted: every operation fails, and the state does not change.
func TestFaultForeignService(t *testing.T) {
	t.Parallel()
	for name, turn := range foreignServices {
		for _, r := range append(oneOfEach, customers) {
			t.Run(name+", "+r.Addr, func(t *testing.T) {
				t.Parallel()
				once(t, func(s *simulation) {
					config := simulatedConfig(r)
					s.apply(config)
					destroy := s.succeeds(s.core.PlanDestroy(s.t.Context(), config, s.options))
					turn(s)
					s.service.ResetJournal()
					runs := map[string]coretest.Result{
						"apply":   s.core.Apply(s.t.Context(), config, s.options),
						"destroy": s.core.Destroy(s.t.Context(), config, s.options),
					}
					s.writesNothing()
					if r.Addr != activationAddr+"go" { // destroying an activation only drops it from the state
						runs["saved destruction"] = s.core.ApplyPlan(s.t.Context(), destroy.Plan, s.options)
					}
					for run, result := range runs {
						t.Log(run)
						s.fails(result, "404|403", fixAddress, fixKey, notChanged)
					}
					if s.object(r) == nil {
						t.Error("the resource was dropped from the state")
					}
				})
			})
		}
	}
}

// A service that worked before answers 404 to everything. A later read must confirm
// each 404 before anything is dropped: that another object was confirmed as gone is not enough.
func TestFaultEverythingNotFound(t *testing.T) {
	t.Parallel()
	for name, destroys := range map[string]bool{"refresh": false, "destroy": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				gone, exists := engineers, facet("facet", leeds)
				if destroys { // what depends on another resource is created after it and destroyed before it
					gone = dependingOn(gone, exists)
				} else {
					exists = dependingOn(exists, gone)
				}
				config := simulatedConfig(gone, exists)
				s.apply(config)
				destroy := s.succeeds(s.core.PlanDestroy(s.t.Context(), config, s.options))
				s.change(empty(backend))
				storm := false
				s.network.Decide = func(_ int, r *http.Request) coretest.Event {
					if storm = storm || strings.Contains(r.URL.Path, "leeds"); storm {
						return coretest.NotFound
					}
					return coretest.Pass
				}
				if destroys {
					r := s.core.ApplyPlan(s.t.Context(), destroy.Plan, s.options)
					s.fails(r, "Could not remove the position assessment", notChanged)
					if s.object(gone) != nil {
						t.Error("the removed position assessment is still in the state")
					}
				} else {
					s.fails(s.plan(config), "Could not read the position assessment", `404 Not Found: Nothing here\. The`, notChanged)
				}
				if s.object(exists) == nil {
					t.Error("an existing position assessment was dropped from the state")
				}
			})
		})
	}
}

// If the list of a position answers 404 once, although the position exists and the
// service has such lists, the plan fails instead of missing a duplicate.
func TestFaultListNotFoundOnce(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.change(attachByOther)
		other := coretest.Resource{
			Addr: "data.assess_position_assessments.other", Body: coretest.Body{"position_id": sandbox.DemoResultsPosition},
		}
		s.service.Inject(sandboxtest.Fault{
			Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Skip: 1, Status: http.StatusNotFound,
		})
		s.fails(s.plan(simulatedConfig(other, dependingOn(engineers, other))),
			"Could not check the plan", `"pos-backend-london"`, "answered 404", "To fix this: plan again")
	})
}

// Several 404s at the same time are confirmed at the same time. Without a confirmation, nothing
// is dropped.
func TestFaultConcurrentNotFound(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.env["ASSESS_UNTHROTTLED"] = "1"
		config := simulatedConfig(counted(lumen, numbered(0, 10)...)...)
		config.Providers[""]["retry_timeout"] = "2s"
		s.apply(config)
		s.change(func(st *sandbox.State) {
			for i := range st.Positions {
				st.Positions[i].Assessments = nil
			}
		})
		s.service.Inject(sandboxtest.Fault{
			Method: http.MethodGet, Route: sandbox.RouteAssessments, Status: http.StatusServiceUnavailable, Times: -1,
		})
		begin := time.Now()
		s.fails(s.plan(config), "503 Service Unavailable", notChanged)
		if took := time.Since(begin); took > 10*time.Second { // one after the other would take 20
			t.Errorf("ten removals took %s", took)
		}
	})
}
