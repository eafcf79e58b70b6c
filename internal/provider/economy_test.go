// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// ofPositions is the demo estate with so many positions in place of its own.
func ofPositions(positions int) func() *sandbox.State {
	return func() *sandbox.State {
		st := sandbox.Demo()
		st.Positions = nil
		for n := range positions {
			st.Positions = append(st.Positions, sandbox.Position{ID: fmt.Sprintf("pos-%04d", n), Title: fmt.Sprintf("Position %d", n), Locale: "en-GB"})
		}
		return st
	}
}

// large is a service with so many positions and no limits: what is counted here
// is requests, not time. Pages are as long as the real service's.
func large(t *testing.T, positions int, change ...func(*sandboxtest.Options)) (*sandboxtest.Server, *cli) {
	t.Helper()
	options := append([]func(*sandboxtest.Options){func(o *sandboxtest.Options) {
		o.NoLimits, o.MaxPage, o.Seed = true, 0, ofPositions(positions)
	}}, change...)
	service := sandboxtest.New(t, options...)
	c := newCLI(t, service)
	c.env = append(c.env, "ASSESS_UNTHROTTLED=1", fmt.Sprintf("TF_VAR_positions=%d", positions))
	return service, c
}

// counts returns how many requests were sent, and how many of them were writes.
func counts(service *sandboxtest.Server) (all, writes int) {
	return len(service.Journal()), len(service.Writes())
}

// A refresh costs one request for each position, and an apply little more than
// one for each resource, its plan included.
func TestEconomyOfPositionAssessments(t *testing.T) {
	t.Parallel()
	const positions, resources = 120, 600
	service, c := large(t, positions)
	c.useFrom("TestEconomy", "positions")
	c.apply().ok().quiet()
	all, writes := counts(service)
	t.Logf("first apply of %d resources on %d positions: %d requests, %d of them writes", resources, positions, all, writes)
	if writes != resources || service.Count(http.MethodPost, "") != resources {
		t.Errorf("%d writes, want a POST for each of %d resources", writes, resources)
	}
	if limit := resources * 130 / 100; all > limit {
		t.Errorf("%d requests, want at most %d", all, limit)
	}

	service.ResetJournal()
	c.plan().empty().quiet()
	all, writes = counts(service)
	t.Logf("plan without changes: %d requests", all)
	if writes != 0 || all > positions+15 {
		t.Errorf("%d requests and %d writes, want at most %d and none", all, writes, positions+15)
	}

	service.ResetJournal()
	c.destroy().ok()
	all, _ = counts(service)
	t.Logf("destroy: %d requests", all)
	if want := resources + positions + 15; all > want {
		t.Errorf("%d requests to destroy, want at most %d", all, want)
	}
}

// The apply walk plans every resource once more, and does not look up once
// more what the plan has checked.
func TestEconomyOfASavedPlan(t *testing.T) {
	t.Parallel()
	const positions, parallelism = 300, 10
	service, c := large(t, positions)
	c.useFrom("TestEconomy", "one_each")
	c.plan("-out=saved").ok()
	service.ResetJournal()
	c.do("apply", "-input=false", "saved").ok()
	all, writes := counts(service)
	catalogue := service.Count("", sandbox.RouteAssessments) + service.Count("", sandbox.RoutePackages) +
		service.Count("", sandbox.RouteBenchmarks) + service.Count("", sandbox.RoutePositions)
	others := all - writes - catalogue
	t.Logf("applying a saved plan: %d writes, %d catalogue lists, %d others", writes, catalogue, others)
	if writes != positions || others > parallelism || catalogue > 4 {
		t.Errorf("want %d writes, at most 4 catalogue lists and %d others", positions, parallelism)
	}
}

