// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// These scenarios are the promises of a plan: what it accepts applies, what it refuses sends
// nothing, and what was never applied changes nothing.

// atThreePositions returns position assessments a, b and c of three positions.
func atThreePositions() []coretest.Resource {
	return []coretest.Resource{
		positionAssessment("a", "pos-000", "asm-lumen"),
		positionAssessment("b", "pos-001", "asm-lumen"),
		positionAssessment("c", "pos-002", "asm-lumen"),
	}
}

// loses drops addresses from the state. The service keeps everything.
func (s *simulation) loses(addrs ...string) {
	for _, addr := range addrs {
		s.core.Forget(addr)
	}
	s.service.ResetJournal()
}

// writesNothing fails the test if the service received a request to change something.
func (s *simulation) writesNothing(since string) {
	s.t.Helper()
	for _, w := range s.service.Writes() {
		s.t.Errorf("%s: %s %s was sent", since, w.Method, w.Path)
	}
}

// accepted applies a plan on another machine, if the plan is accepted, and fails the test if
// the apply fails.
func (s *simulation) accepted(planned coretest.Result) bool {
	s.t.Helper()
	if planned.Plan == nil {
		return false
	}
	elsewhere := s.with(func(o *coretest.Options) { o.Machine = "other" })
	s.succeeds(s.core.ApplyPlan(s.t.Context(), planned.Plan, elsewhere))
	return true
}

// unknownPosition returns a creation whose position is known after the apply.
func unknownPosition() []coretest.Resource {
	d := positionAssessment("d", "", "asm-facet")
	d.Body["position_id"] = coretest.Ref{Addr: "terraform_data.position", Attribute: "output"}
	return []coretest.Resource{unknownString("position", "pos-003"), d}
}

// A plan that was never applied does not let a later run attach duplicates.
func TestPlanThatWasNeverApplied(t *testing.T) {
	t.Parallel()
	abandoned := map[string]func(s *simulation){
		"with an unknown position": func(s *simulation) {
			s.plan(simulatedConfig(append(atThreePositions(), unknownPosition()...)...))
			s.loses(s.core.State.Addresses()...)
		},
		"with a replacement": func(s *simulation) {
			s.plansForced(simulatedConfig(atThreePositions()...))
			s.loses(attachmentAddr + "a")
		},
	}
	for name, abandon := range abandoned {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				config := simulatedConfig(atThreePositions()...)
				s.apply(config)
				abandon(s)
				if r := s.core.Apply(s.t.Context(), config, s.options); r.Err() == nil {
					s.t.Errorf("duplicates were not refused: %v", r.Diagnostics)
				}
				s.writesNothing("after the state was lost")
			}, withPositions(4))
		})
	}
}

// A plan does not remove what it imports, whether the old address is dropped or moves to
// another position.
func TestImportOfWhatThePlanRemoves(t *testing.T) {
	t.Parallel()
	old := map[string][]coretest.Resource{
		"dropped": nil,
		"moved":   {positionAssessment("a", "pos-001", "asm-lumen")},
	}
	for name, a := range old {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.apply(simulatedConfig(positionAssessment("a", "pos-000", "asm-lumen")))
				id := coretest.Text(s.core.State.Instances[attachmentAddr+"a"].Current.Value, "id")
				s.service.ResetJournal()
				config := simulatedConfig(append(a, positionAssessment("b", "pos-000", "asm-lumen"))...)
				config.Imports = []coretest.Import{{To: attachmentAddr + "b", ID: "pos-000/" + id}}
				if r := s.core.Apply(s.t.Context(), config, s.options); r.Err() == nil {
					s.t.Errorf("the plan imports %s and removes it: %v", id, r.Diagnostics)
				}
				s.writesNothing("the plan must be refused")
			}, withPositions(2))
		})
	}
}

// An import and a replacement at the same address are legal.
func TestImportOfWhatItsOwnAddressReplaces(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.apply(simulatedConfig(positionAssessment("a", "pos-000", "asm-lumen")))
		id := coretest.Text(s.core.State.Instances[attachmentAddr+"a"].Current.Value, "id")
		s.loses(attachmentAddr + "a")
		config := simulatedConfig(positionAssessment("b", "pos-001", "asm-lumen"))
		config.Imports = []coretest.Import{{To: attachmentAddr + "b", ID: "pos-000/" + id}}
		s.apply(config)
		if attached := s.attached(); !slices.Contains(attached, "pos-001: asm-lumen") ||
			slices.Contains(attached, "pos-000: asm-lumen") {
			s.t.Errorf("attached: %q", attached)
		}
	}, withPositions(2))
}

