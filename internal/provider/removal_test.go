// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// forgetting returns a resource that is dropped from the state if its removal is
// refused.
func forgetting(name, position string) coretest.Resource {
	return positionAssessment(name, position, "asm-facet", "on_refused_removal", "forget")
}

// A destroy goes through, whatever happened to the service.
func TestDestroy(t *testing.T) {
	t.Parallel()
	a, b := lumen("a", backend), lumen("b", leeds)
	for name, row := range map[string]struct {
		all   resources
		event func(*simulation)
		left  int // what the state never had
	}{
		"with a reference to an activation": {
			all: resources{activation("go", "skt-go"), tested("a", backend, coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"})},
		},
		"after a position was deleted": {
			all: resources{a, b}, event: func(s *simulation) { s.change(removePosition(leeds)) },
		},
		"after a benchmark was retired and its position assessment removed": {
			all: resources{benchmarked("a", backend, graduatesBenchmark), b}, event: func(s *simulation) {
				s.change(func(st *sandbox.State) {
					empty(backend)(st)
					retired := func(b sandbox.Benchmark) bool { return b.ID == graduatesBenchmark }
					benchmarks := &st.Assessment("asm-lumen").Benchmarks
					*benchmarks = slices.DeleteFunc(*benchmarks, retired)
				})
			},
		},
		// The core does not pass the result of reading a tainted instance to the plan.
		"of a tainted instance whose position was deleted": {
			all: resources{a}, event: func(s *simulation) {
				s.core.Taint(a.Addr)
				s.change(removePosition(backend))
			},
		},
		"after a creation was interrupted": {
			all: resources{a}, left: 1, event: func(s *simulation) {
				s.network.Decide = coretest.OnRequest(http.MethodPost, coretest.KillAfter, 0)
				s.run(a, b)
				s.network.Decide = nil
			},
		},
	} {
		simulateAs(t, name, func(s *simulation) {
			others := len(s.attached())
			s.applies(row.all...)
			if row.event != nil {
				row.event(s)
			}
			config := simulatedConfig(row.all...)
			if row.left > 0 {
				config.Resources = append(config.Resources, b)
			}
			s.destroys(config)
			if left := s.attached(); len(left) != others+row.left {
				s.t.Errorf("still attached: %q", left)
			}
		})
	}
}

// A plan refuses to destroy a position assessment to which candidates are invited, also if it reads nothing. It
// shows how many they are and what to do, and nothing is removed.
func TestDestroyOfInvited(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(facet("a", backend), facet("b", leeds))
		s.apply(config)
		s.service.Complete(s.t, s.service.Invite(s.t, leeds, "asm-facet"))
		s.service.Invite(s.t, leeds, "asm-facet")
		s.service.ResetJournal()
		for _, s.options.Refresh = range []coretest.Refresh{coretest.FullRefresh, coretest.NoRefresh} {
			s.fails(s.core.Destroy(s.t.Context(), config, s.options),
				"2 candidates have been invited to it, and 1 candidate has completed it", "on_refused_removal", "state rm")
		}
		s.writesNothing()
	})
}

// With on_refused_removal = "forget", the resource is dropped from the state and stays
// in the service. A replacement attaches a new position assessment.
func TestForgetInvited(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.applies(forgetting("a", backend), forgetting("b", aberdeen))
		s.service.Invite(s.t, backend, "asm-facet")
		s.service.Invite(s.t, aberdeen, "asm-facet")
		before := s.attached()
		moved := forgetting("a", leeds)
		s.warns(s.applies(moved), "stays attached")
		s.stays(simulatedConfig(moved))
		if after := s.attached(); len(after) != len(before)+1 {
			s.t.Errorf("attached: %v, want one more than %v", after, before)
		}
	})
}

// A plan sends at most one results request for each position from which it removes something, and
// none for others. Its apply sends none. Candidates of other assessments and positions do not block
// a removal.
func TestRemovalBesideInvited(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		kept, elsewhere := lumen("kept", backend), facet("elsewhere", leeds)
		all := simulatedConfig(facet("a", backend), northlight("b", backend), kept, elsewhere)
		s.apply(all)
		s.service.Invite(s.t, backend, "asm-lumen")
		s.service.Invite(s.t, leeds, "asm-facet")
		s.stays(all)
		s.service.AssertCount(s.t, http.MethodGet, sandbox.RouteResults, 0)
		s.converges(kept, elsewhere)
		s.service.AssertCount(s.t, http.MethodGet, sandbox.RouteResults, 1)
	})
}

