// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// change is a configuration that replaces another one.
type change struct {
	before, after resources
	event         func(*simulation) // between the two
	replace       []string          // options -replace
	machine       string            // the machine that applies the plan
	// waiting is how many creations wait for removals at most. If core makes no more calls at the same time,
	// the change takes a second apply, with adopt_existing if adopts is set.
	waiting int
	adopts  bool
	// stuck is whether core removes an equal object only after a creation on the same position, so that
	// every apply without adopt_existing is refused.
	stuck bool
}

// run fails the test unless the change applies. Afterwards, a plan is empty, and the service
// has what the configuration has.
func (c change) run(s *simulation) {
	others := len(s.attached())
	s.applies(c.before...)
	if c.event != nil {
		c.event(s)
	}
	config := simulatedConfig(c.after...)
	o := s.with(func(o *coretest.Options) { o.Replace = c.replace })
	planned := s.succeeds(s.core.Plan(s.t.Context(), config, o))
	o.Machine = c.machine
	result := s.core.ApplyPlan(s.t.Context(), planned.Plan, o)
	if c.stuck || result.Err() != nil && s.options.Parallelism <= c.waiting {
		s.fails(result, duplicateSummary, "apply again", "create_before_destroy", "ASSESS_ADOPT_EXISTING=true")
		if c.stuck || c.adopts {
			s.env["ASSESS_ADOPT_EXISTING"] = "true"
		}
		result = s.core.Apply(s.t.Context(), config, o)
		delete(s.env, "ASSESS_ADOPT_EXISTING")
	}
	s.succeeds(result)
	s.stays(config)
	s.noDuplicates()
	if got, want := len(s.attached())-others, len(s.core.State.Objects("assess_position_assessment")); got != want {
		s.t.Errorf("%d are attached, and the state has %d: %q", got, want, s.attached())
	}
}

func runChanges(t *testing.T, changes map[string]change) {
	t.Helper()
	for name, c := range changes {
		simulateAs(t, name, c.run)
	}
}

func taints(r coretest.Resource) func(*simulation) {
	return func(s *simulation) { s.core.Taint(r.Addr) }
}

// minimally plans with -minimal-refresh, if the CLI has it, after another event.
func minimally(event func(*simulation)) func(*simulation) {
	return func(s *simulation) {
		if event(s); s.core.Profile.MinimalRefresh {
			s.options.Refresh = coretest.MinimalRefresh
		}
	}
}

// killed returns an event: an apply is killed instead of sending a request.
func killed(method string, all ...coretest.Resource) func(*simulation) {
	return func(s *simulation) {
		s.network.Decide = coretest.OnRequest(method, coretest.KillBefore, 0)
		s.core.Profile.SavesEach = true
		if r := s.run(all...); !r.Killed {
			s.t.Fatalf("no %s was sent", method)
		}
		s.network.Decide = nil
	}
}

