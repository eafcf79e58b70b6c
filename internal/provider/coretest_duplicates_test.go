// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// withPositions adds positions pos-000, pos-001, ... to the service.
func withPositions(n int) func(*sandbox.Options) {
	return func(o *sandbox.Options) {
		o.Seed = func() *sandbox.State {
			st := smallState()
			for i := range n {
				st.Positions = append(
					st.Positions,
					sandbox.Position{ID: positionName(i), Title: fmt.Sprintf("Position %d", i), Locale: "en-GB"},
				)
			}
			return st
		}
	}
}

func positionName(i int) string { return fmt.Sprintf("pos-%03d", i) }

// countedResources returns the instances of a resource with count, one for each
// position.
func countedResources(name, assessment string, positions ...string) []coretest.Resource {
	var all []coretest.Resource
	for i, p := range positions {
		all = append(all, positionAssessment(fmt.Sprintf("%s[%d]", name, i), p, assessment))
	}
	return all
}

func positionNames(from, to int) (names []string) {
	for i := from; i < to; i++ {
		names = append(names, positionName(i))
	}
	return names
}

func posts(event coretest.Event, skip int) func(int, *http.Request) coretest.Event {
	seen := 0
	return func(_ int, r *http.Request) coretest.Event {
		if r.Method != http.MethodPost {
			return coretest.Pass
		}
		if seen++; seen == skip+1 {
			return event
		}
		return coretest.Pass
	}
}

// After a killed apply, the next apply does not attach the same assessments again.
func TestKilledApplyIsNotDuplicated(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(countedResources("a", "asm-lumen", positionNames(0, 60)...)...)
		s.network.Decide = posts(coretest.KillAfter, 35)
		if r := s.core.Apply(s.t.Context(), config, s.options); !r.Killed {
			s.t.Fatal("the run was not killed")
		}
		s.network.Decide = nil
		s.core.Apply(s.t.Context(), config, s.options) // may be refused
		s.noDuplicates()
	}, withPositions(60))
}

// A lost response is recovered, even if no position assessment has a block.
func TestLostResponseIsRecovered(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(countedResources("a", "asm-lumen", positionNames(0, 3)...)...)
		s.network.Decide = posts(coretest.LoseResponse, 1)
		s.apply(config)
		s.network.Decide = nil
		s.stays(config)
		s.noDuplicates()
	}, withPositions(3))
}

// eachAssessment runs a scenario with an assessment that has no configuration, and with
// one that could have a configuration but has none. The service shows the second one
// differently.
func eachAssessment(t *testing.T, scenario func(s *simulation, assessment string), change ...func(*sandbox.Options)) {
	t.Helper()
	for _, assessment := range []string{"asm-facet", "asm-lumen"} {
		t.Run(assessment, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) { scenario(s, assessment) }, change...)
		})
	}
}

// The first element of a count is removed.
func TestShiftOfCount(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		names := positionNames(0, 24)
		s.apply(simulatedConfig(countedResources("a", assessment, names...)...))
		shifted := simulatedConfig(countedResources("a", assessment, names[1:]...)...)
		s.apply(shifted)
		s.stays(shifted)
		s.noDuplicates()
		if n := strings.Count(strings.Join(s.attached(), "\n"), "pos-0"); n != 23 {
			s.t.Errorf("%d are attached, want 23: %q", n, s.attached())
		}
	}, withPositions(24))
}

// Two resources swap their positions.
func TestSwapPositions(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		s.apply(
			simulatedConfig(
				positionAssessment("a", "pos-backend-london", assessment),
				positionAssessment("b", "pos-support-leeds", assessment),
			),
		)
		swapped := simulatedConfig(
			positionAssessment("a", "pos-support-leeds", assessment),
			positionAssessment("b", "pos-backend-london", assessment),
		)
		s.apply(swapped)
		s.stays(swapped)
		s.noDuplicates()
	})
}

// Two resources swap their positions, and one of them has create_before_destroy.
func TestSwapPositionsCreateFirst(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		config := func(a, b string) coretest.Config {
			first := positionAssessment("a", a, assessment)
			first.CreateBeforeDestroy = true
			return simulatedConfig(first, positionAssessment("b", b, assessment))
		}
		s.apply(config("pos-backend-london", "pos-support-leeds"))
		swapped := config("pos-support-leeds", "pos-backend-london")
		s.apply(swapped)
		s.stays(swapped)
		s.noDuplicates()
	})
}

