// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// One 404 to the list of a position that exists does not let the run attach without looking elsewhere.
func TestOneMissingListBlindsNothing(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.options.Parallelism = 1
		s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{}))
		s.env["ASSESS_PLAN_CHECKS"] = "false"
		planned := s.plan(simulatedConfig(lumen("a", backend), dependingOn(lumen("b", leeds), lumen("a", backend))))
		s.service.Inject(sandboxtest.Fault{
			Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Status: 404, Times: 1,
		})
		s.core.ApplyPlan(s.t.Context(), s.succeeds(planned).Plan, s.options)
		s.noDuplicates()
	})
}

// A mute service hides a benchmark. A removal is not handed over to a creation without one.
func TestMuteServiceHandsNothingOver(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.options.Parallelism = 10
		s.network.Latency = 50 * time.Millisecond
		all := resources{benchmarked("a", backend, engineersBenchmark)}
		for n := range 8 { // delays the removal of a
			all = append(all, dependingOn(facet(fmt.Sprint("x", n), fmt.Sprintf("pos-%04d", n)), all[len(all)-1]))
		}
		s.applies(all...)
		s.applies(lumen("b", backend))
		if on := s.service.State(s.t).Position(backend).Assessments; on[0].Metadata.Benchmark != "" {
			t.Errorf("configured without a benchmark, the service has %+v", on)
		}
	}, mute)
}

// A process that plans and applies several times ("terraform test") removes what it has attached, and does not trust
// the look of its plan.
func TestReusedProcessRemoves(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.core.KeepProcesses = true
		s.applies(lumen("a", backend))
		s.options.Refresh = coretest.NoRefresh
		s.applies()
		if on := s.on(backend); len(on) > 0 {
			t.Errorf("the state is %q, and the position has %q", s.core.State.Addresses(), on)
		}
	})
}

func TestReusedProcessLooksAgain(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.core.KeepProcesses = true
		planned := s.plan(simulatedConfig(lumen("a", backend)))
		s.change(attaches(backend, "asm-lumen", sandbox.Metadata{}))
		s.core.ApplyPlan(s.t.Context(), s.succeeds(planned).Plan, s.options)
		s.noDuplicates()
	})
}

// An update that sends nothing keeps what is known about the supervisor, also if there was no private state.
func TestUpdateKeepsTheMemory(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.supervise(keptProfile)
		s.applies(keptProfile)
		s.object(keptProfile).Private = nil
		s.options.Refresh = coretest.NoRefresh
		forgets := func(r coretest.Resource) coretest.Resource {
			r.Body = maps.Clone(r.Body)
			r.Body["on_refused_removal"] = "forget"
			return r
		}
		s.applies(forgets(keptProfile))
		s.warns(s.plan(simulatedConfig(forgets(otherProfile))), "Supervisor's profile will be replaced")
	})
}

// Without a refresh, a destroy does not delete work that the state does not know. The message says what helps.
func TestDestroyWithoutRefresh(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.applies(noProfile)
		s.change(completeProfile)
		s.options.Refresh = coretest.NoRefresh
		s.fails(s.core.Destroy(s.t.Context(), simulatedConfig(noProfile), s.options), "plan again, without -refresh=false")
		s.options.Refresh = coretest.FullRefresh
		s.destroys(simulatedConfig(noProfile))
	})
}

// An apply does not call a mistyped position deleted, because it does not know the past.
func TestMistypedPosition(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.env["ASSESS_PLAN_CHECKS"] = "false"
		s.fails(s.run(lumen("b", "pos-typo")), "Unknown position", `The organization has no position "pos-typo"`,
			"If the position was deleted")
	})
}

// An update into the content of what is only forgotten would be a duplicate.
func TestUpdateIntoWhatIsForgotten(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		a, b := lumen("a", backend), benchmarked("b", backend, engineersBenchmark)
		a.Body["on_refused_removal"] = "forget"
		s.applies(a, b)
		s.service.Invite(s.t, backend, "asm-lumen")
		s.fails(s.run(lumen("b", backend)), duplicateSummary, "Candidates have been invited")
		s.noDuplicates()
	})
}