// A position assessment can be replaced, whatever the reason and the order.
func TestReplacements(t *testing.T) {
	t.Parallel()
	a, b, first := lumen("a", backend), lumen("b", leeds), createFirst(lumen("a", backend))
	both := resources{a, b}
	ofFirst := func(name, position string) coretest.Resource { return createFirst(lumen(name, position)) }
	triggered := func(r coretest.Resource, trigger string) resources {
		r.ReplaceTriggeredBy = []string{"terraform_data.trigger"}
		return resources{unknownString("trigger", trigger), r}
	}
	unknown := func(trigger string) resources { return at(ofFirst("a", ""), trigger, backend) }
	three, rest := counted(lumen, numbered(0, 3)...), counted(lumen, numbered(1, 3)...)
	runChanges(t, map[string]change{
		"the first element of a count is removed": {
			before: counted(lumen, numbered(0, 12)...), after: counted(lumen, numbered(1, 12)...), waiting: 11,
		},
		"the same, create first": {
			before: counted(ofFirst, numbered(0, 8)...), after: counted(ofFirst, numbered(1, 8)...), waiting: 7, adopts: true,
		},
		"the same, and others have removed one": {
			before: three, after: rest, waiting: 1, event: func(s *simulation) { s.change(empty("pos-0001")) },
		},
		// The core does not tell the provider which object a taint replaces, so the plan may be refused
		// with -parallelism=1. This is a known limitation.
		"the same, and one is tainted": {before: three, after: rest, event: func(s *simulation) {
			s.options.Parallelism = 10
			s.core.Taint(attachmentAddr + "a[0]")
		}},
		"two swap their positions": {
			before: both, after: resources{lumen("a", leeds), lumen("b", backend)}, waiting: 1,
		},
		"two swap their positions, one creates first": {
			before: resources{first, b}, after: resources{ofFirst("a", leeds), lumen("b", backend)}, waiting: 1,
		},
		"-replace and a taint": {
			before: both, after: both, event: taints(b), replace: []string{a.Addr},
		},
		"-replace and a taint, create first, without a refresh": {
			before: resources{first, ofFirst("b", leeds)}, after: resources{first, ofFirst("b", leeds)},
			replace: []string{a.Addr}, stuck: true,
			event: func(s *simulation) {
				s.core.Taint(b.Addr)
				s.options.Refresh = coretest.NoRefresh
			},
		},
		"replace_triggered_by":                               {before: triggered(a, "1"), after: triggered(a, "2")},
		"replace_triggered_by, create first":                 {before: triggered(first, "1"), after: triggered(first, "2"), stuck: true},
		"a position that is unknown and then stays the same": {before: unknown("1"), after: unknown("2"), stuck: true},
		"the same, and the instance is tainted":              {before: unknown("1"), after: unknown("2"), event: taints(a), stuck: true},
		// -minimal-refresh plans an instance twice, a tainted one without prior state.
		"a minimal refresh, and one is tainted": {
			before: both, after: resources{lumen("a", aberdeen), b}, event: minimally(taints(b)),
		},
		"a minimal refresh of a tainted instance that moves": {
			before: both[:1], after: resources{lumen("a", leeds)}, event: minimally(taints(a)),
		},
		"a replacement that has left only a deposed object": {
			before: resources{first}, after: resources{first}, waiting: 1,
			event: func(s *simulation) { s.core.State = s.core.State.Deposed(a.Addr) },
		},
		"a replacement that has left two objects": {
			before: resources{first}, after: resources{ofFirst("a", leeds)},
			event: killed(http.MethodDelete, ofFirst("a", leeds)),
		},
	})
}

// Other changes of a configuration also apply.
func TestChanges(t *testing.T) {
	t.Parallel()
	goTest := coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"}
	activations := func(test string) resources {
		return resources{createFirst(activation("one", test)), activation("two", "skt-sql")}
	}
	assuming := func(a sandboxtest.Assumptions) func(*simulation) {
		return func(s *simulation) { s.service.Assume(a) }
	}
	runChanges(t, map[string]change{
		"the first plan refers to an activation": {
			after: resources{activation("go", "skt-go"), tested("a", backend, goTest)},
		},
		"a test ID is not known in the plan": {
			after: resources{unknownString("later", "skt-sql"), tested("a", backend, outputOf("later"))},
		},
		"which packages are selected is not known in the plan": {after: resources{
			unknownString("select", "mandatory"),
			positionAssessment("games", backend, "asm-quartet", "packages", coretest.Body{"select": outputOf("select")}),
		}},
		"an activation is replaced": {before: activations("skt-go"), after: activations("skt-rust")},
		"an activation is tainted":  {before: activations("skt-go"), after: activations("skt-go"), event: taints(activations("")[1])},
		"en-GB is the same as en_gb": {
			after: resources{benchmarked("a", backend, graduatesBenchmark)},
			event: assuming(sandboxtest.Assumptions{BenchmarkLocales: "underscore"}),
		},
		// Values in responses to writes do not prove that reads show them.
		"blocks are in responses to writes only": {
			after: resources{
				selected("a", backend, "all"), benchmarked("b", leeds, graduatesBenchmark), tested("c", leeds, "skt-sql"),
			},
			event: assuming(sandboxtest.Assumptions{MuteReads: true}),
		},
		"ignored packages do not affect another assessment": {
			before: resources{ignoring(selected("a", backend, "all"), "packages")},
			after:  resources{ignoring(lumen("a", backend), "packages")},
		},
		// A move is a replacement. It is never checked as an update of the profile.
		"what a supervisor has completed moves": {
			before: resources{northlight("a", backend)}, after: resources{profiled("a", leeds, "prf-customer-first")},
			event: func(s *simulation) { s.change(completeProfile) },
		},
		"a minimal refresh of a tainted instance with other packages": {
			before: resources{packaged("a", backend)},
			after:  resources{packaged("a", backend, "pkg-processing-speed")},
			event:  minimally(taints(packaged("a", backend))),
		},
		"a minimal refresh of a changed instance that is gone": {
			before: resources{lumen("a", backend)},
			after:  resources{benchmarked("a", backend, graduatesBenchmark)},
			event: minimally(func(s *simulation) {
				s.change(func(st *sandbox.State) { st.Position(backend).Assessments = nil })
			}),
		},
		"two swap their configurations": {
			before: resources{lumen("a", backend), benchmarked("b", backend, graduatesBenchmark)},
			after:  resources{benchmarked("a", backend, graduatesBenchmark), lumen("b", backend)},
		},
		"a key of for_each is renamed, and another machine applies": {
			before: renamedKey("two").Resources, after: renamedKey("deux").Resources, machine: "other",
			event: func(s *simulation) {
				s.options.Parallelism, s.network.Latency = max(2, s.options.Parallelism), time.Millisecond
			},
		},
		"an update makes room for a creation": {
			before: resources{lumen("a", backend)},
			after:  resources{benchmarked("a", backend, graduatesBenchmark), lumen("b", backend)},
			event:  func(s *simulation) { s.options.Parallelism = 10 }, // else core may plan b before it reads a
		},
	})
}

