// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// creation is an assessment whose POST meets a fault.
type creation struct {
	*managed
	settings map[string]any
	config   map[string]any // nil means engineers
}

// applyWithFault applies the creation. The fault affects the first POST.
func (a *creation) applyWithFault(fault sandboxtest.Fault) {
	a.t.Helper()
	config := a.config
	if config == nil {
		config = engineers
	}
	a.startRun(a.settings)
	planned := a.plan(config)
	a.succeeds()
	a.service.ResetJournal()
	fault.Method = http.MethodPost
	a.service.Inject(fault)
	a.startRun(a.settings)
	a.apply(config, planned)
	if a.tainted {
		a.t.Error("the resource is tainted")
	}
}

// ids returns the IDs of the position assessments in the service.
func (a *creation) ids() []string {
	a.t.Helper()
	ids := []string{}
	for _, pa := range a.service.State(a.t).Position(backend).Assessments {
		ids = append(ids, pa.ID)
	}
	return ids
}

// sent returns the methods of the requests to the position's list since the apply, in
// order.
func (a *creation) sent() string {
	var methods []string
	for _, e := range a.service.Journal() {
		if e.Route == sandbox.RoutePositionAssessments {
			methods = append(methods, e.Method)
		}
	}
	return strings.Join(methods, " ")
}

// attachByOther attaches the same assessment as the creation.
func attachByOther(st *sandbox.State) {
	p := st.Position(backend)
	p.Assessments = append(p.Assessments, sandbox.PositionAssessment{
		ID: st.NextID("pas"), Assessment: "asm-lumen", Metadata: sandbox.Metadata{Benchmark: "bmk-lumen-engineers-en-gb"},
	})
}

