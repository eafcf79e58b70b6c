// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// attachesWith plans to attach a resource, and applies the plan while a POST meets a fault. An
// activation is applied first: after its first write, an apply does not check again what its plan has checked.
func (s *simulation) attachesWith(
	r coretest.Resource,
	fault sandboxtest.Fault,
	settings coretest.Body,
) coretest.Result {
	s.t.Helper()
	r.DependsOn = []string{activationAddr + "go"}
	config := simulatedConfig(activation("go", "skt-go"), r)
	maps.Copy(config.Providers[""], settings)
	planned := s.succeeds(s.core.Plan(s.t.Context(), config, s.options))
	s.service.ResetJournal()
	fault.Method = http.MethodPost
	s.service.Inject(fault)
	applied := s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options)
	if o := s.object(r); o != nil && o.Tainted {
		s.t.Error("the resource is tainted")
	}
	return applied
}

// sent returns the methods of the requests to the list of the position, in order.
func (s *simulation) sent() string {
	var methods []string
	for _, e := range s.service.Journal() {
		if e.Route == sandbox.RoutePositionAssessments {
			methods = append(methods, e.Method)
		}
	}
	return strings.Join(methods, " ")
}

// lostCreation is how a creation ends whose response was lost.
type lostCreation string

const (
	recovered lostCreation = "the state has what was attached, and a warning says so"
	sentAgain lostCreation = "nothing was attached, so the request is sent again"
	undecided lostCreation = "the state has nothing, and an error says so"
	notLost   lostCreation = "the service has refused the request"
)