// The core drops warnings of the second plan of a replacement. They must also appear elsewhere.
func TestNoticesAreShown(t *testing.T) {
	t.Parallel()
	names := numbered(0, 3)
	for says, c := range map[string]change{
		"benchmarks": {
			before: resources{benchmarked("a", backend, graduatesBenchmark)},
			after:  resources{benchmarked("a", leeds, graduatesBenchmark)},
			event: func(s *simulation) {
				s.service.Inject(refusing(sandbox.RouteBenchmarks, http.StatusNotFound))
			},
		},
		"The organization has no position": {
			before: counted(lumen, names...), after: counted(lumen, names[1:]...),
			event: func(s *simulation) { s.change(removePosition(names[1])) },
		},
	} {
		simulateAs(t, says, func(s *simulation) {
			s.applies(c.before...)
			c.event(s)
			r := s.plan(simulatedConfig(c.after...))
			for _, d := range r.Diagnostics {
				if d.Dropped && !r.Says(d.Summary) {
					s.t.Errorf("the CLI does not show: %s", d)
				}
			}
			if !r.Says(says) {
				s.t.Errorf("no message contains %q: %v", says, r.Diagnostics)
			}
		})
	}
}

// A moved block keeps an object, and a removed block drops it from the state.
func TestMovedAndRemoved(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a, b := lumen("a", backend), lumen("b", backend)
		s.applies(a)
		s.service.ResetJournal()
		moved, gone := simulatedConfig(b), simulatedConfig()
		moved.Moved, gone.Removed = []coretest.Moved{{From: a.Addr, To: b.Addr}}, []string{b.Addr}
		s.stays(moved)
		s.apply(moved)
		s.apply(gone)
		s.writesNothing()
		if left := s.core.State.Addresses(); len(left) > 0 || len(s.on(backend)) != 1 {
			s.t.Errorf("the state holds %q, the service %q", left, s.attached())
		}
	})
}

// A literal test ID may be refused beside the activation of the test, because core may plan the activation later. If the
// plan is accepted, it applies, on another machine, too. Only if core then plans the activation later in the apply, this
// takes a second apply.
func TestLiteralTestThatIsAcceptedApplies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]change{
		"creation": {after: resources{activation("go", "skt-go"), tested("a", backend, "skt-go")}},
		"update": {
			before: resources{tested("a", backend, "skt-sql")},
			after:  resources{tested("a", backend, "skt-sql", "skt-go"), activation("go", "skt-go")},
		},
	} {
		simulateAs(t, name, func(s *simulation) {
			s.applies(c.before...)
			config := simulatedConfig(c.after...)
			planned := s.plan(config)
			if planned.Plan == nil {
				s.fails(planned, "Skills test not enabled", "refer to the activation", "assess_skills_test_activation")
				return
			}
			elsewhere := s.with(func(o *coretest.Options) { o.Machine = "other" })
			if applied := s.core.ApplyPlan(s.t.Context(), s.succeeds(planned).Plan, elsewhere); applied.Err() != nil {
				s.fails(applied, "Skills test not enabled")
				s.apply(config)
			}
			s.stays(config)
		})
	}
}

// An apply enables no test that no plan has announced.
func TestUnknownTestThatIsNotEnabled(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.fails(s.run(unknownString("later", "skt-go"), tested("a", backend, outputOf("later"))),
			"Could not attach the assessment|Skills test not enabled", "skt-go")
		if s.service.State(s.t).Assessment("asm-workbench").SkillsTest("skt-go").Active() {
			s.t.Error("the test is enabled, and no plan said so")
		}
	})
}