// A creation whose response was lost is never sent again without a check. It is
// recovered if the position has exactly one match, and sent again if the position
// certainly has none. Otherwise, the user must decide.
func TestFaultLostCreation(t *testing.T) {
	t.Parallel()
	reset := func(when sandboxtest.Moment) sandboxtest.Fault { return sandboxtest.Fault{Reset: true, When: when} }
	importHint := []string{
		"Unknown whether the assessment was attached",
		`The provider sent a request to attach assessment "asm-lumen" to position "pos-backend-london"`,
		"connection reset",
		"The provider did not send the request again, because that could attach the assessment twice",
		`To fix this: look at the position in the service. If it does not have the assessment, apply again. If it has the assessment, import it: ` +
			`import \{ to = <address> id = "pos-backend-london/POSITION_ASSESSMENT_ID" \}`,
	}
	mute := func(o *sandboxtest.Options) { o.Assumptions = sandboxtest.Mute }
	const notShown = `The position has position assessment "pas-0001", and the service does not show how it is configured`
	for name, row := range map[string]struct {
		options  func(*sandboxtest.Options)
		settings map[string]any
		config   map[string]any // nil means engineers
		fault    sandboxtest.Fault
		also     sandboxtest.Fault // fault of another request
		has      int               // number of position assessments in the service
		holds    string            // ID in the state; "" if there is none
		sent     string
		warns    []string
		fails    []string
	}{
		"one": {
			fault: reset(sandboxtest.AfterEffect), has: 1, holds: "pas-0001", sent: "POST GET",
			warns: []string{"Recovered after a lost response", "exactly one new position assessment", `"pas-0001"`, "connection reset"},
		},
		"an invalid ID in the response": {
			fault: sandboxtest.Fault{
				When: sandboxtest.AfterEffect, Status: 201, Body: []byte(`{"id":".."}`), Header: http.Header{"Location": {}},
			},
			has: 1, holds: "pas-0001", sent: "POST GET",
			warns: []string{
				"Recovered after a lost response", `"pas-0001"`, "neither its body nor its Location header says the new id",
			},
		},
		"none": {
			fault: reset(sandboxtest.BeforeEffect), has: 1, holds: "pas-0001", sent: "POST GET GET POST",
		},
		"none, after a timeout": {
			fault: sandboxtest.Fault{Delay: 45 * time.Second}, has: 1, holds: "pas-0001", sent: "POST GET GET POST",
		},
		"several": {
			fault: sandboxtest.Fault{Reset: true, When: sandboxtest.AfterEffect, Act: attachByOther}, has: 2, sent: "POST GET",
			fails: append([]string{"The position has the assessment more than once, as pas-0001, pas-0002"}, importHint...),
		},
		"only that of another": { // it cannot be distinguished from ours
			fault: sandboxtest.Fault{Reset: true, Act: attachByOther}, has: 1, holds: "pas-0001", sent: "POST GET",
			warns: []string{"Recovered after a lost response", `"pas-0001"`},
		},
		"no list on this service": {
			options: func(o *sandboxtest.Options) { o.Assumptions.PositionAssessmentList = 405 },
			fault:   reset(sandboxtest.AfterEffect), has: 1, sent: "POST GET",
			fails: append([]string{"This service does not list the assessments of a position"}, importHint...),
		},
		"the list cannot be read": {
			fault: reset(sandboxtest.AfterEffect), has: 1, sent: "POST GET",
			also: sandboxtest.Fault{
				Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Status: http.StatusForbidden,
			},
			fails: append([]string{
				`Could not list the assessments of the position\. The service answered GET .* with 403`,
			}, importHint...),
		},
		"plan_checks is off": {
			settings: map[string]any{"plan_checks": false}, fault: reset(sandboxtest.AfterEffect), has: 1, sent: "POST",
			fails: append([]string{"The plan checks are off"}, importHint...),
		},
		"plan_checks is off, no effect": {
			settings: map[string]any{"plan_checks": false}, fault: reset(sandboxtest.BeforeEffect), sent: "POST",
			fails: append([]string{"The plan checks are off"}, importHint...),
		},
		"a mute service, not proven": {
			options: mute, fault: reset(sandboxtest.AfterEffect), has: 1, sent: "POST GET",
			fails: append([]string{notShown}, importHint...),
		},
		"a mute service, proven by packages that must exist": {
			options: mute, config: games, fault: reset(sandboxtest.AfterEffect), has: 1, sent: "POST GET",
			fails: []string{
				notShown, "Unknown whether the assessment was attached", "connection reset",
				`request to attach assessment "asm-quartet" to position "pos-backend-london"`,
			},
		},
		"a mute service, no effect": {
			options: mute, fault: reset(sandboxtest.BeforeEffect), has: 1, holds: "pas-0001", sent: "POST GET GET POST",
		},
		"never sent": {fault: sandboxtest.Fault{Refuse: true}, has: 1, holds: "pas-0001", sent: "POST"},
		"429": {
			fault: sandboxtest.Fault{Status: http.StatusTooManyRequests}, has: 1, holds: "pas-0001", sent: "POST POST",
		},
		"503 twice": {
			fault: sandboxtest.Fault{Status: http.StatusServiceUnavailable, Times: 2}, has: 1, holds: "pas-0001",
			sent: "POST GET GET POST GET GET POST",
		},
		"refused": {
			fault: sandboxtest.Fault{Status: http.StatusConflict}, sent: "POST",
			fails: []string{
				"Could not attach the assessment", "409 Conflict", `"asm-lumen"`, "To fix this: correct what the service reports",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				options := row.options
				if options == nil {
					options = func(*sandboxtest.Options) {}
				}
				a := &creation{&managed{harness: newHarness(t, options), name: attachmentType}, row.settings, row.config}
				if row.also.Method != "" {
					row.also.Skip = 1 // skip the request of the plan
					a.service.Inject(row.also)
				}
				a.applyWithFault(row.fault)
				if (row.fails == nil) == a.failed() {
					t.Errorf("success is %t, want %t:\n%s", !a.failed(), row.fails == nil, a.messages())
				}
				if row.fails != nil {
					a.fails(row.fails...)
				}
				if row.warns != nil {
					a.warns(row.warns...)
				}
				if got := len(a.ids()); got != row.has {
					t.Errorf("the service has %d position assessments, want %d", got, row.has)
				}
				if a.state == nil && row.holds != "" || a.state != nil && a.text("id") != row.holds {
					t.Errorf("the state holds %s, want %q", a.value(), row.holds)
				}
				if got := a.sent(); got != row.sent {
					t.Errorf("sent %s, want %s", got, row.sent)
				}
			})
		})
	}
}

