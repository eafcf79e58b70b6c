// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// stateWithPositions returns the demo organization with this many positions instead of
// its own.
func stateWithPositions(positions int) func() *sandbox.State {
	return func() *sandbox.State {
		st := sandbox.Demo()
		st.Positions = emptyPositions(positions)
		return st
	}
}

func emptyPositions(positions int) (all []sandbox.Position) {
	for n := range positions {
		all = append(all, sandbox.Position{
			ID: fmt.Sprintf("pos-%04d", n), Title: fmt.Sprintf("Position %d", n), Locale: "en-GB",
		})
	}
	return all
}

// large returns a service with this many positions and without limits, because these
// tests count requests, not time. Its pages are as long as those of the real service.
func large(t *testing.T, positions int, change ...func(*sandboxtest.Options)) (*sandboxtest.Server, *clitest.CLI) {
	t.Helper()
	options := append([]func(*sandboxtest.Options){func(o *sandboxtest.Options) {
		o.NoLimits, o.MaxPage, o.Seed = true, 0, stateWithPositions(positions)
	}}, change...)
	service := sandboxtest.New(t, options...)
	return service, clitest.New(t, service).With("ASSESS_UNTHROTTLED=1", fmt.Sprintf("TF_VAR_positions=%d", positions))
}

// counts returns the number of requests, and how many of them were writes.
func counts(service *sandboxtest.Server) (all, writes int) {
	return len(service.Journal()), len(service.Writes())
}

// A refresh sends one request for each position. An apply, including its plan, sends one request for each resource,
// two for each position, and a few more.
func TestRequestCountOfPositionAssessments(t *testing.T) {
	t.Parallel()
	const positions, resources, more = 120, 600, 50
	service, c := large(t, positions)
	c.UseFrom("TestRequestCount", "positions")
	c.Apply().OK().Quiet()
	all, writes := counts(service)
	t.Logf("apply of %d resources on %d positions: %d requests, %d of them writes",
		resources, positions, all, writes)
	if writes != resources || service.Count(http.MethodPost, "") != resources {
		t.Errorf("%d writes, want a POST for each of %d resources", writes, resources)
	}
	if limit := resources + 2*positions + more; all > limit {
		t.Errorf("%d requests, want at most %d", all, limit)
	}

	service.ResetJournal()
	c.Plan().Empty().Quiet()
	all, writes = counts(service)
	t.Logf("plan without changes: %d requests", all)
	if writes != 0 || all != positions {
		t.Errorf("%d requests and %d writes, want %d and none", all, writes, positions)
	}

	service.ResetJournal()
	c.Destroy().OK()
	all, _ = counts(service)
	t.Logf("destroy: %d requests", all)
	const results = 40 // the plan looks for invited candidates on this many positions
	if want := resources + positions + results + 15; all > want {
		t.Errorf("%d requests to destroy, want at most %d", all, want)
	}
}

// The apply plans each resource again, but it does not repeat the look-ups of the plan. It lists each position before
// it attaches anything there.
func TestRequestCountOfASavedPlan(t *testing.T) {
	t.Parallel()
	const positions, parallelism = 300, 10
	service, c := large(t, positions)
	c.UseFrom("TestRequestCount", "one_each")
	c.Plan("-out=saved").OK()
	service.ResetJournal()
	c.Do("apply", "-input=false", "saved").OK()
	all, writes := counts(service)
	lists := service.Count("", sandbox.RouteAssessments) + service.Count("", sandbox.RoutePackages) +
		service.Count("", sandbox.RouteBenchmarks) + service.Count("", sandbox.RoutePositions)
	t.Logf("applying a saved plan: %d writes, %d lists of the organization, %d others", writes, lists, all-writes-lists)
	looks := service.Count(http.MethodGet, sandbox.RoutePositionAssessments)
	if writes != positions || looks != positions {
		t.Errorf("%d writes and %d lists of a position, want %d of each", writes, looks, positions)
	}
	// After the first write of a benchmark, one GET finds out whether reads show benchmarks (assumption A22).
	const most = parallelism + 1
	if others := all - writes - lists - positions; others > most || lists > 4 {
		t.Errorf("want at most 4 lists of the organization and %d others", most)
	}
	if reads := service.Count(http.MethodGet, sandbox.RoutePositionAssessment); reads != 1 {
		t.Errorf("%d reads of single position assessments, want 1", reads)
	}
}

