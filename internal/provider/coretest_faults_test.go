// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// How messages end.
const (
	fixLater   = `To fix this: run the command again later, because the service has a problem\.`
	fixAddress = `To fix this: check the provider's base_url \(environment variable ASSESS_BASE_URL\)`
	fixNetwork = fixAddress + `, the network and the proxy settings\. Then run the command again\.`
	fixKey     = `check the credentials client_id and api_key \(ASSESS_CLIENT_ID, ASSESS_API_KEY\)`
	fixOther   = "To fix this: if another program uses the same API key, wait until it has finished"
	notChanged = `The state was not changed\.`
)

// The position assessments of these scenarios.
var (
	engineers = benchmarked("engineers", backend, engineersBenchmark)
	managers  = benchmarked("managers", backend, managersBenchmark)
	games     = selected("games", backend, "all")
	customers = profiled("customers", backend, "prf-customer-first")
)

// oneOfEach has an instance of each resource of the provider.
var oneOfEach = []coretest.Resource{engineers, activation("go", "skt-go")}

// operation is a run that changes the service with one request.
type operation struct {
	method, route string
	before, after resources
}

// A fault happens to a request of each method.
var operations = map[string]operation{
	"read":   {http.MethodGet, sandbox.RouteBenchmarks, nil, resources{engineers}},
	"attach": {http.MethodPost, sandbox.RoutePositionAssessments, nil, resources{engineers}},
	"update": {
		http.MethodPut, sandbox.RoutePositionAssessment,
		resources{lumen("engineers", backend)},
		resources{engineers},
	},
	"remove": {http.MethodDelete, sandbox.RoutePositionAssessment, resources{engineers}, nil},
	"enable": {http.MethodPut, sandbox.RouteSkillsTest, nil, resources{activation("go", "skt-go")}},
}

// faultOutcome is what happens to the request, and to the run.
type faultOutcome string

const (
	fine     faultOutcome = "the answer is complete enough"
	again    faultOutcome = "the request is sent again, until retry_timeout"
	foundOut faultOutcome = "the request is not sent again, and the run finds out what it did"
	gaveUp   faultOutcome = "the run fails after one request"
)

const (
	before = sandboxtest.BeforeEffect
	after  = sandboxtest.AfterEffect
)

