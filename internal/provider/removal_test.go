// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// invites invites a candidate to the assessment of a position.
func (s *simulation) invites(position, assessment string) (invitation string) {
	s.t.Helper()
	s.change(func(st *sandbox.State) {
		var err error
		if invitation, err = sandboxtest.Invite(st, position, assessment); err != nil {
			s.t.Fatal(err)
		}
	})
	return invitation
}

func (s *simulation) completes(invitation string) {
	s.t.Helper()
	s.change(func(st *sandbox.State) {
		if err := sandboxtest.Complete(st, invitation); err != nil {
			s.t.Fatal(err)
		}
	})
}

// forgetting is a resource that is dropped from the state if its removal is refused.
func forgetting(name, position, assessment string) coretest.Resource {
	return attaching(name, position, assessment, "on_refused_removal", "forget")
}

// Destroying what candidates have been invited to is refused at plan, with how many
// there are and what can be done.
func TestDestroyOfInvited(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulated(
			attaching("a", "pos-backend-london", "asm-facet"),
			attaching("b", "pos-support-leeds", "asm-facet"),
		)
		s.apply(config)
		s.completes(s.invites("pos-support-leeds", "asm-facet"))
		s.invites("pos-support-leeds", "asm-facet")
		before := s.attached()
		r := s.core.Destroy(s.t.Context(), config, s.options)
		if r.Err() == nil || !r.Says("2 candidates have been invited to it, and 1 of them completed it") ||
			!r.Says("on_refused_removal") || !r.Says("state rm") {
			s.t.Errorf("the refusal lacks numbers or ways out: %v", r.Diagnostics)
		}
		// The second time is no different from the first.
		if again := s.core.Destroy(s.t.Context(), config, s.options); again.Err() == nil || !again.Says("2 candidates") {
			s.t.Errorf("the second destroy is not refused at plan: %v", again.Diagnostics)
		}
		if after := s.attached(); !slices.Equal(after, before) {
			s.t.Errorf("something was removed: %v, before: %v", after, before)
		}
	})
}

// Replacing it is refused, too, whatever causes the replacement.
func TestReplacementOfInvited(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(o *coretest.Options) coretest.Config{
		"another position": func(*coretest.Options) coretest.Config {
			return simulated(attaching("a", "pos-support-leeds", "asm-facet"))
		},
		"-replace": func(o *coretest.Options) coretest.Config {
			o.Replace = []string{attachmentAddr + "a"}
			return simulated(attaching("a", "pos-backend-london", "asm-facet"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.apply(simulated(attaching("a", "pos-backend-london", "asm-facet")))
				s.invites("pos-backend-london", "asm-facet")
				options := s.options
				config := change(&options)
				if r := s.core.Plan(s.t.Context(), config, options); r.Err() == nil || !r.Says("1 candidate has been invited") {
					s.t.Errorf("it is not refused: %v", r.Diagnostics)
				}
			})
		})
	}
}

// With on_refused_removal = "forget", the resource leaves the state and stays in the
// service. A replacement attaches the new one.
func TestForgetInvited(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.apply(
			simulated(forgetting("a", "pos-backend-london", "asm-facet"), forgetting("b", "pos-safety-aberdeen", "asm-facet")),
		)
		s.invites("pos-backend-london", "asm-facet")
		s.invites("pos-safety-aberdeen", "asm-facet")
		before := s.attached()
		moved := simulated(forgetting("a", "pos-support-leeds", "asm-facet"))
		r := s.apply(moved)
		if !r.Says("stays in the service") {
			s.t.Errorf("it does not say what stays: %v", r.Diagnostics)
		}
		s.stays(moved)
		if after := s.attached(); len(after) != len(before)+1 {
			s.t.Errorf("attached: %v, want one more than %v", after, before)
		}
	})
}

