// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// These scenarios are the promises of a plan: what it accepts applies, also on another machine,
// and what was never applied changes nothing.

// An import and a replacement at the same address are legal.
func TestImportOfWhatItsOwnAddressReplaces(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a, b := lumen("a", backend), lumen("b", leeds)
		s.applies(a)
		id := s.id(a)
		s.loses(a.Addr)
		s.apply(importing(backend+"/"+id, b))
		if on := s.on(leeds); len(on) != 1 || len(s.on(backend)) != 0 {
			s.t.Errorf("the positions have %q and %q", s.on(backend), on)
		}
	})
}

// A lost response is recovered, also if another machine made the plan, and although no block tells
// position assessments apart.
func TestLostResponseIsRecovered(t *testing.T) {
	t.Parallel()
	for machine, apply := range map[string]func(*simulation, coretest.Result){
		"of the plan": func(s *simulation, planned coretest.Result) { s.appliesPlan(planned) },
		"another":     func(s *simulation, planned coretest.Result) { s.succeeds(s.runsElsewhere(planned)) },
	} {
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				config := simulatedConfig(lumen("a", backend), lumen("b", leeds), lumen("c", aberdeen))
				planned := s.plan(config)
				s.network.Decide = onRequest(http.MethodPost, coretest.LoseResponse, 1)
				apply(s, planned)
				s.service.AssertCount(s.t, http.MethodPost, sandbox.RoutePositionAssessments, 3)
				s.stays(config)
				s.noDuplicates()
			})
		})
	}
}

// A replacement with create_before_destroy is accepted, although a setting of the provider
// is known only after the apply.
func TestReplacementWithUnknownSettings(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := func(trigger string) coretest.Config {
			account := unknownString("account", sandbox.ClientID)
			account.Body["triggers_replace"] = trigger
			c := simulatedConfig(account, createFirst(lumen("a", backend)))
			c.Providers[""]["client_id"] = outputOf("account")
			return c
		}
		s.apply(config("1"))
		s.appliesPlan(s.plansForced(config("2")))
		s.stays(config("2"))
		s.noDuplicates()
	})
}

// With create_before_destroy, an apply on another machine starts like a plan that attaches a
// duplicate: the core does not tell the provider what it replaces. The refusal names the setting
// that helps. A saved plan contains the configuration but not the environment, so the variable works.
func TestReplacementCreateFirstOnAnotherMachine(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(createFirst(lumen("a", backend)))
		s.apply(config)
		planned := s.plansForced(config)
		s.fails(s.runsElsewhere(planned), duplicateSummary, `"pas-0001"`, "ASSESS_PLAN_CHECKS=false")
		s.service.AssertCount(s.t, http.MethodDelete, "", 0)
		s.noDuplicates()
		planned = s.plansForced(config)
		s.env["ASSESS_PLAN_CHECKS"] = "false"
		s.succeeds(s.runsElsewhere(planned))
		delete(s.env, "ASSESS_PLAN_CHECKS")
		s.stays(config)
		s.noDuplicates()
	})
}

// A literal test ID may be refused beside the activation of the test. If it is accepted, it
// applies. With -parallelism=1, that needs the notes of the plan: nothing else tells the apply
// about an activation that core plans later.
func TestLiteralTestThatIsAcceptedApplies(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(activation("go", "skt-go"), tested("a", backend, "skt-go"))
		planned := s.plan(config)
		switch {
		case planned.Plan == nil:
			s.fails(planned, "refer to that resource", "assess_skills_test_activation")
			return
		case s.options.Parallelism == 1:
			s.appliesPlan(planned)
		default:
			s.succeeds(s.runsElsewhere(planned))
		}
		s.stays(config)
	})
}

// A literal test ID in an update has one verdict with any parallelism above 1, and applies.
func TestLiteralTestInAnUpdate(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.applies(tested("a", backend, "skt-sql"))
		config := simulatedConfig(tested("a", backend, "skt-sql", "skt-go"), activation("go", "skt-go"))
		if planned := s.plan(config); planned.Plan != nil || s.options.Parallelism > 1 {
			s.appliesPlan(planned)
			s.stays(config)
		}
	})
}

// A plan that was refused notes nothing on which a later one relies.
func TestRefusedPlanIsNotTrusted(t *testing.T) {
	t.Parallel()
	for name, scenario := range map[string]func(*simulation){
		"an activation": func(s *simulation) {
			a := tested("a", backend, "skt-go")
			first := s.plan(simulatedConfig(a, activation("go", "skt-go")))
			s.options.Refresh = coretest.NoRefresh
			if second := s.plan(simulatedConfig(a)); first.Err() != nil && second.Err() == nil {
				s.t.Errorf("the second plan is accepted: %v", second.Diagnostics)
			}
		},
		"an import": func(s *simulation) {
			a := lumen("a", backend)
			s.applies(a)
			saved := s.plan(simulatedConfig())
			s.fails(s.plan(importing(backend+"/"+s.id(a), lumen("b", backend))), "Import of a resource that is destroyed")
			s.appliesPlan(saved)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inOrders(t, scenario)
		})
	}
}