// Each fault of a network, a gateway or a service has one of four outcomes, which depends on the method of the request.
// TestRetryPolicy of assessapi has more faults. No change is lost or sent twice, the state is kept, and the next run
// repairs what is left. An error says what the service answered and what to do.
func TestFaults(t *testing.T) {
	t.Parallel()
	html := http.Header{"Content-Type": {"text/html"}}
	noAddress := http.Header{"Location": {}}
	type faultOutcomes struct{ get, post, put, remove faultOutcome }
	for name, row := range map[string]struct {
		fault sandboxtest.Fault
		faultOutcomes
		says []string
	}{
		"502 before":         {sandboxtest.Fault{Status: 502, Header: html, Body: []byte("<h1>Bad Gateway</h1>")}, faultOutcomes{again, again, again, again}, []string{`502 Bad Gateway \(Conv`, fixLater}},
		"503 before":         {sandboxtest.Fault{Status: 503}, faultOutcomes{again, again, again, again}, []string{"503 Service Unavailable", fixLater}},
		"slow before":        {sandboxtest.Fault{Delay: 45 * time.Second}, faultOutcomes{again, again, again, again}, []string{"no answer within 30s", fixNetwork}},
		"connection refused": {sandboxtest.Fault{Refuse: true}, faultOutcomes{again, again, again, again}, []string{"connection refused", fixNetwork}},
		"429":                {sandboxtest.Fault{Status: 429}, faultOutcomes{again, again, again, again}, []string{"429 Too Many Requests", fixOther}},
		"reset after":        {sandboxtest.Fault{When: after, Reset: true}, faultOutcomes{again, foundOut, again, again}, []string{"connection reset", fixNetwork}},
		"body cut short":     {sandboxtest.Fault{CutBody: true}, faultOutcomes{again, foundOut, again, fine}, []string{"ended early", fixNetwork}},
		"no JSON":            {sandboxtest.Fault{When: after, Status: 200, Body: []byte(`{"id":`)}, faultOutcomes{again, fine, fine, fine}, []string{"200 OK with a body that is not JSON", fixNetwork}},
		"no JSON, no address": {
			sandboxtest.Fault{When: after, Status: 200, Body: []byte(`{"id":`), Header: noAddress},
			faultOutcomes{again, foundOut, fine, fine},
			[]string{"200 OK with a body that is not JSON", fixNetwork},
		},
		"empty":                 {sandboxtest.Fault{When: after, Status: 200, Body: []byte{}}, faultOutcomes{again, fine, fine, fine}, []string{"200 OK with an empty body", fixNetwork}},
		"another content type":  {sandboxtest.Fault{When: after, Header: html}, faultOutcomes{fine, fine, fine, fine}, []string{"-"}},
		"redirect":              {sandboxtest.Fault{Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/v1"}}}, faultOutcomes{gaveUp, gaveUp, gaveUp, gaveUp}, []string{"another address, https://elsewhere.example/v1|redirects", fixAddress}},
		"401":                   {sandboxtest.Fault{Status: 401}, faultOutcomes{gaveUp, gaveUp, gaveUp, gaveUp}, []string{"401 Unauthorized", "To fix this: " + fixKey}},
		"403":                   {sandboxtest.Fault{Status: 403}, faultOutcomes{gaveUp, gaveUp, gaveUp, gaveUp}, []string{"403 Forbidden", "ask the operator of the service for the right"}},
		"a body without an end": {sandboxtest.Fault{When: after, Status: 200, Endless: true}, faultOutcomes{gaveUp, foundOut, gaveUp, gaveUp}, []string{"larger than 64 MiB", fixNetwork}},
	} {
		for kind, o := range operations {
			want := map[string]faultOutcome{"GET": row.get, "POST": row.post, "PUT": row.put, "DELETE": row.remove}[o.method]
			for _, times := range []int{1, -1} {
				if row.fault.Endless && (times < 0 || o.method == http.MethodPut) {
					continue // reading 64 MiB takes long
				}
				fault := row.fault
				fault.Method, fault.Route, fault.Times = o.method, o.route, times
				lasting := map[int]string{1: "once", -1: "lasting"}[times]
				onceAs(t, strings.Join([]string{name, kind, lasting}, "/"), func(s *simulation) {
					s.survives(o, fault, want, row.says)
				})
			}
		}
	}
}

// survives meets a fault during an operation, and checks the outcome.
func (s *simulation) survives(o operation, fault sandboxtest.Fault, want faultOutcome, says []string) {
	s.t.Helper()
	s.applies(o.before...)
	state := s.core.State
	s.service.ResetJournal()
	s.service.Inject(fault)
	r := s.run(o.after...)
	s.service.ClearFaults()

	arrived := s.service.Count(o.method, o.route)
	fails := want == gaveUp || want == again && fault.Times < 0
	switch {
	case !fails:
		s.succeeds(r)
	case want == again:
		// After each attempt to attach, the provider looks for its effect for another minute.
		within := map[bool]string{true: "[56]m", false: "5m"}[o.method == http.MethodPost]
		if fault.Refuse && o.method == http.MethodDelete { // nothing has ever answered in this run
			within = `1?\d(\.\d)?s`
		}
		s.fails(r, append([]string{o.method, `That was the last of \d+ attempts within ` + within}, says...)...)
	default:
		s.fails(r, append([]string{o.method}, says...)...)
	}
	if want == foundOut {
		s.warns(r, "Recovered after a lost response")
	} else if r.Says("Recovered") {
		s.t.Errorf("nothing was lost: %v", r.Diagnostics)
	}
	one := arrived == 1
	if fault.Refuse { // a request on a refused connection does not arrive
		one = arrived == 0 || !fails && arrived == 1
	}
	if o.method != http.MethodGet && (want == again && !fault.Refuse) == one {
		s.t.Errorf("the request arrived %d times, want: %s", arrived, want)
	}
	if fails && fault.When == before && len(s.core.State.Instances) != len(state.Instances) {
		s.t.Errorf("the state has %v, want %v", s.core.State.Addresses(), state.Addresses())
	}
	s.noDuplicates()
	s.converges(o.after...)
}

// foreignServices answer 404 although nothing was removed.
var foreignServices = map[string]func(*simulation){
	"a wrong path": func(s *simulation) {
		s.service.Inject(sandboxtest.Fault{
			Status: http.StatusNotFound, Times: -1,
			Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<h1>Not Found</h1>"),
		})
	},
	"an empty organization": func(s *simulation) {
		s.change(func(st *sandbox.State) { st.Assessments, st.Positions = nil, nil })
	},
	"another organization": func(s *simulation) {
		s.change(func(st *sandbox.State) {
			theirs := sandbox.Assessment{ID: "asm-theirs", Kind: sandbox.CognitiveAbility, Name: "Theirs"}
			st.Positions, st.Assessments = nil, []sandbox.Assessment{theirs}
		})
	},
	"a list that is refused": func(s *simulation) {
		s.service.Inject(refusing(sandbox.RouteAssessments, http.StatusForbidden))
		s.service.Inject(sandboxtest.Fault{Status: http.StatusNotFound, Times: -1})
	},
}

// The tests of faults know each resource of the provider. A run that is read-only creates none, and a plan refuses an
// owner that does not exist, and an import of an ID that does not exist. If the service stops showing the optional fields of an object, nothing changes.
func TestFaultsOfEachResource(t *testing.T) {
	t.Parallel()
	schemas, err := providerSchemas()
	if err != nil {
		t.Fatal(err)
	}
	examples := nounExamples(t)
	var tried resources
	for _, o := range operations {
		if o.method != http.MethodGet {
			tried = slices.Concat(tried, o.before, o.after)
		}
	}
	for name := range schemas.ResourceSchemas {
		is := func(r coretest.Resource) bool { return strings.HasPrefix(r.Addr, name+".") }
		i := slices.IndexFunc(oneOfEach, is)
		if i < 0 || !slices.ContainsFunc(tried, is) {
			t.Errorf("add %s to oneOfEach and to operations", name)
			continue
		}
		onceAs(t, name, func(s *simulation) {
			s.env["ASSESS_READ_ONLY"] = "true"
			s.fails(s.core.Apply(s.t.Context(), simulatedConfig(oneOfEach[i]), s.options), "ASSESS_READ_ONLY")
			lost := coretest.Resource{Addr: oneOfEach[i].Addr, Body: maps.Clone(oneOfEach[i].Body)}
			for owner, existing := range examples[name].owner {
				lost.Body[owner] = "none"
				s.fails(s.plan(importing(fmt.Sprint(existing, "/none"), oneOfEach[i])), "import|Unknown")
			}
			s.fails(s.plan(simulatedConfig(lost)), "Unknown (position|assessment)")
			s.writesNothing()
		})
		onceAs(t, name+" with hidden fields", func(s *simulation) {
			config := simulatedConfig(oneOfEach[i])
			s.apply(config)
			s.service.Assume(sandboxtest.Assumptions{RefuseFields: "bare"})
			s.stays(config)
		})
	}
}

// If everything answers 404, because base_url or the key is wrong, no object counts as
// deleted: every operation fails, and the state does not change.
func TestFaultForeignService(t *testing.T) {
	t.Parallel()
	for name, turn := range foreignServices {
		for _, r := range slices.Concat(oneOfEach, resources{customers}) {
			onceAs(t, name+", "+r.Addr, func(s *simulation) {
				config := simulatedConfig(r)
				s.apply(config)
				destroy := s.succeeds(s.core.PlanDestroy(s.t.Context(), config, s.options))
				turn(s)
				s.service.ResetJournal()
				runs := map[string]coretest.Result{
					"apply":   s.core.Apply(s.t.Context(), config, s.options),
					"destroy": s.core.Destroy(s.t.Context(), config, s.options),
				}
				s.writesNothing()
				if r.Addr != activationAddr+"go" { // destroying an activation only drops it from the state
					runs["saved destruction"] = s.core.ApplyPlan(s.t.Context(), destroy.Plan, s.options)
				}
				for run, result := range runs {
					s.t.Log(run)
					s.fails(result, "404|403", fixAddress, fixKey, notChanged)
				}
				if s.object(r) == nil {
					s.t.Error("the resource was dropped from the state")
				}
			})
		}
	}
}

// A service that worked before answers 404 to everything. A later read must confirm
// each 404 before anything is dropped: that another object was confirmed as gone is not enough.
func TestFaultEverythingNotFound(t *testing.T) {
	t.Parallel()
	for name, destroys := range map[string]bool{"refresh": false, "destroy": true} {
		onceAs(t, name, func(s *simulation) {
			gone, exists := engineers, facet("facet", leeds)
			if destroys { // what depends on another resource is created after it and destroyed before it
				gone = dependingOn(gone, exists)
			} else {
				exists = dependingOn(exists, gone)
			}
			config := simulatedConfig(gone, exists)
			s.apply(config)
			destroy := s.succeeds(s.core.PlanDestroy(s.t.Context(), config, s.options))
			s.change(empty(backend))
			storm := false
			s.network.Decide = func(_ int, r *http.Request) coretest.Event {
				if storm = storm || strings.Contains(r.URL.Path, "leeds"); storm {
					return coretest.NotFound
				}
				return coretest.Pass
			}
			if destroys {
				r := s.core.ApplyPlan(s.t.Context(), destroy.Plan, s.options)
				s.fails(r, "Could not remove the position assessment", notChanged)
				if s.object(gone) != nil {
					s.t.Error("the removed position assessment is still in the state")
				}
			} else {
				s.fails(s.plan(config), "Could not read the position assessment", `404 Not Found: Nothing here\. The`, notChanged)
			}
			if s.object(exists) == nil {
				s.t.Error("an existing position assessment was dropped from the state")
			}
		})
	}
}

// If the list of a position answers 404 once, although the position exists and the
// service has such lists, the plan fails instead of missing a duplicate.
func TestFaultListNotFoundOnce(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.change(attachByOther)
		other := coretest.Resource{
			Addr: "data.assess_position_assessments.other", Body: coretest.Body{"position_id": sandbox.DemoResultsPosition},
		}
		s.service.Inject(sandboxtest.Fault{
			Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Skip: 1, Status: http.StatusNotFound,
		})
		s.fails(s.plan(simulatedConfig(other, dependingOn(engineers, other))),
			"Could not check the plan", `"pos-backend-london"`, "answered 404", "To fix this: plan again")
	})
}

