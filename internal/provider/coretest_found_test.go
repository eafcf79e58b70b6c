// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// These are minimal forms of failures that the simulation in internal/coretest found.

// A tainted instance with another configuration is planned twice without prior state.
func TestMinimalRefreshOfTaintedWithAnotherConfiguration(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		if !s.core.Profile.MinimalRefresh {
			return
		}
		packages := func(names ...string) coretest.Config {
			ids := []string{"pkg-problem-solving", "pkg-numerical-reasoning"}
			return simulatedConfig(
				positionAssessment(
					"a",
					"pos-backend-london",
					"asm-quartet",
					"packages",
					coretest.Body{"ids": append(ids, names...)},
				),
			)
		}
		s.apply(packages())
		s.core.Taint(attachmentAddr + "a")
		s.options.Refresh = coretest.MinimalRefresh
		s.apply(packages("pkg-processing-speed"))
		s.noDuplicates()
	})
}

// A tainted instance that moves is planned twice without prior state, at its new
// position.
func TestMinimalRefreshOfTaintedThatMoves(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		if !s.core.Profile.MinimalRefresh {
			return
		}
		s.apply(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-lumen")))
		s.core.Taint(attachmentAddr + "a")
		s.options.Refresh = coretest.MinimalRefresh
		s.apply(simulatedConfig(positionAssessment("a", "pos-support-leeds", "asm-lumen")))
		s.noDuplicates()
	})
}

// With -minimal-refresh, an instance that no longer exists is first planned as a
// replacement. A replacement may be attached next to a similar position assessment, but
// the creation that follows may not.
func TestMinimalRefreshOfDeletedThatMoves(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		if !s.core.Profile.MinimalRefresh {
			return
		}
		s.apply(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-lumen")))
		s.change(func(st *sandbox.State) {
			st.Position("pos-backend-london").Assessments = nil
			if _, err := st.Attach("pos-support-leeds", "asm-lumen", sandbox.Metadata{}); err != nil {
				s.t.Fatal(err)
			}
		})
		s.options.Refresh = coretest.MinimalRefresh
		moved := simulatedConfig(positionAssessment("a", "pos-support-leeds", "asm-lumen"))
		if r := s.core.Apply(s.t.Context(), moved, s.options); r.Err() == nil {
			s.t.Errorf("a duplicate was attached: %v", r.Diagnostics)
		}
		s.noDuplicates()
	})
}

// Two resources that attach the same are refused, even if the state has another
// configuration of that assessment on that position.
func TestTwoDuplicatesAndAnotherConfiguration(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		packages := func(name string, more ...string) coretest.Resource {
			ids := []string{"pkg-problem-solving", "pkg-numerical-reasoning"}
			return positionAssessment(
				name,
				"pos-backend-london",
				"asm-quartet",
				"packages",
				coretest.Body{"ids": append(ids, more...)},
			)
		}
		s.apply(simulatedConfig(packages("a")))
		config := simulatedConfig(packages("a"), packages("b", "pkg-processing-speed"), packages("c", "pkg-processing-speed"))
		if r := s.core.Plan(s.t.Context(), config, s.options); r.Err() == nil || !r.Says("remove one of the two resources") {
			s.t.Errorf("the plan is not refused: %v", r.Diagnostics)
		}
	})
}

// An instance that no longer exists may move to a position that another instance still
// has. The core passes the private data of the old object to the plan.
func TestShiftOfDeleted(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		names := positionNames(0, 3)
		s.apply(simulatedConfig(countedResources("a", assessment, names...)...))
		s.change(func(st *sandbox.State) { st.Position(names[1]).Assessments = nil })
		shifted := simulatedConfig(countedResources("a", assessment, names[1:]...)...)
		s.apply(shifted)
		s.stays(shifted)
		s.noDuplicates()
	}, withPositions(3))
}

// A tainted instance that no longer exists does not block a destroy, although the core
// does not pass the result of its read to the plan.
func TestDestroyOfDeletedTaintedInstance(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-lumen"))
		s.apply(config)
		s.core.Taint(attachmentAddr + "a")
		s.change(func(st *sandbox.State) {
			st.Positions = slices.DeleteFunc(st.Positions, func(p sandbox.Position) bool { return p.ID == "pos-backend-london" })
		})
		s.succeeds(s.core.Destroy(s.t.Context(), config, s.options))
	})
}

