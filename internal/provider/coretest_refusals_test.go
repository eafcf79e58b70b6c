// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func removePosition(id string) func(*sandbox.State) {
	return func(st *sandbox.State) {
		st.Positions = slices.DeleteFunc(st.Positions, func(p sandbox.Position) bool { return p.ID == id })
	}
}

// destroys destroys everything and fails the test when anything is left in the
// state.
func (s *simulation) destroys(config coretest.Config) {
	s.t.Helper()
	s.succeeds(s.core.Destroy(s.t.Context(), config, s.options))
	if left := s.core.State.Addresses(); len(left) > 0 {
		s.t.Errorf("the state still holds %q", left)
	}
}

// Review entry 1: a position that was deleted in the service.
func TestDestroyAfterPositionVanished(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulated(
			attaching("a", "pos-backend-london", "asm-lumen"),
			attaching("b", "pos-support-leeds", "asm-lumen"),
		)
		s.apply(config)
		s.change(removePosition("pos-support-leeds"))
		s.destroys(config)
		if left := s.attached(); slices.ContainsFunc(left, func(a string) bool {
			return a == "pos-backend-london: "+
				"asm-lumen"
		}) {
			s.t.Errorf("still attached: %q", left)
		}
	})
}

// Review entry 1: a benchmark that was retired after its position assessment
// had been removed.
func TestDestroyAfterBenchmarkRetired(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		const benchmark = "bmk-lumen-graduates-en-gb"
		config := simulated(
			attaching("a", "pos-backend-london", "asm-lumen", "benchmark", coretest.Body{"id": benchmark}),
			attaching("b", "pos-support-leeds", "asm-lumen"),
		)
		s.apply(config)
		s.change(func(st *sandbox.State) {
			st.Position("pos-backend-london").Assessments = nil
			a := st.Assessment("asm-lumen")
			a.Benchmarks = slices.DeleteFunc(a.Benchmarks, func(b sandbox.Benchmark) bool { return b.ID == benchmark })
		})
		s.destroys(config)
	})
}

// Review entry 1: what an interrupted creation has left in the service.
func TestDestroyAfterInterruptedCreation(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.apply(simulated(attaching("a", "pos-backend-london", "asm-lumen")))
		both := simulated(attaching("a", "pos-backend-london", "asm-lumen"), attaching("b", "pos-support-leeds", "asm-lumen"))
		s.network.Decide = posts(coretest.KillAfter, 0)
		s.core.Apply(s.t.Context(), both, s.options)
		s.network.Decide = nil
		// The leftover is not in the state, so destroying cannot know it; it may be
		// refused with the way around, and that way must work.
		if r := s.core.Destroy(s.t.Context(), both, s.options); r.Err() != nil {
			if !r.Says("-refresh=false") {
				s.t.Errorf("the refusal does not say -refresh=false: %v", r.Err())
			}
			s.options.Refresh = coretest.NoRefresh
			s.destroys(both)
		}
	})
}

// Review entry 2: another position is a replacement and never judged as an
// update of the profile.
func TestSupervisedMove(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		profile := coretest.Body{"id": "prf-customer-first"}
		s.apply(simulated(attaching("a", "pos-backend-london", "asm-northlight")))
		s.change(func(st *sandbox.State) {
			if err := st.CompleteProfile("pos-backend-london", st.Position("pos-backend-london").Assessments[0].ID); err != nil {
				s.t.Fatal(err)
			}
		})
		moved := simulated(attaching("a", "pos-support-leeds", "asm-northlight", "profile", profile))
		s.apply(moved)
		s.stays(moved)
	})
}

// Review entry 6: "en-GB" and "en_GB" are one locale.
func TestLocaleSpelling(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.network.Edit = respell
		config := simulated(
			attaching("a", "pos-backend-london", "asm-lumen", "benchmark", coretest.Body{"id": "bmk-lumen-graduates-en-gb"}),
		)
		s.apply(config)
		s.stays(config)
	})
}

// Review entry 7: a retired assessment has two possible causes, and a way out.
func TestRetiredAssessment(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulated(
			attaching("a", "pos-backend-london", "asm-lumen"),
			attaching("b", "pos-support-leeds", "asm-northlight"),
		)
		s.apply(config)
		s.change(func(st *sandbox.State) {
			st.Position("pos-backend-london").Assessments = nil
			st.Assessments = slices.DeleteFunc(st.Assessments, func(a sandbox.Assessment) bool { return a.ID == "asm-lumen" })
		})
		r := s.core.Plan(s.t.Context(), config, s.options)
		if r.Err() == nil || !r.Says("state rm") {
			s.t.Errorf("it does not say state rm: %v", r.Err())
		}
	})
}

// A literal test id does not wait for its activation, so it is refused, also if the
// activation is planned at the same time.
func TestLiteralTestIsRefused(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.options.Parallelism = 10
		r := s.core.Plan(s.t.Context(), simulated(
			activating("go", "skt-go"),
			attaching("a", "pos-backend-london", "asm-workbench", "tests", coretest.Body{"ids": []string{"skt-go"}}),
		), s.options)
		if r.Err() == nil || !r.Says("assess_skills_test_activation") {
			s.t.Errorf("it is not refused with the advice to refer to the activation: %v", r.Diagnostics)
		}
	})
}

// A reference to the activation plans and applies in any order.
func TestReferenceToActivation(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulated(
			activating("go", "skt-go"),
			attaching("a", "pos-backend-london", "asm-workbench", "tests",
				coretest.Body{"ids": []any{coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"}}}),
		)
		s.apply(config)
		s.stays(config)
		s.destroys(config)
	})
}

// An alias is another provider process, which cannot know what this one plans. The
// message says so.
func TestActivationOfAnotherAlias(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulated(
			activating("go", "skt-go"),
			attaching("a", "pos-backend-london", "asm-workbench", "tests",
				coretest.Body{"ids": []any{coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"}}}),
		)
		config.Providers["other"] = config.Providers[""]
		config.Resources[0].Provider = "other"
		if r := s.core.Plan(s.t.Context(), config, s.options); r.Err() == nil || !r.Says("both resources need the same "+
			"alias") {
			s.t.Errorf("it does not say that both need the same alias: %v", r.Diagnostics)
		}
	})
}

// Review entry 9: "terraform test" configures a provider once for several runs,
// and what one run has imported another may destroy.
func TestImportedAndDestroyedInLaterRuns(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.core.KeepProcesses = true
		s.apply(simulated(attaching("a", "pos-backend-london", "asm-lumen")))
		id := coretest.Text(s.core.State.Objects("assess_position_assessment")[0].Value, "id")
		s.core.Forget(attachmentAddr + "a")
		config := simulated(attaching("b", "pos-backend-london", "asm-lumen"))
		config.Imports = []coretest.Import{{To: attachmentAddr + "b", ID: "pos-backend-london/" + id}}
		s.apply(config)
		s.destroys(config)
	})
}