// A cache in front of the service shows the list from before another program has attached the same assessment. An apply
// attaches nothing after such a list.
func TestFaultCachedList(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		planned := s.plan(simulatedConfig(lumen("a", backend)))
		s.change(attaches(backend, "asm-lumen", sandbox.Metadata{}))
		s.service.Inject(sandboxtest.Fault{
			Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, When: after, Times: -1,
			Body: []byte("[]"), Header: http.Header{"Age": {"30"}},
		})
		s.fails(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options), "Could not attach the assessment",
			"It could not get a current list, so nothing was sent", "A cache in front of the service answered")
		s.writesNothing()
		s.service.ClearFaults()
		s.fails(s.run(lumen("a", backend)), duplicateSummary)
	})
}

// Several 404s at the same time are confirmed at the same time. Without a confirmation, nothing
// is dropped.
func TestFaultConcurrentNotFound(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.env["ASSESS_UNTHROTTLED"] = "1"
		config := simulatedConfig(counted(lumen, numbered(0, 10)...)...)
		config.Providers[""]["retry_timeout"] = "2s"
		s.apply(config)
		s.change(func(st *sandbox.State) {
			for i := range st.Positions {
				st.Positions[i].Assessments = nil
			}
		})
		s.service.Inject(refusing(sandbox.RouteAssessments, http.StatusServiceUnavailable))
		begin := time.Now()
		s.fails(s.plan(config), "503 Service Unavailable", notChanged)
		if took := time.Since(begin); took > 10*time.Second { // one after the other would take 20
			t.Errorf("ten removals took %s", took)
		}
	})
}