// A lost response is recovered, although another machine made the plan.
func TestLostResponseOnAnotherMachine(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(atThreePositions()...)
		planned := s.succeeds(s.plan(config))
		s.network.Decide = posts(coretest.LoseResponse, 1)
		s.accepted(planned)
		s.network.Decide = nil
		s.service.AssertCount(s.t, http.MethodPost, sandbox.RoutePositionAssessments, 3)
		s.stays(config)
		s.noDuplicates()
	}, withPositions(3))
}

// A replacement with create_before_destroy is accepted, although a setting of the provider
// is known only after the apply.
func TestReplacementWithUnknownSettings(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := func(trigger string) coretest.Config {
			a := positionAssessment("a", "pos-000", "asm-lumen")
			a.CreateBeforeDestroy = true
			account := unknownString("account", sandbox.ClientID)
			account.Body["triggers_replace"] = trigger
			c := simulatedConfig(account, a)
			c.Providers[""]["client_id"] = coretest.Ref{Addr: account.Addr, Attribute: "output"}
			return c
		}
		s.apply(config("1"))
		planned := s.plansForced(config("2"))
		s.succeeds(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options))
		s.stays(config("2"))
		s.noDuplicates()
	}, withPositions(1))
}

// A literal test ID may be refused next to the activation of the test. If it is accepted, it
// applies. With -parallelism=1, that needs the notes of the plan: nothing else tells the apply
// about an activation that core plans later.
func TestLiteralTestThatIsAcceptedApplies(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(
			activation("go", "skt-go"),
			positionAssessment("a", "pos-000", "asm-workbench", "tests", coretest.Body{"ids": []string{"skt-go"}}),
		)
		planned := s.plan(config)
		switch {
		case planned.Plan != nil && s.options.Parallelism == 1:
			s.succeeds(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options))
			s.stays(config)
		case s.accepted(planned):
			s.stays(config)
		case !planned.Says("assess_skills_test_activation"):
			s.t.Errorf("the plan is not refused with the advice to refer to the activation: %v", planned.Diagnostics)
		}
	}, withPositions(1))
}

// A position that does not exist is refused, although the rest is known only after the
// apply.
func TestUnknownPositionWithUnknownBenchmark(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		benchmark := coretest.Ref{Addr: "terraform_data.benchmark", Attribute: "output"}
		r := s.plan(simulatedConfig(
			unknownString("benchmark", "bmk-lumen-graduates-en-gb"),
			positionAssessment("a", "pos-none", "asm-lumen", "benchmark", coretest.Body{"id": benchmark}),
		))
		if r.Err() == nil || !r.Says("pos-none") {
			s.t.Errorf("the plan does not refuse the position: %v", r.Diagnostics)
		}
	})
}

// Only the position assessment that others removed may be planned again in spite of what
// the service refuses, not another one of the same assessment on the same position.
func TestRefusalNextToRemovedPositionAssessment(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a := positionAssessment("a", "pos-000", "asm-lumen")
		s.apply(simulatedConfig(a))
		s.change(func(st *sandbox.State) { st.Position("pos-000").Assessments = nil })
		b := positionAssessment("b", "pos-000", "asm-lumen", "benchmark", coretest.Body{"id": "bmk-none"})
		if r := s.plan(simulatedConfig(a, b)); r.Err() == nil {
			s.t.Errorf("the unknown benchmark is not refused: %v", r.Diagnostics)
		}
		s.apply(simulatedConfig(a))
	}, withPositions(1))
}

// A copy of a resource attaches no duplicate. The plan may only warn, because the copy may
// be the new address of the original.
func TestCopiedResource(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		original := positionAssessment("a", "pos-000", "asm-lumen")
		s.apply(simulatedConfig(original))
		s.service.ResetJournal()
		copied := positionAssessment("b", "pos-000", "asm-lumen")
		if r := s.core.Apply(s.t.Context(), simulatedConfig(original, copied), s.options); r.Err() == nil {
			s.t.Errorf("the copy was applied: %v", r.Diagnostics)
		}
		s.writesNothing("a copy")
	}, withPositions(1))
}