// A creation whose response was lost is never sent again without a check. It is
// recovered if the position has exactly one match, and sent again if the position
// certainly has none. Otherwise, the user must decide.
func TestFaultLostCreation(t *testing.T) {
	t.Parallel()
	reset := func(when sandboxtest.Moment) sandboxtest.Fault { return sandboxtest.Fault{Reset: true, When: when} }
	importHint := []string{
		"Unknown whether the assessment was attached",
		`The provider sent a request to attach assessment "asm-lumen" .*to position "pos-backend-london"`,
		"connection reset",
		"The provider did not send the request again, because that could attach the assessment twice",
		`To fix this: look at the position in the service. If it does not have the assessment, apply again. If it has the assessment, import it: ` +
			`import \{ to = <address> id = "pos-backend-london/POSITION_ASSESSMENT_ID" \}`,
	}
	const notShown = `The position has position assessment "pas-0001" of this assessment, but the service does not show how it is configured`
	for name, row := range map[string]struct {
		service  sandboxtest.Assumptions
		settings coretest.Body
		config   coretest.Resource // empty means engineers
		fault    sandboxtest.Fault
		also     sandboxtest.Fault // fault of another request
		ends     lostCreation
		sent     string // if it is not as usual
		has      int    // the number of position assessments in the service, if it is not as usual
		says     []string
	}{
		"one":                 {fault: reset(after), ends: recovered, says: []string{"exactly one new position assessment", "connection reset"}},
		"one without a block": {config: lumen("a", backend), fault: reset(after), ends: recovered},
		"an invalid ID in the response": {
			fault: sandboxtest.Fault{
				When: after, Status: 201, Body: []byte(`{"id":".."}`), Header: http.Header{"Location": {}},
			},
			ends: recovered, says: []string{"neither the body nor the Location header contains the new ID"},
		},
		"none":                  {fault: reset(before), ends: sentAgain},
		"none, after a timeout": {fault: sandboxtest.Fault{Delay: 45 * time.Second}, ends: sentAgain},
		"several": {
			fault: sandboxtest.Fault{Reset: true, When: after, Act: attachByOther}, has: 2, ends: undecided,
			says: append([]string{"The position has the assessment more than once, as pas-0001, pas-0002"}, importHint...),
		},
		// It cannot be distinguished from ours.
		"only that of another": {fault: sandboxtest.Fault{Reset: true, Act: attachByOther}, ends: recovered},
		"no list on this service": {
			service: sandboxtest.Assumptions{PositionAssessmentList: 405},
			fault:   reset(after), ends: undecided, sent: "GET POST",
			says: append([]string{"This service does not list the assessments of a position"}, importHint...),
		},
		"no list on this service, and no ID in the response": {
			service: sandboxtest.Assumptions{PositionAssessmentList: 405},
			fault: sandboxtest.Fault{
				When: after, Status: 201, Body: []byte(`{}`), Header: http.Header{"Location": {}},
			},
			ends: undecided, sent: "GET POST", says: []string{
				`to position "pos-backend-london", but the response has no ID of the new position assessment\.`,
				"This service does not list the assessments of a position",
			},
		},
		"the list cannot be read": {
			fault: reset(after), ends: undecided,
			also: sandboxtest.Fault{
				Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Status: http.StatusForbidden,
			},
			says: append([]string{
				`The provider could not read the list of the position's assessments\. The service answered GET .* with 403`,
			}, importHint...),
		},
		"plan_checks is off": {settings: coretest.Body{"plan_checks": false}, fault: reset(after), ends: recovered},
		"plan_checks is off, no effect": {
			settings: coretest.Body{"plan_checks": false}, fault: reset(before), ends: sentAgain,
		},
		"a mute service, not proven": {
			service: sandboxtest.Mute, fault: reset(after), ends: undecided, says: append([]string{notShown}, importHint...),
		},
		"a mute service, proven by packages that must exist": {
			service: sandboxtest.Mute, config: games, fault: reset(after), ends: undecided, says: []string{
				notShown, "Unknown whether the assessment was attached", "connection reset",
				`request to attach assessment "asm-quartet" .*to position "pos-backend-london"`,
			},
		},
		"a mute service, no effect": {service: sandboxtest.Mute, fault: reset(before), ends: sentAgain},
		"never sent":                {fault: sandboxtest.Fault{Refuse: true}, ends: sentAgain, sent: "GET POST"},
		"429":                       {fault: sandboxtest.Fault{Status: 429}, ends: sentAgain, sent: "GET POST POST"},
		"503 twice": {
			fault: sandboxtest.Fault{Status: 503, Times: 2}, ends: sentAgain, sent: "GET POST GET GET GET POST GET GET GET POST",
		},
		"refused": {fault: sandboxtest.Fault{Status: 409}, ends: notLost, says: []string{
			"Could not attach the assessment", "409 Conflict", `"asm-lumen"`, "To fix this: correct what the service reports",
		}},
	} {
		onceAs(t, name, func(s *simulation) {
			config := row.config
			if config.Addr == "" {
				config = engineers
			}
			if row.also.Method != "" {
				row.also.Skip = 2 // skip the requests of the plan and before the POST
				s.service.Inject(row.also)
			}
			r := s.attachesWith(config, row.fault, row.settings)
			holds, has, sent := "pas-0001", 1, "GET POST GET"
			switch row.ends {
			case recovered:
				s.warns(s.succeeds(r), append([]string{"Recovered after a lost response", `"pas-0001"`}, row.says...)...)
			case sentAgain:
				sent = "GET POST GET GET GET POST"
				s.succeeds(r)
			case undecided:
				holds = ""
				s.fails(r, row.says...)
			case notLost:
				holds, has, sent = "", 0, "GET POST"
				s.fails(r, row.says...)
			}
			if got := s.on(backend); len(got) != max(has, row.has) {
				s.t.Errorf("the service has %v, want %d", got, max(has, row.has))
			}
			if got := s.id(config); got != holds {
				s.t.Errorf("the state has %q, want %q", got, holds)
			}
			if got, want := s.sent(), cmp.Or(row.sent, sent); got != want {
				s.t.Errorf("sent %s, want %s", got, want)
			}
		}, func(o *sandboxtest.Options) { o.Assumptions = row.service })
	}
}