// oddID contains all characters with a special meaning in an address, in JSON, in HCL,
// or on a terminal.
const oddID = "a/b 50% %2F ..?#&\"'\\\n\t${x}é"

// Any ID is one segment of an address. Only the object with that ID is read, changed or
// removed.
func TestFaultOddIDs(t *testing.T) {
	t.Parallel()
	ids := []string{oddID, "../pas-0001", "..%2Fpas-0001", "...", "%2e%2e", "pas-0001/", "pas-0001?x=1", "pas-0001#"}
	for _, id := range ids {
		onceAs(t, id, func(s *simulation) {
			position := "pos " + id
			bystander := sandbox.PositionAssessment{ID: "pas-0001", Assessment: "asm-facet"}
			s.change(func(st *sandbox.State) {
				st.Position(backend).Assessments = []sandbox.PositionAssessment{bystander}
				own := sandbox.PositionAssessment{
					ID: id, Assessment: "asm-lumen", Metadata: sandbox.Metadata{Benchmark: engineersBenchmark},
				}
				st.Positions = append(st.Positions, sandbox.Position{
					ID: position, Title: "Odd", Locale: "en-GB", Assessments: []sandbox.PositionAssessment{bystander, own},
				})
			})
			// A warning about a duplicate names an import ID that works.
			importID := url.PathEscape(position) + "/" + url.PathEscape(id)
			s.warns(s.plan(simulatedConfig(benchmarked("a", position, engineersBenchmark))),
				alreadyAttached, regexp.QuoteMeta(`id = "`+importID+`"`))
			s.apply(importing(importID, benchmarked("a", position, managersBenchmark)))
			find := func() (kept, own *sandbox.PositionAssessment) {
				p := s.service.State(s.t).Position(position)
				return p.Assessment("pas-0001"), p.Assessment(id)
			}
			if kept, own := find(); kept == nil || own == nil || own.Metadata.Benchmark != managersBenchmark {
				s.t.Errorf("after the update the position has %v and %v", kept, own)
			}
			s.applies()
			if kept, own := find(); kept == nil || own != nil {
				s.t.Errorf("after the removal the position has %v and %v", kept, own)
			}
			if left := s.on(backend); len(left) != 1 {
				s.t.Errorf("the other position has %v", left)
			}
			for _, e := range s.service.Journal() {
				if e.Route == "" {
					s.t.Errorf("the service has no route %s %s", e.Method, e.Path)
				}
			}
		})
	}
}

