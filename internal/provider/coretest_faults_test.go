// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
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

// Each fault of a network, a gateway or a service has one of four faultOutcomes, which depends on the
// method of the request. No change is lost or sent twice, the state is kept, and the next run
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
		"500 before":         {sandboxtest.Fault{Status: 500}, faultOutcomes{again, again, again, again}, []string{"500 Internal Server Error", fixLater}},
		"502 before":         {sandboxtest.Fault{Status: 502, Header: html, Body: []byte("<h1>Bad Gateway</h1>")}, faultOutcomes{again, again, again, again}, []string{`502 Bad Gateway \(Conv`, fixLater}},
		"503 before":         {sandboxtest.Fault{Status: 503}, faultOutcomes{again, again, again, again}, []string{"503 Service Unavailable", fixLater}},
		"504 before":         {sandboxtest.Fault{Status: 504}, faultOutcomes{again, again, again, again}, []string{"504 Gateway Timeout", fixLater}},
		"reset before":       {sandboxtest.Fault{Reset: true}, faultOutcomes{again, again, again, again}, []string{"connection reset", fixNetwork}},
		"hang-up before":     {sandboxtest.Fault{Hangup: true}, faultOutcomes{again, again, again, again}, []string{"EOF", fixNetwork}},
		"slow before":        {sandboxtest.Fault{Delay: 45 * time.Second}, faultOutcomes{again, again, again, again}, []string{"no answer within 30s", fixNetwork}},
		"connection refused": {sandboxtest.Fault{Refuse: true}, faultOutcomes{again, again, again, again}, []string{"connection refused", fixNetwork}},
		"429":                {sandboxtest.Fault{Status: 429}, faultOutcomes{again, again, again, again}, []string{"429 Too Many Requests", fixOther}},
		"500 after":          {sandboxtest.Fault{When: after, Status: 500}, faultOutcomes{again, foundOut, again, again}, []string{"500 Internal Server Error", fixLater}},
		"504 after":          {sandboxtest.Fault{When: after, Status: 504}, faultOutcomes{again, foundOut, again, again}, []string{"504 Gateway Timeout", fixLater}},
		"reset after":        {sandboxtest.Fault{When: after, Reset: true}, faultOutcomes{again, foundOut, again, again}, []string{"connection reset", fixNetwork}},
		"hang-up after":      {sandboxtest.Fault{When: after, Hangup: true}, faultOutcomes{again, foundOut, again, again}, []string{"EOF", fixNetwork}},
		"slow after":         {sandboxtest.Fault{When: after, Delay: 45 * time.Second}, faultOutcomes{again, foundOut, again, again}, []string{"no answer within 30s", fixNetwork}},
		"body cut short":     {sandboxtest.Fault{CutBody: true}, faultOutcomes{again, foundOut, again, fine}, []string{"ended early", fixNetwork}},
		"no JSON":            {sandboxtest.Fault{When: after, Status: 200, Body: []byte(`{"id":`)}, faultOutcomes{again, fine, fine, fine}, []string{"200 OK with a body that is not JSON", fixNetwork}},
		"no JSON, no address": {
			sandboxtest.Fault{When: after, Status: 200, Body: []byte(`{"id":`), Header: noAddress},
			faultOutcomes{again, foundOut, fine, fine},
			[]string{"200 OK with a body that is not JSON", fixNetwork},
		},
		"empty":                 {sandboxtest.Fault{When: after, Status: 200, Body: []byte{}}, faultOutcomes{again, fine, fine, fine}, []string{"200 OK with an empty body", fixNetwork}},
		"another content type":  {sandboxtest.Fault{When: after, Header: html}, faultOutcomes{fine, fine, fine, fine}, []string{"-"}},
		"redirect":              {sandboxtest.Fault{Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/v1"}}}, faultOutcomes{gaveUp, gaveUp, gaveUp, gaveUp}, []string{"another origin|redirects", fixAddress}},
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
				t.Run(strings.Join([]string{name, kind, lasting}, "/"), func(t *testing.T) {
					t.Parallel()
					once(t, func(s *simulation) { s.survives(o, fault, want, row.says) })
				})
			}
		}
	}
}

// survives meets a fault during an operation, and checks the faultOutcome.
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
	if fault.Refuse { // a gaveUp connection does not arrive
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
		s.service.ClearFaults()
		s.service.AssertCount(t, http.MethodPost, sandbox.RoutePositionAssessments, 0)
		s.fails(s.run(lumen("a", backend)), duplicateSummary)
		s.noDuplicates()
	})
}