func TestEconomyOfActivations(t *testing.T) {
	t.Parallel()
	const tests, off = 300, 225
	service, c := large(t, 1)
	service.Change(t, func(st *sandbox.State) {
		a := sandbox.Assessment{ID: "asm-many", Kind: sandbox.Skills, Name: "Many"}
		for n := range tests {
			a.SkillsTests = append(a.SkillsTests, sandboxtest.SkillsTest(t, fmt.Sprintf(`{"id":"skt-%04d","title":"Test %d","active":%t}`, n, n, n >= off)))
		}
		st.Assessments = append(st.Assessments, a)
	})
	c.useFrom("TestEconomy", "activations")
	c.apply().ok().quiet()
	all, writes := counts(service)
	t.Logf("activating %d of %d tests: %d PUT and %d lists", off, tests, writes, all-writes)
	if writes != off || all-writes > 12 {
		t.Errorf("%d PUT and %d lists, want %d and at most 12", writes, all-writes, off)
	}
	service.ResetJournal()
	c.plan().empty()
	all, _ = counts(service)
	t.Logf("plan without changes: %d requests", all)
	if all > 4 {
		t.Errorf("%d requests for a plan without changes, want at most 4", all)
	}
}

// A service without the list of a position's assessments costs one request for
// each resource, and everything is still right (assumption A7).
func TestEconomyWithoutLists(t *testing.T) {
	t.Parallel()
	for name, missing := range map[string]func(*sandboxtest.Server){
		"405": func(*sandboxtest.Server) {},
		"404": func(s *sandboxtest.Server) {
			s.Inject(sandboxtest.Fault{Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Times: -1, Status: http.StatusNotFound})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const positions, resources = 6, 30
			service, c := large(t, positions, func(o *sandboxtest.Options) { setNoList(o, name == "405") })
			missing(service)
			c.useFrom("TestEconomy", "positions")
			c.apply().ok()
			service.AssertCount(t, http.MethodPost, "", resources)
			service.ResetJournal()
			c.plan().empty()
			lists, singles := service.Count(http.MethodGet, sandbox.RoutePositionAssessments), service.Count(http.MethodGet, sandbox.RoutePositionAssessment)
			t.Logf("plan without changes: %d lists, %d single reads", lists, singles)
			if singles != resources || lists != 1 {
				t.Errorf("%d lists and %d single reads, want 1 and %d", lists, singles, resources)
			}

			service.Change(t, func(st *sandbox.State) { st.Position("pos-0003").Assessments = st.Position("pos-0003").Assessments[1:] })
			if r := c.plan().ok(); len(r.changes) != 1 {
				t.Errorf("one was removed outside, and the plan is %v", r.changes)
			}
		})
	}
}

// What is absent from its position's list is asked for alone, once: only that
// answer removes it from the state.
func TestEconomyOfAbsence(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"gone": true, "there all the same": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &managed{world: newWorld(t), name: attachmentType}
				m.settle(engineers)
				m.service.Inject(sandboxtest.Fault{Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Body: []byte("[]")})
				if gone {
					m.service.Change(t, func(st *sandbox.State) { st.Position(backend).Assessments = nil })
				}
				m.service.ResetJournal()
				m.begin(nil)
				m.refresh()
				m.succeeds()
				if (m.state == nil) != gone {
					t.Errorf("it is in the state: %t", m.state != nil)
				}
				m.service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessments, 1)
				m.service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessment, 1)
			})
		})
	}
}

// Results with equal arguments are read once in a walk, and once more after
// something was written to their position.
func TestEconomyOfResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &managed{world: newWorld(t), name: attachmentType}
		m.begin(nil)
		there := map[string]any{"position_id": sandbox.DemoResultsPosition, "assessment_id": "asm-facet"}
		planned := m.plan(there)
		m.succeeds()
		reads := func(want int) {
			t.Helper()
			for range 2 {
				m.read("assess_position_results", map[string]any{"position_id": sandbox.DemoResultsPosition, "candidate_ids": []string{"b", "a"}})
				m.read("assess_position_results", map[string]any{"position_id": sandbox.DemoResultsPosition, "candidate_ids": []string{"a", "b"}})
				m.read("assess_position_results", map[string]any{"position_id": backend})
			}
			m.succeeds()
			m.service.AssertCount(t, http.MethodGet, sandbox.RouteResults, want)
		}
		reads(2)
		m.apply(there, planned)
		reads(3)
	})
}