// The example of the guide on rate limits: 5 assessments on each of the 7 positions without any. The number of requests
// for lists depends on how many resources core visits at the same time, so the guide says "about".
func TestRequestsOfTheGuide(t *testing.T) {
	t.Parallel()
	guide := clitest.ReadFile(t, "../../templates/guides/rate-limits.md")
	says := regexp.MustCompile(`first plan sends about (\d+) requests, its apply about (\d+), and the next plan (\d+)`).
		FindStringSubmatch(strings.Join(strings.Fields(guide), " "))
	if says == nil {
		t.Fatal("the guide has no example")
	}
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	c := clitest.New(t, service).With("ASSESS_UNTHROTTLED=1")
	c.UseText(`data "assess_positions" "all" {}

locals {
  pairs = setproduct(
    [for p in data.assess_positions.all.positions : p.id if p.id != "pos-graduates-2026"],
    ["asm-lumen", "asm-tideline", "asm-hardhat", "asm-keystone", "asm-facet"],
  )
}

resource "assess_position_assessment" "each" {
  for_each      = { for pair in local.pairs : "${pair[0]} ${pair[1]}" => pair }
  position_id   = each.value[0]
  assessment_id = each.value[1]
}
`)
	for i, run := range []func(){
		func() { c.Plan("-out=saved").OK() },
		func() { c.Do("apply", "-input=false", "saved").OK() },
		func() { c.Plan().Empty() },
	} {
		service.ResetJournal()
		run()
		n, want := len(service.Journal()), 0
		if _, err := fmt.Sscan(says[i+1], &want); err != nil {
			t.Fatal(err)
		}
		if t.Logf("%d requests, the guide says %d", n, want); max(n-want, want-n) > want/5 {
			t.Errorf("%d requests, but the guide says %d", n, want)
		}
	}
}

func TestRequestCountOfActivations(t *testing.T) {
	t.Parallel()
	const tests, off = 300, 225
	service, c := large(t, 1)
	service.Change(t, func(st *sandbox.State) {
		a := sandbox.Assessment{ID: "asm-many", Kind: sandbox.Skills, Name: "Many"}
		for n := range tests {
			text := fmt.Sprintf(`{"id":"skt-%04d","title":"Test %d","active":%t}`, n, n, n >= off)
			a.SkillsTests = append(a.SkillsTests, sandboxtest.SkillsTest(t, text))
		}
		st.Assessments = append(st.Assessments, a)
	})
	c.UseFrom("TestRequestCount", "activations")
	c.Apply().OK().Quiet()
	all, writes := counts(service)
	t.Logf("activating %d of %d tests: %d PUT and %d lists", off, tests, writes, all-writes)
	if writes != off || all > off+10 {
		t.Errorf("%d PUT and %d lists, want %d and at most 10", writes, all-writes, off)
	}
	service.ResetJournal()
	c.Plan().Empty()
	all, _ = counts(service)
	t.Logf("plan without changes: %d requests", all)
	if all != 1 {
		t.Errorf("%d requests for a plan without changes, want 1", all)
	}
}

// If the service does not list the assessments of a position, a refresh sends one
// request for each resource, with the same result (assumption A7).
func TestRequestCountWithoutLists(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusMethodNotAllowed, http.StatusNotFound} {
		onceAs(t, fmt.Sprint(status), func(s *simulation) {
			config := simulatedConfig(engineers, facet("facet", backend), lumen("a", leeds), northlight("b", leeds))
			s.apply(config)
			s.service.AssertCount(s.t, http.MethodPost, "", len(config.Resources))
			s.service.ResetJournal()
			s.stays(config)
			s.service.AssertCount(s.t, http.MethodGet, sandbox.RoutePositionAssessments, 1)
			s.service.AssertCount(s.t, http.MethodGet, sandbox.RoutePositionAssessment, len(config.Resources))
			s.change(empty(backend))
			if actions := s.succeeds(s.plan(config)).Plan.Actions(); len(actions) != 2 {
				s.t.Errorf("two were removed outside Terraform, but the plan is %v", actions)
			}
		}, func(o *sandboxtest.Options) { o.Assumptions.PositionAssessmentList = status })
	}
}