// An object that is replaced because of -replace or a taint is not a duplicate of its
// replacement, even if the apply runs on another machine.
func TestForcedReplacementOnAnotherMachine(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		config := simulatedConfig(
			positionAssessment("a", "pos-backend-london", assessment),
			positionAssessment("b", "pos-support-leeds", assessment),
		)
		s.apply(config)
		s.core.Taint(attachmentAddr + "b")
		plan := s.plansForced(config)
		s.succeeds(s.core.ApplyPlan(s.t.Context(), plan.Plan, s.with(func(o *coretest.Options) { o.Machine = "other" })))
		s.stays(config)
		s.noDuplicates()
	})
}

// With create_before_destroy, an apply on another machine starts like a plan that
// attaches a duplicate: the core does not tell the provider what it replaces. The
// refusal names the setting that helps, and the setting works.
func TestForcedReplacementCreateFirstOnAnotherMachine(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		first := positionAssessment("a", "pos-backend-london", assessment)
		first.CreateBeforeDestroy = true
		config := simulatedConfig(first)
		s.apply(config)
		plan := s.plansForced(config)
		elsewhere := s.with(func(o *coretest.Options) { o.Machine = "other" })
		refused := s.core.ApplyPlan(s.t.Context(), plan.Plan, elsewhere)
		if refused.Err() == nil || !refused.Says("ASSESS_PLAN_CHECKS=false") {
			s.t.Fatalf("the error does not name ASSESS_PLAN_CHECKS=false: %v", refused.Err())
		}
		s.noDuplicates()
		s.env["ASSESS_PLAN_CHECKS"] = "false"
		s.succeeds(s.core.ApplyPlan(s.t.Context(), s.plansForced(config).Plan, elsewhere))
		delete(s.env, "ASSESS_PLAN_CHECKS")
		s.stays(config)
		s.noDuplicates()
	})
}

// On the machine that made the plan, its notes distinguish a replacement from a
// duplicate.
func TestForcedReplacementCreateFirst(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		first := positionAssessment("a", "pos-backend-london", assessment)
		first.CreateBeforeDestroy = true
		second := positionAssessment("b", "pos-support-leeds", assessment)
		second.CreateBeforeDestroy = true
		config := simulatedConfig(first, second)
		s.apply(config)
		s.core.Taint(attachmentAddr + "b")
		s.options.Refresh = coretest.NoRefresh
		s.succeeds(s.core.ApplyPlan(s.t.Context(), s.plansForced(config).Plan, s.options))
		s.stays(config)
		s.noDuplicates()
	})
}

// plansForced plans with -replace for resource "a".
func (s *simulation) plansForced(config coretest.Config) coretest.Result {
	s.t.Helper()
	return s.succeeds(s.core.Plan(s.t.Context(), config, s.with(func(o *coretest.Options) {
		o.Replace = []string{attachmentAddr + "a"}
	})))
}

// -minimal-refresh plans an instance twice. The two plans are not duplicates of each
// other.
func TestMinimalRefreshReplaces(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		if !s.core.Profile.MinimalRefresh {
			return
		}
		s.options.Refresh = coretest.MinimalRefresh
		s.apply(
			simulatedConfig(
				positionAssessment("a", "pos-backend-london", "asm-lumen"),
				positionAssessment("b", "pos-support-leeds", "asm-lumen"),
			),
		)
		s.core.Taint(attachmentAddr + "b")
		moved := simulatedConfig(
			positionAssessment("a", "pos-safety-aberdeen", "asm-lumen"),
			positionAssessment("b", "pos-support-leeds", "asm-lumen"),
		)
		s.apply(moved)
		s.stays(moved)
		s.noDuplicates()
	})
}

// create_before_destroy with a position that is unknown until the apply and then stays
// the same.
func TestCreateFirstWithUnknownPosition(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		config := func(trigger string) coretest.Config {
			position := unknownString("position", "pos-backend-london")
			position.Body["triggers_replace"] = trigger
			a := positionAssessment("a", "", assessment)
			a.Body["position_id"] = coretest.Ref{Addr: "terraform_data.position", Attribute: "output"}
			a.CreateBeforeDestroy = true
			return simulatedConfig(position, a)
		}
		s.apply(config("1"))
		s.apply(config("2"))
		s.stays(config("2"))
		s.noDuplicates()
	})
}

// A duplicate of a position assessment outside the state is refused, whoever attached
// it.
func TestDuplicateOfAnotherIsRefused(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.change(func(st *sandbox.State) {
			if _, err := st.Attach("pos-backend-london", "asm-lumen", sandbox.Metadata{}); err != nil {
				s.t.Fatal(err)
			}
		})
		r := s.core.Apply(
			s.t.Context(),
			simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-lumen")),
			s.options,
		)
		if r.Err() == nil || !r.Says("import") {
			s.t.Errorf("the plan is not refused with the advice to import: %v", r.Diagnostics)
		}
		s.noDuplicates()
	})
}