// A process that plans and applies several times, as in "terraform test", trusts its own plans, removes what it has
// attached, and looks again before it attaches.
func TestReusedProcess(t *testing.T) {
	t.Parallel()
	a, b := lumen("a", backend), lumen("b", backend)
	for name, scenario := range map[string]func(*simulation){
		"plans a creation again": func(s *simulation) {
			s.succeeds(s.plan(simulatedConfig(a)))
			s.succeeds(s.plan(simulatedConfig(a)))
		},
		"replaces a tainted instance": func(s *simulation) {
			s.applies(a)
			s.core.Taint(a.Addr)
			s.applies(a)
		},
		"destroys what it has imported": func(s *simulation) {
			s.core.KeepProcesses = false
			s.applies(a)
			config := importing(backend+"/"+s.id(a), b)
			s.loses(a.Addr)
			s.succeeds(s.plan(config))
			s.core.KeepProcesses = true
			s.apply(config)
			config.Imports = nil
			s.destroys(config)
		},
		"removes what it has attached": func(s *simulation) {
			s.applies(a)
			s.options.Refresh = coretest.NoRefresh
			s.applies()
			if on := s.on(backend); len(on) > 0 {
				s.t.Errorf("the state is %q, and the position has %q", s.core.State.Addresses(), on)
			}
		},
		"changes and removes what it has taken over": func(s *simulation) {
			s.change(attaches(backend, "asm-lumen", sandbox.Metadata{}))
			s.env["ASSESS_ADOPT_EXISTING"] = "true"
			s.applies(a)
			s.options.Refresh = coretest.NoRefresh
			s.applies(benchmarked("a", backend, engineersBenchmark))
			s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{}))
			s.applies(lumen("a", leeds))
			s.applies()
			if on := slices.Concat(s.on(backend), s.on(leeds)); len(on) > 0 {
				s.t.Errorf("the positions have %q", on)
			}
		},
		"looks again": func(s *simulation) {
			planned := s.plan(simulatedConfig(a))
			s.change(attaches(backend, "asm-lumen", sandbox.Metadata{}))
			s.core.ApplyPlan(s.t.Context(), s.succeeds(planned).Plan, s.options)
			s.noDuplicates()
		},
		"waits as long as before after a run that waited in vain": func(s *simulation) {
			s.options.Parallelism = 10
			s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{}))
			s.fails(s.run(lumen("c", leeds)), duplicateSummary)
			user := func(name string, r coretest.Resource) coretest.Resource {
				return coretest.Resource{
					Addr: "terraform_data." + name, Body: coretest.Body{"input": coretest.Ref{Addr: r.Addr, Attribute: "id"}},
				}
			}
			s.applies(a, user("a", a))
			s.core.Slow = func(string) time.Duration { return 5 * time.Second }
			s.applies(b, user("b", b))
		},
	} {
		simulateAs(t, name, func(s *simulation) {
			s.core.KeepProcesses = true
			scenario(s)
		})
	}
}

// renamedKey returns position assessments with for_each, one of which has another key, next
// to other resources.
func renamedKey(key string) coretest.Config {
	return simulatedConfig(lumen(`each["one"]`, leeds), lumen(fmt.Sprintf("each[%q]", key), backend), facet("other", backend))
}

// A renamed key of for_each without a moved block is accepted with a warning, whatever the
// order in which core plans the old and the new instance. If others have deleted the position, every plan
// says so. It is refused if core plans the new instance before it has read the old one. Afterwards, nothing
// tells the new instance from a tainted one that is gone.
func TestRenamedKeyInAnyOrder(t *testing.T) {
	t.Parallel()
	orders := uint64(1000)
	if testing.Short() {
		orders = 100
	}
	for name, row := range map[string]struct {
		others  func(*simulation)
		says    string
		refuses bool
	}{
		"that exists":  {func(*simulation) {}, alreadyAttached, false},
		"that is gone": {func(s *simulation) { s.change(removePosition(backend)) }, "Unknown position", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation(t, coretest.Terraform117, coretest.Options{})
				s.apply(renamedKey("two"))
				row.others(s)
				s.network.Latency = time.Millisecond // less than the time between two steps of core
				refused, silent := []uint64{}, []uint64{}
				for seed := range orders {
					s.options = coretest.Options{Seed: seed, Parallelism: 2 + int(seed%49), Machine: fmt.Sprint(seed)}
					switch r := s.plan(renamedKey("deux")); {
					case r.Err() != nil && !row.refuses:
						refused = append(refused, seed)
					case !r.Says(row.says):
						silent = append(silent, seed)
					}
				}
				if len(refused)+len(silent) > 0 {
					t.Errorf("of %d orders, %d refuse the plan, and %d do not say why: %v, %v", orders, len(refused), len(silent),
						refused[:min(5, len(refused))], silent[:min(5, len(silent))])
				}
			})
		})
	}
}