// If the service does not list its positions, no plan checks the locale of a benchmark (assumption A11), and each run
// asks for the list only once.
func TestRequestCountWithoutPositions(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.service.Inject(refusing(sandbox.RoutePositions, http.StatusMethodNotAllowed))
		s.succeeds(s.plan(simulatedConfig(engineers, benchmarked("leeds", leeds, engineersBenchmark))))
		s.service.AssertCount(t, http.MethodGet, sandbox.RoutePositions, 1)
	})
}

// A position assessment that is missing in the list is requested once by its ID. Only
// that response removes it from the state.
func TestRequestCountOfMissingPositionAssessment(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"gone": true, "it exists": false} {
		onceAs(t, name, func(s *simulation) {
			s.applies(engineers)
			time.Sleep(time.Minute) // a read right after the creation may be repeated
			s.service.Inject(sandboxtest.Fault{
				Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Body: []byte("[]"),
			})
			if gone {
				s.change(empty(backend))
			}
			s.service.ResetJournal()
			r := s.succeeds(s.core.PlanDestroy(s.t.Context(), simulatedConfig(engineers), s.options))
			if removes := len(r.Plan.Actions()) > 0; removes == gone {
				s.t.Errorf("the plan destroys the position assessment: %t", removes)
			}
			s.service.AssertCount(s.t, http.MethodGet, sandbox.RoutePositionAssessments, 1)
			s.service.AssertCount(s.t, http.MethodGet, sandbox.RoutePositionAssessment, 1)
		})
	}
}

// Results with equal arguments are read once in a run, and again after a write to their
// position.
func TestRequestCountOfResults(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		const graduates = sandbox.DemoResultsPosition
		results := func(name, position string, candidates ...string) coretest.Resource {
			body := coretest.Body{"position_id": position}
			if candidates != nil {
				body["candidate_ids"] = candidates
			}
			return coretest.Resource{Addr: "data.assess_position_results." + name, Body: body}
		}
		attached := facet("facet", graduates)
		config := simulatedConfig(
			results("one", graduates, "b", "a"), results("two", graduates, "a", "b"),
			results("three", backend), results("four", backend),
			attached, dependingOn(results("late", graduates, "a", "b"), attached),
		)
		planned := s.succeeds(s.plan(config))
		s.service.AssertCount(t, http.MethodGet, sandbox.RouteResults, 2)
		s.appliesPlan(planned)
		s.service.AssertCount(t, http.MethodGet, sandbox.RouteResults, 3)
	})
}

// A run keeps little memory for each planned resource: less than a CLI keeps in its
// state.
func TestMemoryPerResource(t *testing.T) { //nolint:paralleltest // measures the heap of the whole process
	const resources, most = 1000, 2 << 10
	service := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.NoLimits, o.MaxPage, o.Seed = true, 0, stateWithPositions(resources)
	})
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	const name = "assess_position_assessment"
	typ := w.typ(name)
	var before uint64
	for n, position := range service.State(t).Positions {
		config := coretest.Encode(typ, fields{
			"position_id": position.ID, "assessment_id": "asm-lumen",
			"benchmark": fields{"id": "bmk-lumen-engineers-en-gb"},
		})
		planned, err := w.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: name, PriorState: coretest.Encode(typ, nil), Config: config, ProposedNewState: config,
		})
		if err != nil || len(planned.Diagnostics) > 0 {
			t.Fatal(err, planned)
		}
		if n == 0 { // which also fills what all resources share
			before = heap()
		}
	}
	service.ResetJournal()
	kept := (int64(heap()) - int64(before)) / resources
	t.Logf("%d bytes for each resource", kept)
	if kept > most {
		t.Errorf("a run keeps %d bytes for each resource, want at most %d", kept, most)
	}
	runtime.KeepAlive(w)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