// An apply with -target may adopt what another address has, because the CLI does not read that
// address. A later plan that removes one of the two does not remove what the other one keeps.
func TestObjectAtTwoAddresses(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a, b := positionAssessment("a", "pos-000", "asm-lumen"), positionAssessment("b", "pos-000", "asm-lumen")
		s.apply(simulatedConfig(a))
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
		s.succeeds(s.core.Apply(s.t.Context(), simulatedConfig(a, b), s.with(func(o *coretest.Options) {
			o.Targets = []string{b.Addr}
		})))
		s.service.ResetJournal()
		elsewhere := positionAssessment("a", "pos-001", "asm-lumen")
		for name, config := range map[string]coretest.Config{
			"removed": simulatedConfig(b), "moved": simulatedConfig(elsewhere, b),
		} {
			if r := s.core.Apply(s.t.Context(), config, s.options); r.Err() == nil || !r.Says("state rm") {
				s.t.Errorf("%s: the plan removes what it keeps: %v", name, r.Diagnostics)
			}
			s.writesNothing(name)
		}
		s.apply(simulatedConfig()) // both leave
	}, withPositions(2))
}

// An apply does not remove what its plan has imported, although the CLI does not say in a plan
// that it replaces a tainted instance.
func TestImportOfATaintedInstance(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a, b := positionAssessment("a", "pos-000", "asm-lumen"), positionAssessment("b", "pos-000", "asm-lumen")
		s.apply(simulatedConfig(a))
		id := coretest.Text(s.core.State.Instances[a.Addr].Current.Value, "id")
		s.core.Taint(a.Addr)
		s.service.ResetJournal()
		config := simulatedConfig(a, b)
		config.Imports = []coretest.Import{{To: b.Addr, ID: "pos-000/" + id}}
		if r := s.core.Apply(s.t.Context(), config, s.options); r.Err() == nil {
			s.t.Errorf("the run removes what it imports: %v", r.Diagnostics)
		}
		s.writesNothing("an import of a tainted instance")
		s.core.Forget(b.Addr)
		time.Sleep(time.Second)
		s.apply(simulatedConfig()) // a later plan takes the import back
		s.stays(simulatedConfig())
	}, withPositions(1))
}

// A plan does not change one position assessment into the configuration that another one is
// attached with.
func TestUpdateIntoAPlannedCreation(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		benchmark := coretest.Body{"id": "bmk-lumen-graduates-en-gb"}
		s.apply(simulatedConfig(positionAssessment("a", "pos-000", "asm-lumen")))
		s.service.ResetJournal()
		a := positionAssessment("a", "pos-000", "asm-lumen", "benchmark", benchmark)
		b := positionAssessment("b", "pos-000", "asm-lumen", "benchmark", benchmark)
		if r := s.core.Apply(s.t.Context(), simulatedConfig(a, b), s.options); r.Err() == nil {
			s.t.Errorf("both have the same configuration: %v", r.Diagnostics)
		}
		s.writesNothing("an update into a duplicate")
		if s.options.Parallelism == 1 {
			return // core may plan b before it reads a, so that a seems to be a duplicate
		}
		b = positionAssessment("b", "pos-000", "asm-lumen") // as a was
		s.apply(simulatedConfig(a, b))
		s.stays(simulatedConfig(a, b))
		s.noDuplicates()
	}, withPositions(1))
}

// Two position assessments do not change into the same configuration.
func TestUpdatesIntoTheSame(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		benchmark := func(id string) []any { return []any{"benchmark", coretest.Body{"id": id}} }
		config := func(a, b []any) coretest.Config {
			return simulatedConfig(positionAssessment("a", "pos-000", "asm-lumen", a...),
				positionAssessment("b", "pos-000", "asm-lumen", b...))
		}
		one, other := benchmark("bmk-lumen-graduates-en-gb"), benchmark("bmk-lumen-managers-en-gb")
		s.apply(config(nil, one))
		s.service.ResetJournal()
		if r := s.core.Apply(s.t.Context(), config(other, other), s.options); r.Err() == nil {
			s.t.Errorf("both have the same configuration: %v", r.Diagnostics)
		}
		s.writesNothing("two updates into the same")
		s.apply(config(one, nil)) // they swap
		s.stays(config(one, nil))
	}, withPositions(1))
}

// A literal test ID in an update has one verdict, whatever the order, and applies.
func TestLiteralTestInAnUpdate(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		tests := func(ids ...string) coretest.Resource {
			return positionAssessment("a", "pos-000", "asm-workbench", "tests", coretest.Body{"ids": ids})
		}
		s.apply(simulatedConfig(tests("skt-sql")))
		config := simulatedConfig(tests("skt-sql", "skt-go"), activation("go", "skt-go"))
		planned := s.plan(config)
		if planned.Plan == nil && s.options.Parallelism > 1 {
			s.t.Fatalf("the plan is refused: %v", planned.Diagnostics)
		}
		if planned.Plan != nil {
			s.succeeds(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options))
			s.stays(config)
		}
	}, withPositions(1))
}
