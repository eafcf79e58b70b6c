// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, c.run)
		})
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
		s.network.Decide = onRequest(method, coretest.KillBefore, 0)
		s.core.Profile.SavesEach = true
		if r := s.run(all...); !r.Killed {
			s.t.Fatalf("no %s was sent", method)
		}
		s.network.Decide = nil
	}
}

// A position assessment can be replaced, whatever the reason and the order. The service shows an
// assessment that has no configuration differently from one that could have a configuration.
func TestReplacements(t *testing.T) {
	t.Parallel()
	for assessment, of := range map[string]func(name, position string) coretest.Resource{"facet": facet, "lumen": lumen} {
		a, b, first := of("a", backend), of("b", leeds), createFirst(of("a", backend))
		both := resources{a, b}
		ofFirst := func(name, position string) coretest.Resource { return createFirst(of(name, position)) }
		triggered := func(r coretest.Resource, trigger string) resources {
			r.ReplaceTriggeredBy = []string{"terraform_data.trigger"}
			return resources{unknownString("trigger", trigger), r}
		}
		unknown := func(trigger string) resources { return at(ofFirst("a", ""), trigger, backend) }
		three, rest := counted(of, numbered(0, 3)...), counted(of, numbered(1, 3)...)
		t.Run(assessment, func(t *testing.T) {
			t.Parallel()
			runChanges(t, map[string]change{
				"the first element of a count is removed": {
					before: counted(of, numbered(0, 12)...), after: counted(of, numbered(1, 12)...), waiting: 11,
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
					before: both, after: resources{of("a", leeds), of("b", backend)}, waiting: 1,
				},
				"two swap their positions, one creates first": {
					before: resources{first, b}, after: resources{ofFirst("a", leeds), of("b", backend)}, waiting: 1,
				},
				"-replace and a taint": {
					before: both, after: both, event: taints(b), replace: []string{a.Addr},
				},
				"-replace and a taint, on another machine": {
					before: both, after: both, event: taints(b), replace: []string{a.Addr}, machine: "other",
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
					before: both, after: resources{of("a", aberdeen), b}, event: minimally(taints(b)),
				},
				"a minimal refresh of a tainted instance that moves": {
					before: both[:1], after: resources{of("a", leeds)}, event: minimally(taints(a)),
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
		})
	}
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
