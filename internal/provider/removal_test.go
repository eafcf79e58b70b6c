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

// forgetting returns a resource that is dropped from the state if its removal is
// refused.
func forgetting(name, position, assessment string) coretest.Resource {
	return positionAssessment(name, position, assessment, "on_refused_removal", "forget")
}

// A plan refuses to destroy a position assessment to which candidates are invited. It
// shows how many they are and what to do.
func TestDestroyOfInvited(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(
			positionAssessment("a", "pos-backend-london", "asm-facet"),
			positionAssessment("b", "pos-support-leeds", "asm-facet"),
		)
		s.apply(config)
		s.completes(s.invites("pos-support-leeds", "asm-facet"))
		s.invites("pos-support-leeds", "asm-facet")
		before := s.attached()
		r := s.core.Destroy(s.t.Context(), config, s.options)
		if r.Err() == nil || !r.Says("2 candidates have been invited to it, and 1 candidate has completed it") ||
			!r.Says("on_refused_removal") || !r.Says("state rm") {
			s.t.Errorf("the refusal lacks numbers or actions: %v", r.Diagnostics)
		}
		// The second attempt is refused in the same way.
		if again := s.core.Destroy(s.t.Context(), config, s.options); again.Err() == nil || !again.Says("2 candidates") {
			s.t.Errorf("the plan of the second destroy is not refused: %v", again.Diagnostics)
		}
		if after := s.attached(); !slices.Equal(after, before) {
			s.t.Errorf("position assessments were removed: %v, before: %v", after, before)
		}
	})
}

// A replacement is refused too, whatever causes it.
func TestReplacementOfInvited(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(o *coretest.Options) coretest.Config{
		"another position": func(*coretest.Options) coretest.Config {
			return simulatedConfig(positionAssessment("a", "pos-support-leeds", "asm-facet"))
		},
		"-replace": func(o *coretest.Options) coretest.Config {
			o.Replace = []string{attachmentAddr + "a"}
			return simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-facet"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.apply(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-facet")))
				s.invites("pos-backend-london", "asm-facet")
				options := s.options
				config := change(&options)
				if r := s.core.Plan(s.t.Context(), config, options); r.Err() == nil || !r.Says("1 candidate has been invited") {
					s.t.Errorf("the plan is not refused: %v", r.Diagnostics)
				}
			})
		})
	}
}

// With on_refused_removal = "forget", the resource is dropped from the state and stays
// in the service. A replacement attaches a new position assessment.
func TestForgetInvited(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.apply(
			simulatedConfig(
				forgetting("a", "pos-backend-london", "asm-facet"),
				forgetting("b", "pos-safety-aberdeen", "asm-facet"),
			),
		)
		s.invites("pos-backend-london", "asm-facet")
		s.invites("pos-safety-aberdeen", "asm-facet")
		before := s.attached()
		moved := simulatedConfig(forgetting("a", "pos-support-leeds", "asm-facet"))
		r := s.apply(moved)
		if !r.Says("stays attached") {
			s.t.Errorf("there is no message about what stays attached: %v", r.Diagnostics)
		}
		s.stays(moved)
		if after := s.attached(); len(after) != len(before)+1 {
			s.t.Errorf("attached: %v, want one more than %v", after, before)
		}
	})
}

// threeOnTwoPositions configures two assessments on one position, and one on another.
func threeOnTwoPositions() coretest.Config {
	return simulatedConfig(
		positionAssessment("a", "pos-backend-london", "asm-facet"),
		positionAssessment("b", "pos-backend-london", "asm-lumen"),
		positionAssessment("c", "pos-support-leeds", "asm-facet"),
	)
}

// Candidates of other assessments and other positions do not block a removal.
func TestRemovalWithOtherInvitations(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := threeOnTwoPositions()
		s.apply(config)
		s.invites("pos-backend-london", "asm-lumen")
		s.invites("pos-support-leeds", "asm-facet")
		rest := simulatedConfig(config.Resources[1], config.Resources[2])
		s.apply(rest)
		s.stays(rest)
	})
}

// A change of a completed assessment warns that scores cannot be compared.
func TestChangeOfCompleted(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		benchmark := func(id string) coretest.Config {
			return simulatedConfig(
				positionAssessment("a", "pos-backend-london", "asm-lumen", "benchmark", coretest.Body{"id": id}),
			)
		}
		s.apply(benchmark("bmk-lumen-engineers-en-gb"))
		invitation := s.invites("pos-backend-london", "asm-lumen")
		if r := s.apply(benchmark("bmk-lumen-graduates-en-gb")); r.Says("Scores that cannot be compared") {
			s.t.Errorf("the plan warns before a candidate has completed it: %v", r.Diagnostics)
		}
		s.completes(invitation)
		if r := s.apply(
			benchmark("bmk-lumen-engineers-en-gb"),
		); !r.Says("1 candidate has completed") ||
			!r.Says("Scores that cannot be compared") {
			s.t.Errorf("the plan does not warn: %v", r.Diagnostics)
		}
	})
}

// A plan sends at most one results request for each affected position, and none for
// others. Its apply sends none.
func TestRequestCountOfRemovals(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := threeOnTwoPositions()
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
		plan := s.succeeds(s.core.Plan(s.t.Context(), simulatedConfig(config.Resources[2]), s.options))
		if len(results) != 1 || results["/v1/positions/pos-backend-london/results"] != 1 {
			s.t.Errorf("the plan sends %v, want one request for the position of the two that are removed", results)
		}
		s.succeeds(s.core.ApplyPlan(s.t.Context(), plan.Plan, s.options))
		if results["/v1/positions/pos-backend-london/results"] != 1 {
			s.t.Errorf("the apply also sends results requests: %v", results)
		}
	})
}

// One of 40 positions has an invited candidate. Nothing is removed, there is one error,
// and there are at most 40 results requests within the limits. With "forget", the state
// is empty after the destroy, and the service has one position assessment left.
func TestDestroyOf40Positions(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{"fail", "forget"} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			const positions = 40
			service, c := large(t, positions)
			c.useText(
				onPositions(
					fmt.Sprintf("%s\n  on_refused_removal = %q", blockVariants["benchmarks"], refusal),
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
				destroyed.ok().warns("stays attached")
				left = []string{"pos-0037"}
				if inState := c.addresses(); len(inState) > 0 {
					t.Errorf("still in the state: %v", inState)
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