// Candidates of other assessments and other positions block nothing.
func TestRemovalBesideInvited(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulated(
			attaching("a", "pos-backend-london", "asm-facet"), attaching("b", "pos-backend-london", "asm-lumen"),
			attaching("c", "pos-support-leeds", "asm-facet"),
		)
		s.apply(config)
		s.invites("pos-backend-london", "asm-lumen")
		s.invites("pos-support-leeds", "asm-facet")
		rest := simulated(config.Resources[1], config.Resources[2])
		s.apply(rest)
		s.stays(rest)
	})
}

// A change of what candidates have completed warns: scores do not compare.
func TestChangeOfCompleted(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		benchmark := func(id string) coretest.Config {
			return simulated(attaching("a", "pos-backend-london", "asm-lumen", "benchmark", coretest.Body{"id": id}))
		}
		s.apply(benchmark("bmk-lumen-engineers-en-gb"))
		invitation := s.invites("pos-backend-london", "asm-lumen")
		if r := s.apply(benchmark("bmk-lumen-graduates-en-gb")); r.Says("do not compare") {
			s.t.Errorf("it warns before anyone has completed it: %v", r.Diagnostics)
		}
		s.completes(invitation)
		if r := s.apply(
			benchmark("bmk-lumen-engineers-en-gb"),
		); !r.Says("1 candidate has completed") ||
			!r.Says("do not compare") {
			s.t.Errorf("it does not warn: %v", r.Diagnostics)
		}
	})
}

// A plan sends at most one results request for each affected position, and none
// for others. Its apply sends none.
func TestEconomyOfRemovals(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulated(
			attaching("a", "pos-backend-london", "asm-facet"), attaching("b", "pos-backend-london", "asm-lumen"),
			attaching("c", "pos-support-leeds", "asm-facet"),
		)
		s.apply(config)
		results := map[string]int{}
		s.network.Decide = func(_ int, r *http.Request) coretest.Event {
			if strings.HasSuffix(r.URL.Path, "/results") {
				results[r.URL.Path]++
			}
			return coretest.Pass
		}
		s.stays(config)
		if len(results) > 0 {
			s.t.Errorf("a plan without changes sends %v", results)
		}
		plan := s.succeeds(s.core.Plan(s.t.Context(), simulated(config.Resources[2]), s.options))
		if len(results) != 1 || results["/v1/positions/pos-backend-london/results"] != 1 {
			s.t.Errorf("the plan sends %v, want one request for the position of the two that are removed", results)
		}
		s.succeeds(s.core.ApplyPlan(s.t.Context(), plan.Plan, s.options))
		if results["/v1/positions/pos-backend-london/results"] != 1 {
			s.t.Errorf("with the apply that is %v", results)
		}
	})
}

// 40 positions, one of them with an invited candidate: nothing is removed, there is
// one error, and at most 40 results requests within the limits. With forget, all is
// gone from the state, and 39 from the service.
func TestDestroyOf40Positions(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{"fail", "forget"} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			const positions = 40
			service, c := large(t, positions)
			c.useText(
				onPositions(
					fmt.Sprintf("%s\n  on_refused_removal = %q", estates["benchmarks"], refusal),
					numbered(0, positions)...),
			)
			c.apply().ok()
			service.Invite(t, "pos-0037", "asm-lumen")
			service.ResetJournal()
			destroyed := c.destroy()
			if n := service.Count(http.MethodGet, sandbox.RouteResults); n > positions {
				t.Errorf("%d results requests, want at most %d", n, positions)
			}
			left := numbered(0, positions)
			if refusal == "forget" {
				destroyed.ok().warns("stays in the service")
				left = []string{"pos-0037"}
				if inState := c.addresses(); len(inState) > 0 {
					t.Errorf("left in the state: %v", inState)
				}
			} else {
				destroyed.fails("Removal that the service would refuse", "pos-0037", "1 candidate has been invited")
				if len(destroyed.errors) != 1 {
					t.Errorf("%d errors, want one:\n%s", len(destroyed.errors), destroyed.text())
				}
			}
			attachedOnce(t, service, left...)
		})
	}
}
