// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Reads may lack a position assessment for a few seconds after it was attached. That it has gone is believed only later,
// because the next apply would attach a duplicate.
func TestReadsLagBehindCreation(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		later   time.Duration // of the plan
		appears time.Duration // after the plan has begun. 0: another client has removed it
		waits   time.Duration
	}{
		"at once":              {0, 5 * time.Second, 10 * time.Second},
		"after a while":        {6 * time.Second, 3 * time.Second, 4 * time.Second},
		"removed at once":      {0, 0, 10 * time.Second},
		"removed after a time": {time.Minute, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.applies(engineers)
				time.Sleep(row.later)
				want := "map[]"
				if row.appears > 0 {
					s.service.Inject(sandboxtest.Fault{
						Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Times: -1, Body: []byte("[]"),
					})
					s.service.Inject(sandboxtest.Fault{
						Method: http.MethodGet, Route: sandbox.RoutePositionAssessment, Times: -1, Status: http.StatusNotFound,
					})
					time.AfterFunc(row.appears, s.service.ClearFaults)
				} else {
					s.change(empty(backend))
					want = fmt.Sprintf("map[%s:create]", engineers.Addr)
				}
				start := time.Now()
				planned := s.succeeds(s.plan(simulatedConfig(engineers)))
				if got := fmt.Sprint(planned.Plan.Actions()); got != want {
					t.Errorf("the plan does %s, want %s", got, want)
				}
				if took := time.Since(start).Round(time.Second); took != row.waits {
					t.Errorf("the plan took %s, want %s", took, row.waits)
				}
			})
		})
	}
}

// If the profile of what was attached could not be read, the state does not know whether a supervisor has completed it.
// A removal without a refresh looks first.
func TestRemovalOfUnreadProfile(t *testing.T) {
	t.Parallel()
	for name, completes := range map[string]bool{"completed": true, "not completed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.service.Inject(sandboxtest.Fault{
					Method: http.MethodGet, Route: sandbox.RoutePositionAssessment, Status: http.StatusBadRequest,
				})
				s.warns(s.applies(noProfile), "Could not read the profile")
				if completes {
					s.change(completeProfile)
				}
				s.service.ResetJournal()
				s.options.Refresh = coretest.NoRefresh
				removed := s.run()
				if !completes {
					s.succeeds(removed)
					s.service.AssertCount(s.t, http.MethodDelete, "", 1)
					return
				}
				s.fails(removed, "Could not remove the position assessment", "plan again, without -refresh=false")
				s.writesNothing()
			}, func(o *sandboxtest.Options) { o.Assumptions.Writes = "no status" })
		})
	}
}
