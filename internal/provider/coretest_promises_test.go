// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"

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

// stuck applies a plan that replaces something on the same position with create_before_destroy. Core removes
// the old object only after the creation, so the apply refuses to attach an equal one, however often. With
// adopt_existing, one apply completes it.
func (s *simulation) stuck(config coretest.Config) {
	s.t.Helper()
	replace := s.with(func(o *coretest.Options) { o.Replace = []string{attachmentAddr + "a"} })
	for range 2 {
		s.service.ResetJournal()
		s.fails(s.core.Apply(s.t.Context(), config, replace), duplicateSummary, `"pas-0001"`, "create_before_destroy",
			"ASSESS_ADOPT_EXISTING=true")
		s.writesNothing()
	}
	s.env["ASSESS_ADOPT_EXISTING"] = "true"
	s.succeeds(s.core.Apply(s.t.Context(), config, replace))
	delete(s.env, "ASSESS_ADOPT_EXISTING")
	s.writesNothing()
	s.stays(config)
	s.noDuplicates()
}

// A replacement with create_before_destroy on the same position has a way out.
func TestReplacementCreateFirst(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]func(trigger string) coretest.Config{
		"known settings": func(string) coretest.Config { return simulatedConfig(createFirst(lumen("a", backend))) },
		"unknown settings": func(trigger string) coretest.Config {
			account := unknownString("account", sandbox.ClientID)
			account.Body["triggers_replace"] = trigger
			c := simulatedConfig(account, createFirst(lumen("a", backend)))
			c.Providers[""]["client_id"] = outputOf("account")
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.apply(config("1"))
				s.stuck(config("2"))
			})
		})
	}
}

// A literal test ID may be refused beside the activation of the test, because core may plan the activation
// later. If the plan is accepted, it applies. Only if core then plans the activation later in the
// apply, this takes a second apply.
func TestLiteralTestThatIsAcceptedApplies(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ before, after resources }{
		"creation": {nil, resources{activation("go", "skt-go"), tested("a", backend, "skt-go")}},
		"update": {
			resources{tested("a", backend, "skt-sql")},
			resources{tested("a", backend, "skt-sql", "skt-go"), activation("go", "skt-go")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.applies(row.before...)
				config := simulatedConfig(row.after...)
				planned := s.plan(config)
				if planned.Plan == nil {
					s.fails(planned, "Skills test not enabled", "refer to the activation", "assess_skills_test_activation")
					return
				}
				if applied := s.runsElsewhere(planned); applied.Err() != nil {
					s.fails(applied, "Skills test not enabled")
					s.apply(config)
				}
				s.stays(config)
			})
		})
	}
}

// Nothing that a refused plan found matters to a later one.
func TestRefusedPlanIsNotTrusted(t *testing.T) {
	t.Parallel()
	for name, scenario := range map[string]func(*simulation){
		"an activation": func(s *simulation) {
			a := tested("a", backend, "skt-go")
			s.plan(simulatedConfig(a, activation("go", "skt-go"))) // may be refused or abandoned
			s.options.Refresh = coretest.NoRefresh
			s.fails(s.plan(simulatedConfig(a)), "Skills test not enabled")
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

// An apply without checks looks before it attaches, and adopts.
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

// If two addresses have one object, a plan does not remove at one address what the other one keeps. It warns
// while both keep it, and destroys it if both leave.
func TestObjectAtTwoAddresses(t *testing.T) {
	t.Parallel()
	const summary = "Position assessment at two addresses"
	simulate(t, func(s *simulation) {
		a, b := lumen("a", backend), lumen("b", backend)
		s.applies(a)
		s.adoptBeside(a, b)
		s.fails(s.run(b), summary, "state rm 'ADDRESS'")
		s.fails(s.run(lumen("a", leeds), b), summary, "state rm 'ADDRESS'")
		s.warns(s.applies(a, b), summary, "state rm 'ADDRESS'")
		s.core.Taint(a.Addr) // core does not tell the provider, so that the plan can only warn
		s.warns(s.plan(simulatedConfig(a, b)), summary)
		s.core.State.Instances[a.Addr].Current.Tainted = false
		s.writesNothing()
		s.destroys(simulatedConfig(a, b))
		s.service.AssertCount(s.t, http.MethodDelete, "", 1)
	})
	simulate(t, func(s *simulation) { // the way out of the message
		a, b := lumen("a", backend), lumen("b", backend)
		s.applies(a)
		s.adoptBeside(a, b)
		s.loses(a.Addr)
		s.converges(b)
		s.destroys(simulatedConfig(b))
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
				config := simulatedConfig(lumen("a", backend))
				before, saved := s.core.State, s.plan(config)
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
	a, b := lumen("a", backend), lumen("b", backend)
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
