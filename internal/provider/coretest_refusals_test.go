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

// refusal is a configuration that is refused after another one was applied.
type refusal struct {
	before resources
	event  func(*simulation) // between the two
	after  func(*simulation) coretest.Config
	says   []string
	late   bool // the plan may accept it, and the apply refuses it
}

func (r refusal) run(s *simulation) {
	s.applies(r.before...)
	if r.event != nil {
		r.event(s)
	}
	s.service.ResetJournal()
	run := s.plan(r.after(s))
	if run.Err() == nil {
		if !r.late {
			s.t.Errorf("the plan is accepted: %v", run.Diagnostics)
		}
		s.warns(run, alreadyAttached)
		run = s.core.ApplyPlan(s.t.Context(), run.Plan, s.options)
	}
	s.fails(run, r.says...)
	s.writesNothing()
}

func these(all ...coretest.Resource) func(*simulation) coretest.Config {
	return func(*simulation) coretest.Config { return simulatedConfig(all...) }
}

// A plan refuses what the service would refuse, what attaches a duplicate, and what removes an
// object that another address imports. It sends no request to change something.
func TestRefusals(t *testing.T) {
	t.Parallel()
	a, b, copied := lumen("a", backend), lumen("b", leeds), lumen("copied", backend)
	both := resources{a, b}
	other, engineers := benchmarked("b", backend, graduatesBenchmark), benchmarked("a", backend, engineersBenchmark)
	importsCopied := func(others ...coretest.Resource) func(*simulation) coretest.Config {
		return func(s *simulation) coretest.Config {
			return importing(backend+"/"+s.id(a), append(resources{copied}, others...)...)
		}
	}
	skills := resources{
		activation("go", "skt-go"), createFirst(tested("a", backend, coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"})),
	}
	duplicate, invited := []string{duplicateSummary}, []string{"1 candidate has been invited"}
	imported := []string{"Import of a resource that is destroyed", `"pas-0001"`, `moved \{`}
	for name, row := range map[string]refusal{
		"a duplicate of what others have attached": {
			event: func(s *simulation) { s.change(attachByOther) }, after: these(engineers), late: true, says: []string{
				duplicateSummary, "Nothing was sent", "if this run was removing it, apply again. Otherwise, import it",
				`to = <address> id = "pos-backend-london/pas-0001"`, "create_before_destroy", "ASSESS_ADOPT_EXISTING=true",
			},
		},
		"a duplicate of what the state has lost, after a plan with an unknown position": {
			before: both, after: these(both...), says: duplicate, late: true, event: func(s *simulation) {
				s.succeeds(s.plan(simulatedConfig(append(at(facet("c", ""), "1", aberdeen), both...)...)))
				s.loses(s.core.State.Addresses()...)
			},
		},
		"a duplicate of what the state has lost, after a plan that replaces it": {
			before: both, after: these(both...), says: duplicate, late: true, event: func(s *simulation) {
				s.plansForced(simulatedConfig(both...))
				s.loses(a.Addr)
			},
		},
		"the same, where the plan only refreshes an activation": {
			before: skills, after: these(skills...), says: duplicate, late: true, event: func(s *simulation) {
				s.plansForced(simulatedConfig(skills...))
				s.loses(a.Addr)
			},
		},
		"a copy of a resource":                {before: resources{a}, after: these(a, copied), says: duplicate, late: true},
		"a duplicate in the same plan":        {after: these(a, copied), says: []string{duplicateSummary, "Another resource of this configuration"}},
		"an import of what the plan drops":    {before: resources{a}, after: importsCopied(), says: imported},
		"an import of what the plan replaces": {before: resources{a}, after: importsCopied(lumen("a", leeds)), says: imported},
		"an update into a planned creation": {
			before: resources{a}, after: these(benchmarked("a", backend, graduatesBenchmark), other), says: duplicate,
		},
		"two updates into the same": {
			before: resources{a, other}, says: duplicate,
			after: these(benchmarked("a", backend, managersBenchmark), benchmarked("b", backend, managersBenchmark)),
		},
		"two that are equal, beside another configuration": {
			before: resources{packaged("a", backend)}, says: []string{"remove one of the two resources"},
			after: these(packaged("a", backend), packaged("b", backend, "pkg-processing-speed"), packaged("c", backend, "pkg-processing-speed")),
		},
		// With -minimal-refresh, an instance that no longer exists is first planned as a replacement. That may be
		// attached beside a similar position assessment. The creation that follows may not.
		"a minimal refresh of what others have moved": {
			before: resources{a}, after: these(lumen("a", leeds)), says: duplicate, late: true,
			event: minimally(func(s *simulation) {
				s.change(empty(backend))
				s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{}))
			}),
		},
		"a position that does not exist, with an unknown benchmark": {
			after: these(unknownString("later", graduatesBenchmark), benchmarked("a", "pos-none", outputOf("later"))),
			says:  []string{"Unknown position", "pos-none"},
		},
		// Only what others have removed may be planned again in spite of what the service refuses.
		"an unknown benchmark beside what others have removed": {
			before: resources{a}, event: func(s *simulation) { s.change(empty(backend)) },
			after: these(a, benchmarked("b", backend, "bmk-none")), says: []string{"Unknown benchmark", "bmk-none"},
		},
		"a retired assessment": {
			before: resources{a, northlight("b", leeds)}, after: these(a, northlight("b", leeds)),
			event: func(s *simulation) {
				s.change(func(st *sandbox.State) {
					empty(backend)(st)
					isLumen := func(a sandbox.Assessment) bool { return a.ID == "asm-lumen" }
					st.Assessments = slices.DeleteFunc(st.Assessments, isLumen)
				})
			},
			says: []string{"belong to another organization, or the organization no longer has the assessment", "state rm"},
		},
		"a literal ID of a test whose activation comes later": {
			after: these(tested("a", backend, "skt-go"), dependingOn(activation("go", "skt-go"), a)),
			says:  []string{"Skills test not enabled", `"skt-go"`, "refer to the activation", "so that the test is enabled first"},
		},
		// Each alias has a process of its own, which does not know the plans of the others.
		"a reference to an activation of another alias": {
			after: func(*simulation) coretest.Config {
				config := simulatedConfig(slices.Clone(skills)...)
				config.Providers["other"] = config.Providers[""]
				config.Resources[0].Provider = "other"
				return config
			},
			says: []string{"Skills test not enabled", "of the same provider configuration"},
		},
		"a move of what candidates are invited to": {
			before: both, event: func(s *simulation) { s.service.Invite(s.t, backend, "asm-lumen") },
			after: these(lumen("a", aberdeen), b), says: invited,
		},
		"-replace of what candidates are invited to": {
			before: both, after: these(both...), says: invited, event: func(s *simulation) {
				s.service.Invite(s.t, backend, "asm-lumen")
				s.options.Replace = []string{a.Addr}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, row.run)
		})
	}
}