// If no plan could compare a creation with the position assessments of its position, the apply does. It refuses a
// duplicate, and it recovers a lost response.
func TestFaultLostCreationUncheckedAtPlan(t *testing.T) {
	t.Parallel()
	for unknown, value := range map[string]string{
		"position_id": backend, "assessment_id": "asm-lumen", "benchmark": engineersBenchmark, "base_url": sandbox.BaseURL,
	} {
		onceAs(t, unknown, func(s *simulation) {
			config := simulatedConfig(unknownString("later", value), benchmarked("engineers", backend, engineersBenchmark))
			switch later := outputOf("later"); unknown {
			case "base_url":
				config.Providers[""][unknown] = later
			case "benchmark":
				config.Resources[1].Body[unknown] = coretest.Body{"id": later}
			default:
				config.Resources[1].Body[unknown] = later
			}
			before := s.core.State
			s.change(attachByOther)
			s.fails(s.core.Apply(s.t.Context(), config, s.options), duplicateSummary, `"pas-0001"`)
			s.writesNothing()
			s.core.State = before
			s.change(empty(backend))
			s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Reset: true, When: after})
			s.warns(s.apply(config), "Recovered after a lost response")
			s.noDuplicates()
		})
	}
}

// The request may still be in progress: for a request_timeout after a timeout, and for
// an unknown time after other faults. So the list is read a second time before the
// request is sent again.
func TestFaultLateEffect(t *testing.T) {
	t.Parallel()
	const soon, requestTimeout = 200 * time.Millisecond, 30 * time.Second
	for name, row := range map[string]struct {
		fault   sandboxtest.Fault
		later   time.Duration // from the first read of the list until the effect
		between time.Duration // minimum time between the two reads
	}{
		"no answer": {sandboxtest.Fault{Delay: 45 * time.Second}, requestTimeout * 3 / 2, requestTimeout},
		"504":       {sandboxtest.Fault{Status: http.StatusGatewayTimeout}, requestTimeout / 2, requestTimeout},
		"524":       {sandboxtest.Fault{Status: 524}, requestTimeout / 2, requestTimeout},
		"500":       {sandboxtest.Fault{Status: http.StatusInternalServerError}, soon, soon},
		"502":       {sandboxtest.Fault{Status: http.StatusBadGateway}, soon, soon},
		"503":       {sandboxtest.Fault{Status: http.StatusServiceUnavailable}, soon, soon},
		"reset":     {sandboxtest.Fault{Reset: true}, soon, soon},
		"hang-up":   {sandboxtest.Fault{Hangup: true}, soon, soon},
	} {
		onceAs(t, name, func(s *simulation) {
			comes := func(*sandbox.State) { time.AfterFunc(row.later, func() { s.change(attachByOther) }) }
			if row.fault.Delay > 0 {
				comes(nil)
			} else {
				row.fault.Act = comes
			}
			r := s.succeeds(s.attachesWith(engineers, row.fault, nil))
			s.warns(r, "Recovered after a lost response", `"pas-0001"`)
			if sent, has := s.sent(), s.on(backend); sent != "GET POST GET GET" || len(has) != 1 {
				s.t.Fatalf("sent %s, and the service has %v", sent, has)
			}
			lists := slices.DeleteFunc(s.service.Journal(), func(e sandboxtest.Entry) bool {
				return e.Method != http.MethodGet || e.Route != sandbox.RoutePositionAssessments
			})
			if between := lists[2].Time.Sub(lists[1].Time); between < row.between {
				s.t.Errorf("the list was read again after %s", between)
			}
		})
	}
}