// Unexpected responses cause an error that describes them, and keep the state. The tests of assessapi
// have more of them.
func TestFaultHostileAnswers(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	const element = `{"id":"pas-0001","organizationAssessment":"asm-lumen","metadata":`
	const lists, single = sandbox.RoutePositionAssessments, sandbox.RoutePositionAssessment
	for name, row := range map[string]struct {
		route, body string
		says        string // the expected error; "" if the response is accepted
	}{
		"an id twice":       {lists, `[` + element + `null},` + element + `null}]`, `contains the id "pas-0001" twice`},
		"a thousand levels": {lists, `[` + element + `{"benchmark":"` + engineersBenchmark + `","more":` + deep(1000) + `}}]`, ""},
		"too many levels":   {lists, deep(20_000), "a body that is not JSON"},
		"another object": {
			single, `{"id":"pas-0002","organizationAssessment":"asm-lumen"}`, `asked for position assessment "pas-0001", got "pas-0002"`,
		},
		"an escape sequence": {
			lists, `[{"id":"pas-0001","organizationAssessment":{"` + "\\u001b[31m" + `":1}}]`, `"organizationAssessment" to be a string`,
		},
	} {
		onceAs(t, name, func(s *simulation) {
			s.applies(engineers)
			before := s.object(engineers).Value
			s.service.Inject(sandboxtest.Fault{
				Method: http.MethodGet, Route: row.route, When: sandboxtest.AfterEffect,
				Status: 200, Times: -1, Body: []byte(row.body),
			})
			r := s.plan(simulatedConfig(engineers))
			if row.says == "" {
				s.succeeds(r)
			} else {
				s.fails(r, row.says, `Could not read position assessment "pas-0001" of position "pos-backend-london"`,
					fixAddress+"|To fix this: run the command again. If this happens every time")
			}
			if !s.object(engineers).Value.Equal(before) {
				s.t.Errorf("the state has %s, want %s", s.object(engineers).Value, before)
			}
			if r.Says("\x1b") {
				s.t.Errorf("the message contains terminal escapes: %q", r.Diagnostics)
			}
		}, func(o *sandboxtest.Options) {
			if row.route == single {
				o.Assumptions.PositionAssessmentList = http.StatusMethodNotAllowed
			}
		})
	}
}