// A mistake is refused in any order, also if other resources that wait are accepted in the end, or
// if others have removed what the plan attaches again.
func TestMistakesAreRefusedInAnyOrder(t *testing.T) {
	t.Parallel()
	kept, a := benchmarked("b", backend, graduatesBenchmark), lumen("a", backend)
	for name, row := range map[string]refusal{
		"a copy of a creation that waits": {
			after: these(activation("go", "skt-go"), tested("a", backend, "skt-go"), tested("b", leeds, "skt-go"), tested("c", leeds, "skt-go")),
			says:  []string{duplicateSummary},
		},
		"a position that does not exist, besides a creation that waits": {
			after: these(activation("go", "skt-go"), tested("a", backend, "skt-go"), tested("b", "pos-none", "skt-go")),
			says:  []string{"Unknown position", "pos-none"},
		},
		"a test that does not exist, besides an update that waits": {
			before: resources{tested("a", backend, "skt-sql"), tested("b", leeds, "skt-sql")},
			after: these(
				activation("go", "skt-go"), tested("a", backend, "skt-go", "skt-sql"), tested("b", leeds, "skt-go", "skt-none"),
			),
			says: []string{"Unknown skills test", "skt-none"},
		},
		"an update into what another address keeps": {
			before: resources{a, kept}, after: these(benchmarked("a", backend, graduatesBenchmark), kept),
			says: []string{duplicateSummary},
		},
		"a copy of what others have removed": {
			before: resources{a}, event: func(s *simulation) { s.change(empty(backend)) },
			after: these(a, lumen("b", backend)), says: []string{duplicateSummary},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inOrders(t, row.run)
		})
	}
}

// A destroy goes through, whatever happened to the service. Where the plan before it is refused,
// the command in the guide "Messages" works.
func TestDestroy(t *testing.T) {
	t.Parallel()
	a, b := lumen("a", backend), lumen("b", leeds)
	for name, row := range map[string]struct {
		resources, added resources // the apply of added is not completed
		event            func(*simulation)
		refused          bool
		left             int // what the state never had
	}{
		"with a reference to an activation": {
			resources: resources{
				activation("go", "skt-go"), tested("a", backend, coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"}),
			},
		},
		"after a position was deleted": {
			resources: resources{a, b}, event: func(s *simulation) { s.change(removePosition(leeds)) },
		},
		"after a benchmark was retired and its position assessment removed": {
			resources: resources{benchmarked("a", backend, graduatesBenchmark), b},
			event: func(s *simulation) {
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
			resources: resources{a}, event: func(s *simulation) {
				s.core.Taint(a.Addr)
				s.change(removePosition(backend))
			},
		},
		"after a creation was interrupted": {
			resources: resources{a}, added: resources{b}, left: 1,
			event: func(s *simulation) {
				s.network.Decide = onRequest(http.MethodPost, coretest.KillAfter, 0)
				s.run(a, b)
				s.network.Decide = nil
			},
		},
		"with a selection that the service does not support": {
			resources: resources{a}, added: resources{selected("b", leeds, "mandatory")}, refused: true,
			event: func(s *simulation) { s.service.Assume(sandboxtest.Assumptions{PackageMark: "none"}) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				others := len(s.attached())
				s.applies(row.resources...)
				if row.event != nil {
					row.event(s)
				}
				config := simulatedConfig(append(slices.Clone(row.resources), row.added...)...)
				if row.refused {
					if s.core.PlanDestroy(s.t.Context(), config, s.options).Err() == nil {
						s.t.Error("the destroy is not refused, so the test proves nothing")
					}
					s.options.Refresh = coretest.NoRefresh
				}
				s.destroys(config)
				if left := s.attached(); len(left) != others+row.left {
					s.t.Errorf("still attached: %q", left)
				}
			})
		})
	}
}