// adoptBeside takes the object of resource a into the state under address b, too. An apply with
// -target can do that, because the CLI does not read a.
func (s *simulation) adoptBeside(a, b coretest.Resource) {
	s.env["ASSESS_ADOPT_EXISTING"] = "true"
	onlyB := s.with(func(o *coretest.Options) { o.Targets = []string{b.Addr} })
	s.succeeds(s.core.Apply(s.t.Context(), simulatedConfig(a, b), onlyB))
	delete(s.env, "ASSESS_ADOPT_EXISTING")
	s.service.ResetJournal()
}

// What another address imports or keeps is never removed, however often the user applies, and
// although the CLI does not say in a plan that it replaces a tainted instance. A later plan takes
// the import back.
func TestSharedObjectIsKept(t *testing.T) {
	t.Parallel()
	a, b := lumen("a", backend), lumen("b", backend)
	for name, share := range map[string]func(s *simulation) coretest.Config{
		"by an import": func(s *simulation) coretest.Config { return importing(backend+"/"+s.id(a), b, a) },
		"by an adoption": func(s *simulation) coretest.Config {
			s.adoptBeside(a, b)
			return simulatedConfig(a, b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inOrders(t, func(s *simulation) {
				s.applies(a)
				shared := s.on(backend)
				config := share(s)
				s.core.Taint(a.Addr)
				s.service.ResetJournal()
				for range 2 {
					r := s.core.Apply(s.t.Context(), config, s.options)
					s.fails(r, "Could not remove the position assessment", "The state has it at another address, too, or another resource imports")
				}
				s.writesNothing()
				if on := s.on(backend); !slices.Equal(on, shared) {
					s.t.Errorf("the position has %q, want %q", on, shared)
				}
				s.loses(b.Addr)
				time.Sleep(time.Second)
				s.converges()
			})
		})
	}
}

// An apply without checks adopts what its plan has said, instead of attaching it again.
func TestAdoptionWithoutChecks(t *testing.T) {
	t.Parallel()
	a := lumen("a", backend)
	simulate(t, func(s *simulation) {
		s.applies(a)
		s.loses(a.Addr)
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
		saved := s.plansForced(simulatedConfig(a))
		s.service.ResetJournal()
		s.env["ASSESS_PLAN_CHECKS"] = "false"
		s.appliesPlan(saved)
		s.writesNothing()
	})
}

// If two addresses have one object, a plan does not remove under one what the other one keeps.
func TestObjectAtTwoAddresses(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a, b := lumen("a", backend), lumen("b", backend)
		s.applies(a)
		s.adoptBeside(a, b)
		s.fails(s.run(b), "state rm")
		s.fails(s.run(lumen("a", leeds), b), "state rm")
		s.writesNothing()
		s.applies() // both leave
	})
}

// A saved plan whose apply failed can be applied again.
func TestSavedPlanAppliesAgain(t *testing.T) {
	t.Parallel()
	for failure, row := range map[string]struct {
		causes, ends func(*simulation)
	}{
		"read-only": {
			func(s *simulation) { s.env["ASSESS_READ_ONLY"] = "true" }, func(s *simulation) { delete(s.env, "ASSESS_READ_ONLY") },
		},
		"403": {
			func(s *simulation) {
				s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Status: http.StatusForbidden})
			},
			func(*simulation) {},
		},
	} {
		t.Run(failure, func(t *testing.T) {
			t.Parallel()
			inOrders(t, func(s *simulation) {
				config := simulatedConfig(createFirst(lumen("a", backend)))
				s.apply(config)
				before, saved := s.core.State, s.plansForced(config)
				row.causes(s)
				s.fails(s.core.ApplyPlan(s.t.Context(), saved.Plan, s.options), failure)
				row.ends(s)
				s.core.State = before
				s.appliesPlan(saved)
				s.stays(config)
				s.noDuplicates()
			})
		})
	}
}

// A process that plans and applies several times, as in "terraform test", trusts its own plans.
func TestReusedProcess(t *testing.T) {
	t.Parallel()
	a, b := createFirst(lumen("a", backend)), lumen("b", backend)
	for name, scenario := range map[string]func(*simulation){
		"plans a creation again": func(s *simulation) {
			s.core.KeepProcesses = true
			s.succeeds(s.plan(simulatedConfig(a)))
			s.succeeds(s.plan(simulatedConfig(a)))
		},
		"replaces a tainted instance": func(s *simulation) {
			s.core.KeepProcesses = true
			s.applies(a)
			s.core.Taint(a.Addr)
			s.applies(a)
		},
		"destroys what it has imported": func(s *simulation) {
			s.applies(a)
			config := importing(backend+"/"+s.id(a), b)
			s.loses(a.Addr)
			s.succeeds(s.plan(config))
			s.core.KeepProcesses = true
			s.apply(config)
			config.Imports = nil
			s.destroys(config)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inOrders(t, scenario)
		})
	}
}