// The request may still be in progress: for a request_timeout after a timeout, and for
// an unknown time after other faults. So the list is read a second time before the
// request is sent again.
func TestFaultLateEffect(t *testing.T) {
	t.Parallel()
	const soon = 200 * time.Millisecond
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &creation{managed: &managed{harness: newHarness(t), name: attachmentType}}
				comes := func(*sandbox.State) { time.AfterFunc(row.later, func() { a.service.Change(t, attachByOther) }) }
				if row.fault.Delay > 0 {
					comes(nil)
				} else {
					row.fault.Act = comes
				}
				a.applyWithFault(row.fault)
				a.succeeds()
				a.warns("Recovered after a lost response", `"pas-0001"`)
				if sent, ids := a.sent(), a.ids(); sent != "POST GET GET" || len(ids) != 1 {
					t.Fatalf("sent %s, and the service has %v", sent, ids)
				}
				isWrite := func(e sandboxtest.Entry) bool { return e.Method != http.MethodGet }
				lists := slices.DeleteFunc(a.service.Journal(), isWrite)
				if between := lists[1].Time.Sub(lists[0].Time); between < row.between {
					t.Errorf("the list was read again after %s", between)
				}
			})
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &creation{managed: &managed{harness: newHarness(t), name: attachmentType}}
				a.service.Inject(sandboxtest.Fault{ // the list is out of date
					Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Skip: 1, Times: 2, Body: []byte("[]"),
				})
				a.applyWithFault(sandboxtest.Fault{
					When: sandboxtest.AfterEffect, Status: http.StatusCreated,
					Body: []byte(body), Header: http.Header{"Location": {}},
				})
				a.fails("Unknown whether the assessment was attached", "The provider did not send the request again",
					"The service answered that the assessment was attached, but the position does not have it")
				if sent, ids := a.sent(), a.ids(); sent != "POST GET GET" || len(ids) != 1 {
					t.Errorf("sent %s, and the service has %v", sent, ids)
				}
			})
		})
	}
}

// Time spent waiting for a slot does not count towards retry_timeout, including during
// recovery.
func TestFaultCreationWaitsForTheBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		settings := map[string]any{
			"retry_timeout": "2m", "rate_limit": map[string]any{"coordination": "none", "share": 0.001}, // one request a minute
		}
		a := &creation{&managed{harness: newHarness(t), name: attachmentType}, settings, nil}
		begin := time.Now()
		a.applyWithFault(sandboxtest.Fault{Status: http.StatusInternalServerError, Times: 2})
		a.succeeds()
		if took := time.Since(begin); took < 5*time.Minute || len(a.ids()) != 1 {
			t.Errorf("after %s the service has %v: want one, and more than twice retry_timeout", took, a.ids())
		}
	})
}

// The pauses between attempts to attach an assessment increase.
func TestFaultCreationBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &creation{managed: &managed{harness: newHarness(t), name: attachmentType}}
		a.applyWithFault(sandboxtest.Fault{Status: http.StatusInternalServerError, Times: -1})
		a.fails("Could not attach the assessment", "500 Internal Server Error", `last of \d+ attempts within 5m`)
		var pauses []time.Duration
		for writes := a.service.Writes(); len(writes) > 1; writes = writes[1:] {
			pauses = append(pauses, writes[1].Time.Sub(writes[0].Time))
		}
		t.Logf("pauses between %d attempts: %v", len(pauses)+1, pauses)
		first, last := pauses[0], pauses[len(pauses)-1]
		if first > 2*time.Second || last < 15*time.Second || len(a.ids()) != 0 {
			t.Errorf("the first pause is %s, the last %s, and the service has %v", first, last, a.ids())
		}
	})
}

// Several creations on one position lose their responses at the same time. Each is
// recovered as its own position assessment.
func TestFaultConcurrentLostCreations(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	configs := []map[string]any{engineers, managers, customers, skills}
	resources := make([]*instance, len(configs))
	for i, config := range configs {
		resources[i] = &instance{protocolClient: w, name: attachmentType}
		if _, failed := resources[i].plan(config, config); failed != nil {
			t.Fatal(failed[0].Detail)
		}
	}
	// The responses are delayed until all requests had their effect.
	service.Inject(sandboxtest.Fault{
		Method: http.MethodPost, Times: len(configs),
		When: sandboxtest.AfterEffect, Delay: 200 * time.Millisecond, Reset: true,
	})
	var all sync.WaitGroup
	w.mustConfigure(map[string]any{})
	for i, config := range configs {
		planned, _ := resources[i].plan(config, config)
		all.Go(func() {
			if failed := resources[i].apply(config, planned); failed != nil {
				t.Errorf("%v: %s", config, failed[0].Detail)
			}
		})
	}
	all.Wait()
	service.AssertCount(t, http.MethodPost, "", len(configs))
	st := service.State(t)
	seen := map[string]bool{}
	for i, config := range configs {
		if resources[i].state == nil {
			continue
		}
		var id string
		if err := resources[i].attribute("id").As(&id); err != nil {
			t.Fatal(err)
		}
		pa := st.Position(backend).Assessment(id)
		if seen[id] || pa == nil || pa.Assessment != config["assessment_id"] {
			t.Errorf("%v was recovered as %q: %v", config, id, pa)
		}
		seen[id] = true
	}
}