// If the service answered that the assessment was attached, the request is not sent
// again, even if the list does not show it.
func TestFaultAcceptedButNotListed(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no id": "{}", "nothing": "", "the position": `{"id":"` + backend + `"}`,
		"another assessment": `{"id":"pas-0009","organizationAssessment":"asm-facet"}`,
	} {
		onceAs(t, name, func(s *simulation) {
			s.service.Inject(sandboxtest.Fault{ // the list is out of date
				Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Skip: 2, Times: 2, Body: []byte("[]"),
			})
			r := s.attachesWith(engineers, sandboxtest.Fault{
				When: after, Status: http.StatusCreated,
				Body: []byte(body), Header: http.Header{"Location": {}},
			}, nil)
			s.fails(r, "Unknown whether the assessment was attached", "The provider did not send the request again",
				"The service confirmed the request, but its list")
			if sent, has := s.sent(), s.on(backend); sent != "GET POST GET GET" || len(has) != 1 {
				s.t.Errorf("sent %s, and the service has %v", sent, has)
			}
		})
	}
}

// Time spent waiting for a slot does not count towards retry_timeout, including during
// recovery.
func TestFaultCreationWaitsForTheBudget(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		begin := time.Now()
		s.succeeds(
			s.attachesWith(engineers, sandboxtest.Fault{Status: http.StatusInternalServerError, Times: 2}, coretest.Body{
				"retry_timeout": "3m", "rate_limit": coretest.Body{"coordination": "none", "share": 0.001}, // one request a minute
			}),
		)
		if took := time.Since(begin); took < 6*time.Minute || len(s.on(backend)) != 1 {
			t.Errorf("after %s the service has %v: want one, and more than twice retry_timeout", took, s.on(backend))
		}
	})
}

// The pauses between attempts to attach an assessment increase. The first one is the time in which the service may
// still work on the request, twice, because the provider looks at the list before, between and after. The rest is how
// long these requests take.
func TestFaultCreationBacksOff(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		const settles, requests = time.Second, 150 * time.Millisecond
		settings := coretest.Body{"request_timeout": settles.String()}
		s.attachesWith(engineers, sandboxtest.Fault{Status: http.StatusInternalServerError, Times: -1}, settings)
		var pauses []time.Duration
		for writes := s.service.Writes()[1:]; len(writes) > 1; writes = writes[1:] {
			pauses = append(pauses, writes[1].Time.Sub(writes[0].Time))
		}
		first, last := pauses[0], pauses[len(pauses)-1]
		if first < 2*settles || first > 2*settles+requests || last < 15*time.Second || len(s.on(backend)) != 0 {
			t.Errorf("the first pause is %s, the last %s, and the service has %v", first, last, s.on(backend))
		}
	})
}

// Several creations on one position lose their responses at the same time. Each is
// recovered as its own position assessment.
func TestFaultConcurrentLostCreations(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		all := resources{engineers, managers, customers, games}
		// The responses are delayed until all requests had their effect.
		s.service.Inject(sandboxtest.Fault{
			Method: http.MethodPost, Times: len(all), When: after, Delay: time.Minute / 4, Reset: true,
		})
		s.applies(all...)
		s.service.AssertCount(t, http.MethodPost, "", len(all))
		seen := map[string]bool{}
		for _, r := range all {
			pa := s.service.State(t).Position(backend).Assessment(s.id(r))
			if pa == nil || seen[pa.ID] || pa.Assessment != r.Body["assessment_id"] {
				t.Errorf("%s was recovered as %q: %v", r.Addr, s.id(r), pa)
			}
			seen[s.id(r)] = true
		}
		s.stays(simulatedConfig(all...))
	})
}

// A service may show packages, benchmark and tests in responses to writes but never in
// reads. Such a service does not show what a lost response did. The read after the
// first write proves it.
func TestFaultLostCreationEchoed(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: after, Body: []byte(
			`{"id":"pas-0001","organizationAssessment":"asm-lumen","metadata":{"benchmark":"bmk-lumen-engineers-en-gb"}}`,
		)})
		s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: after, Reset: true})
		s.fails(s.run(engineers, dependingOn(managers, engineers)),
			"Unknown whether the assessment was attached", "the service does not show how it is configured")
		if has := s.on(backend); len(has) != 2 {
			t.Errorf("the service has %q, want two", has)
		}
	}, mute)
}