// interrupt interrupts the apply of a configuration as soon as a condition holds. It returns how long
// the apply went on.
func (s *simulation) interrupt(config coretest.Config, holds func() bool) (r coretest.Result, took time.Duration) {
	s.t.Helper()
	done := make(chan coretest.Result, 1)
	go func() { done <- s.core.Apply(s.t.Context(), config, s.options) }()
	for !holds() {
		time.Sleep(10 * time.Millisecond)
	}
	interrupted := time.Now()
	s.core.Stop()
	return <-done, time.Since(interrupted)
}

// An interrupt ends any wait of a run within a second of virtual time. The tests of assessapi have more
// of them.
func TestInterruptIsFast(t *testing.T) {
	t.Parallel()
	const reported = `The run was interrupted\. To fix this: run the command again\.`
	for name, row := range map[string]struct {
		fault sandboxtest.Fault
		share float64
		says  string
	}{
		"a response":                 {fault: sandboxtest.Fault{Delay: 25 * time.Second, Times: -1}, says: reported},
		"rate limit of the provider": {share: 0.001, says: `was not sent after waiting .* for the rate limits.*` + reported},
		"recovery of a lost response": {
			fault: sandboxtest.Fault{Method: http.MethodPost, Status: http.StatusGatewayTimeout},
			says:  "Unknown whether the assessment was attached.*The run was interrupted",
		},
	} {
		onceAs(t, name, func(s *simulation) {
			config := simulatedConfig(games)
			if row.share > 0 {
				config.Providers[""]["rate_limit"] = coretest.Body{"coordination": "none", "share": row.share}
			} else {
				s.service.Inject(row.fault)
			}
			begin := time.Now()
			r, took := s.interrupt(config, func() bool { return time.Since(begin) > 10*time.Second })
			if took > time.Second {
				s.t.Errorf("the run ended %s after the interrupt", took)
			}
			s.fails(r, row.says)
		})
	}
}

// A write that was sent is finished after an interrupt, and its result is in the state.
func TestInterruptFinishesWrites(t *testing.T) {
	t.Parallel()
	for name, o := range operations {
		if o.method == http.MethodGet {
			continue
		}
		onceAs(t, name, func(s *simulation) {
			s.applies(o.before...)
			s.service.ResetJournal()
			s.service.Inject(sandboxtest.Fault{Method: o.method, When: after, Delay: 2 * time.Second})
			config := simulatedConfig(o.after...)
			_, took := s.interrupt(config, func() bool { return s.service.Count(o.method, "") > 0 })
			if took < time.Second || took > 10*time.Second {
				s.t.Errorf("the run ended %s after the interrupt, but the response took 2s", took)
			}
			s.service.AssertCount(s.t, o.method, "", 1)
			s.stays(config)
		})
	}
}
