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

// destroys destroys everything and fails the test if an object is left in the state.
func (s *simulation) destroys(config coretest.Config) {
	s.t.Helper()
	s.succeeds(s.core.Destroy(s.t.Context(), config, s.options))
	if left := s.core.State.Addresses(); len(left) > 0 {
		s.t.Errorf("the state still holds %q", left)
	}
}

// The position was deleted in the service.
func TestDestroyAfterPositionDeleted(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(
			positionAssessment("a", "pos-backend-london", "asm-lumen"),
			positionAssessment("b", "pos-support-leeds", "asm-lumen"),
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

// The benchmark was retired after its position assessment was removed.
func TestDestroyAfterBenchmarkRetired(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		const benchmark = "bmk-lumen-graduates-en-gb"
		config := simulatedConfig(
			positionAssessment("a", "pos-backend-london", "asm-lumen", "benchmark", coretest.Body{"id": benchmark}),
			positionAssessment("b", "pos-support-leeds", "asm-lumen"),
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

// An interrupted creation left a position assessment in the service.
func TestDestroyAfterInterruptedCreation(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.apply(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-lumen")))
		both := simulatedConfig(
			positionAssessment("a", "pos-backend-london", "asm-lumen"),
			positionAssessment("b", "pos-support-leeds", "asm-lumen"),
		)
		s.network.Decide = posts(coretest.KillAfter, 0)
		s.core.Apply(s.t.Context(), both, s.options)
		s.network.Decide = nil
		// The position assessment is not in the state, so the destroy does not know it. The
		// destroy may be refused, but the workaround of the troubleshooting guide must work.
		if r := s.core.Destroy(s.t.Context(), both, s.options); r.Err() != nil {
			s.options.Refresh = coretest.NoRefresh
			s.destroys(both)
		}
	})
}

// A move to another position is a replacement. It is never checked as an update of the
// profile.
func TestSupervisedMove(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		profile := coretest.Body{"id": "prf-customer-first"}
		s.apply(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-northlight")))
		s.change(func(st *sandbox.State) {
			if err := st.CompleteProfile("pos-backend-london", st.Position("pos-backend-london").Assessments[0].ID); err != nil {
				s.t.Fatal(err)
			}
		})
		moved := simulatedConfig(positionAssessment("a", "pos-support-leeds", "asm-northlight", "profile", profile))
		s.apply(moved)
		s.stays(moved)
	})
}

// "en-GB" and "en_GB" are the same locale.
func TestLocaleSpelling(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.network.Edit = respell
		config := simulatedConfig(
			positionAssessment(
				"a",
				"pos-backend-london",
				"asm-lumen",
				"benchmark",
				coretest.Body{"id": "bmk-lumen-graduates-en-gb"},
			),
		)
		s.apply(config)
		s.stays(config)
	})
}

// The message about a retired assessment names both possible causes and a workaround.
func TestRetiredAssessment(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(
			positionAssessment("a", "pos-backend-london", "asm-lumen"),
			positionAssessment("b", "pos-support-leeds", "asm-northlight"),
		)
		s.apply(config)
		s.change(func(st *sandbox.State) {
			st.Position("pos-backend-london").Assessments = nil
			st.Assessments = slices.DeleteFunc(st.Assessments, func(a sandbox.Assessment) bool { return a.ID == "asm-lumen" })
		})
		r := s.core.Plan(s.t.Context(), config, s.options)
		if r.Err() == nil || !r.Says("state rm") {
			s.t.Errorf("the message does not name state rm: %v", r.Err())
		}
	})
}

// A reference to the activation can be planned and applied in any order.
func TestReferenceToActivation(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(
			activation("go", "skt-go"),
			positionAssessment("a", "pos-backend-london", "asm-workbench", "tests",
				coretest.Body{"ids": []any{coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"}}}),
		)
		s.apply(config)
		s.stays(config)
		s.destroys(config)
	})
}

// Each alias has its own provider process, which does not know the plans of other
// processes. The message explains this.
func TestActivationOfAnotherAlias(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(
			activation("go", "skt-go"),
			positionAssessment("a", "pos-backend-london", "asm-workbench", "tests",
				coretest.Body{"ids": []any{coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"}}}),
		)
		config.Providers["other"] = config.Providers[""]
		config.Resources[0].Provider = "other"
		if r := s.core.Plan(s.t.Context(), config, s.options); r.Err() == nil || !r.Says("both resources must use the same alias") {
			s.t.Errorf("the message does not say that both require the same alias: %v", r.Diagnostics)
		}
	})
}

// "terraform test" configures a provider once for several runs. A later run may destroy
// what an earlier run imported.
func TestImportedAndDestroyedInLaterRuns(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.core.KeepProcesses = true
		s.apply(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-lumen")))
		id := coretest.Text(s.core.State.Objects("assess_position_assessment")[0].Value, "id")
		s.core.Forget(attachmentAddr + "a")
		config := simulatedConfig(positionAssessment("b", "pos-backend-london", "asm-lumen"))
		config.Imports = []coretest.Import{{To: attachmentAddr + "b", ID: "pos-backend-london/" + id}}
		s.apply(config)
		s.destroys(config)
	})
}