// A tainted instance may move to a position that another instance still has. The core
// does not tell the provider which object a taint replaces, so the plan may be refused
// with -parallelism=1. This is a known limitation.
func TestShiftOfTainted(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		s.options.Parallelism = 10
		names := positionNames(0, 3)
		s.apply(simulatedConfig(countedResources("a", assessment, names...)...))
		s.core.Taint(attachmentAddr + "a[0]")
		shifted := simulatedConfig(countedResources("a", assessment, names[1:]...)...)
		s.apply(shifted)
		s.stays(shifted)
		s.noDuplicates()
	}, withPositions(3))
}

// A tainted instance with create_before_destroy, whose position is unknown until the
// apply, is not a duplicate of the object that it replaces.
func TestTaintedCreateFirstWithUnknownPosition(t *testing.T) {
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
		s.core.Taint(attachmentAddr + "a")
		s.apply(config("2"))
		s.stays(config("2"))
		s.noDuplicates()
	})
}

// A failed create-before-destroy replacement leaves only a deposed object. The notes of
// the plan tell that the new creation is not a duplicate, even if the core has not
// visited the deposed object yet.
func TestCreationWithDeposedObject(t *testing.T) {
	t.Parallel()
	eachAssessment(t, func(s *simulation, assessment string) {
		a := positionAssessment("a", "pos-backend-london", assessment)
		a.CreateBeforeDestroy = true
		s.apply(simulatedConfig(a))
		s.core.Taint(attachmentAddr + "a")
		s.core.Profile.SavesEach = true
		plan := s.succeeds(s.core.Plan(s.t.Context(), simulatedConfig(a), s.options))
		s.network.Decide = func(_ int, r *http.Request) coretest.Event {
			if r.Method == http.MethodPost {
				s.core.State = s.core.State.Deposed(attachmentAddr + "a") // as after a run that fails here
				return coretest.KillBefore
			}
			return coretest.Pass
		}
		s.core.ApplyPlan(s.t.Context(), plan.Plan, s.options)
		s.network.Decide = nil
		if i := s.core.State.Instances[attachmentAddr+"a"]; i.Current != nil || len(i.Deposed) != 1 {
			s.t.Fatalf("nothing is deposed: %+v", i)
		}
		s.apply(simulatedConfig(a))
		s.stays(simulatedConfig(a))
		s.noDuplicates()
	})
}

// A selection that this service does not support refuses a plan, and so a destroy. The
// workaround of the troubleshooting guide works.
func TestDestroyWithoutMarksOfPackages(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.apply(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-lumen")))
		s.service.Assume(sandboxtest.Assumptions{PackageMark: "none"})
		config := simulatedConfig(
			positionAssessment("a", "pos-backend-london", "asm-lumen"),
			positionAssessment("b", "pos-support-leeds", "asm-quartet", "packages", coretest.Body{"select": "mandatory"}),
		)
		if r := s.core.PlanDestroy(s.t.Context(), config, s.options); r.Err() == nil {
			s.t.Error("the destroy is not refused, so the test proves nothing")
		}
		s.options.Refresh = coretest.NoRefresh
		s.destroys(config)
	})
}

// The plan reports warnings about a replacement in a call whose warnings the CLI shows.
func TestWarningsOfReplacementsAreShown(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		names := positionNames(0, 3)
		s.apply(simulatedConfig(countedResources("a", "asm-lumen", names...)...))
		s.change(removePosition(names[1]))
		r := s.core.Plan(s.t.Context(), simulatedConfig(countedResources("a", "asm-lumen", names[1:]...)...), s.options)
		for _, d := range r.Diagnostics {
			if d.Dropped &&
				!slices.ContainsFunc(
					r.Diagnostics,
					func(o coretest.Diagnostic) bool { return !o.Dropped && o.Summary == d.Summary },
				) {
				s.t.Errorf("the CLI does not show: %s", d)
			}
		}
	}, withPositions(3))
}