// A change of a completed assessment warns that scores cannot be compared.
func TestChangeOfCompleted(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.applies(benchmarked("a", backend, engineersBenchmark))
		invitation := s.service.Invite(s.t, backend, "asm-lumen")
		if r := s.applies(benchmarked("a", backend, graduatesBenchmark)); r.Says("Scores that cannot be compared") {
			s.t.Errorf("the plan warns before a candidate has completed it: %v", r.Diagnostics)
		}
		s.service.Complete(s.t, invitation)
		r := s.applies(benchmarked("a", backend, engineersBenchmark))
		s.warns(r, "Scores that cannot be compared", "1 candidate has completed")
	})
}

// One of 40 positions has an invited candidate. Nothing is removed, there is one error,
// and there are at most 40 results requests. With "forget", the state
// is empty after the destroy, and the service has one position assessment left.
func TestDestroyOf40Positions(t *testing.T) {
	t.Parallel()
	const positions = 40
	for _, refusal := range []string{"fail", "forget"} {
		onceAs(t, refusal, func(s *simulation) {
			config := simulatedConfig(counted(func(name, position string) coretest.Resource {
				return positionAssessment(name, position, "asm-lumen", "on_refused_removal", refusal)
			}, numbered(0, positions)...)...)
			s.apply(config)
			s.service.Invite(s.t, "pos-0037", "asm-lumen")
			s.service.ResetJournal()
			r := s.core.Destroy(s.t.Context(), config, s.options)
			if n := s.service.Count(http.MethodGet, sandbox.RouteResults); n > positions {
				s.t.Errorf("%d results requests, want at most %d", n, positions)
			}
			if refusal == "fail" {
				s.fails(r, "Removal that the service would refuse", "pos-0037", "1 candidate has been invited")
				isError := func(d coretest.Diagnostic) bool { return d.Error }
				if i := slices.IndexFunc(r.Diagnostics, isError); slices.ContainsFunc(r.Diagnostics[i+1:], isError) {
					s.t.Errorf("more than one error: %v", r.Diagnostics)
				}
				s.writesNothing()
				return
			}
			s.warns(s.succeeds(r), "stays attached")
			if left := s.attached(); len(s.core.State.Instances) > 0 || fmt.Sprint(left) != "[pos-0037: asm-lumen]" {
				s.t.Errorf("the state has %v, and the service %q", s.core.State.Addresses(), left)
			}
		}, func(o *sandboxtest.Options) { o.Seed = stateWithPositions(positions) })
	}
}

// What happens on a refused removal is in every plan and state, also if it is the default and after an import, so that
// a policy can read it. A state of an earlier version has null, which plans no change.
func TestRemovalSettingIsShown(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		a, b := facet("a", backend), forgetting("b", leeds)
		s.applies(a, b)
		imported := simulatedConfig(a, b)
		imported.Imports = []coretest.Import{{To: a.Addr, ID: backend + "/" + s.id(a)}}
		s.core.Forget(a.Addr)
		s.succeeds(s.apply(imported))
		for r, want := range map[string]string{a.Addr: "fail", b.Addr: "forget"} {
			if got := s.core.State.Object(r).Text("on_refused_removal"); got != want {
				t.Errorf("%s has %q, want %q", r, got, want)
			}
		}
		s.stays(simulatedConfig(a, b))
	})
}

// If the service refuses a removal, the resource stays in the state, and the error
// shows how to drop it from the state.
func TestRefusedRemoval(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a := facet("a", backend)
		s.applies(a)
		s.service.Invite(s.t, backend, "asm-facet")
		s.env["ASSESS_PLAN_CHECKS"] = "false" // otherwise the plan refuses it
		s.fails(s.run(), "Could not remove the position assessment", `from position "pos-backend-london"`, "409 Conflict",
			"only while no candidate has been invited to it", "state rm 'ADDRESS'")
		if s.object(a) == nil {
			s.t.Error("the resource is gone from the state")
		}
	})
}