// A new position or assessment replaces a position assessment. Other changes update it in place.
func TestReplaceAndUpdate(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.converges(benchmarked("a", backend, engineersBenchmark))
		s.converges(benchmarked("a", backend, managersBenchmark))
		s.converges(facet("a", backend))
		s.converges(facet("a", leeds))
		if got := s.writes(); got != "POST PUT DELETE POST DELETE POST" {
			s.t.Errorf("sent %s", got)
		}
		s.converges(createFirst(facet("a", leeds)))
		s.converges(createFirst(facet("a", backend)))
		if got := s.writes(); !strings.HasSuffix(got, "POST DELETE") {
			s.t.Errorf("sent %s", got)
		}
	})
}

// A plan shows changes that were made in the service. An apply reverts them in place, if the service
// allows that. If the service does not return packages, benchmark and tests, only the state knows them. TestRefresh and
// TestChange of package positionassessment have all blocks.
func TestDrift(t *testing.T) {
	t.Parallel()
	quartet := packaged("quartet", backend)
	quartet.Body["benchmark"] = coretest.Body{"id": "bmk-quartet-engineers-en-gb"}
	skills := tested("skills", backend, coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"}, "skt-sql")
	config := simulatedConfig(quartet, skills, activation("go", "skt-go"), facet("facet", backend),
		profiled("values", backend, "prf-customer-first"))
	metadata := func(assessment string, change func(*sandbox.Metadata)) func(*sandbox.State) {
		return func(st *sandbox.State) {
			all := st.Position(backend).Assessments
			i := slices.IndexFunc(all, func(a sandbox.PositionAssessment) bool { return a.Assessment == assessment })
			change(&all[i].Metadata)
		}
	}
	onBothServices(t, func(t *testing.T, like func(*sandboxtest.Options)) {
		for name, row := range map[string]struct {
			addr   string
			change func(*sandbox.State)
			hidden bool            // if the service does not return it
			action coretest.Action // an update by default
			writes string          // PUT by default
			warns  string
		}{
			"packages": {addr: quartet.Addr, hidden: true, change: metadata("asm-quartet", func(m *sandbox.Metadata) {
				m.Packages = append(m.Packages, "pkg-verbal-knowledge")
			})},
			"tests": {addr: skills.Addr, hidden: true, change: metadata("asm-workbench", func(m *sandbox.Metadata) {
				m.Tests = []string{"skt-python"}
			})},
			"profile changed": {addr: attachmentAddr + "values", change: metadata("asm-northlight", func(m *sandbox.Metadata) {
				m.Profile = "prf-curious-builders"
			})},
			"removed": {
				addr: attachmentAddr + "facet", action: coretest.Create, writes: "POST", warns: "Position assessment is gone",
				change: func(st *sandbox.State) {
					p := st.Position(backend)
					isFacet := func(a sandbox.PositionAssessment) bool { return a.Assessment == "asm-facet" }
					p.Assessments = slices.DeleteFunc(p.Assessments, isFacet)
				},
			},
			"activation undone": {addr: activationAddr + "go", change: func(st *sandbox.State) {
				st.Assessment("asm-workbench").SkillsTest("skt-go").Set("active", false)
			}},
		} {
			onceAs(t, name, func(s *simulation) {
				s.apply(config)
				s.change(row.change)
				s.service.ResetJournal()
				if row.hidden && s.service.Assumptions().MuteReads {
					s.stays(config)
					return
				}
				planned := s.plan(config)
				action := cmp.Or(row.action, coretest.Update)
				if actions := planned.Plan.Actions(); len(actions) != 1 || actions[row.addr] != action {
					s.t.Errorf("planned %v, want %s %s", actions, action, row.addr)
				}
				if row.warns != "" {
					s.warns(planned, row.warns)
				} else if len(planned.Diagnostics) > 0 {
					s.t.Errorf("the plan warns: %v", planned.Diagnostics)
				}
				s.writesNothing()
				s.appliesPlan(planned)
				if got := s.writes(); got != cmp.Or(row.writes, "PUT") {
					s.t.Errorf("reverted with %s, want %s", got, row.writes)
				}
				s.stays(config)
			}, like)
		}
	})
}
