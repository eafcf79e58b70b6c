// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// addition is an assessment about to be added to a position, whose POST meets a
// fault.
type addition struct {
	*managed
	settings map[string]any
}

// lose applies the addition. The fault strikes its first POST.
func (a *addition) lose(fault sandbox.Fault) {
	a.t.Helper()
	a.begin(a.settings)
	planned := a.plan(engineers)
	a.succeeds()
	a.service.ResetJournal()
	fault.Method = http.MethodPost
	a.service.Inject(fault)
	a.begin(a.settings)
	a.apply(engineers, planned)
	if a.tainted {
		a.t.Error("the resource is tainted")
	}
}

// ids are what the service has attached to the position.
func (a *addition) ids() []string {
	a.t.Helper()
	ids := []string{}
	for _, pa := range a.service.State(a.t).Position(backend).Assessments {
		ids = append(ids, pa.ID)
	}
	return ids
}

// sent is the order of the requests on the position's list since the apply.
func (a *addition) sent() string {
	var methods []string
	for _, e := range a.service.Journal() {
		if e.Route == sandbox.RoutePositionAssessments {
			methods = append(methods, e.Method)
		}
	}
	return strings.Join(methods, " ")
}

// rival adds the same as the addition does.
func rival(st *sandbox.State) {
	p := st.Position(backend)
	p.Assessments = append(p.Assessments, sandbox.PositionAssessment{
		ID: st.NextID("pas"), Assessment: "asm-lumen", Metadata: sandbox.Metadata{Benchmark: "bmk-lumen-engineers-en-gb"},
	})
}

// What becomes of an addition whose answer was lost. It is never simply sent
// again: it is recognised where the position holds exactly one that matches, sent
// again where it certainly holds none, and left to the user where nobody can tell.
func TestFaultLostAddition(t *testing.T) {
	t.Parallel()
	reset := func(when sandbox.Moment) sandbox.Fault { return sandbox.Fault{Reset: true, When: when} }
	importHint := []string{
		"Cannot tell whether the assessment was added", `"asm-lumen" was to be added to the position "pos-backend-london"`, "connection reset",
		"It was not sent again", `import it; if not, apply again: import \{ to = <address> id = "pos-backend-london/POSITION_ASSESSMENT" \}`,
	}
	for name, row := range map[string]struct {
		options  func(*sandbox.Options)
		settings map[string]any
		fault    sandbox.Fault
		also     sandbox.Fault // of another request
		has      int           // how many the service has then
		holds    string        // the id in the state; "" where there is none
		sent     string
		warns    []string
		fails    []string
	}{
		"one": {
			fault: reset(sandbox.AfterEffect), has: 1, holds: "pas-0001", sent: "POST GET",
			warns: []string{"An added assessment was recognised", "exactly one such assessment", `"pas-0001"`, "connection reset"},
		},
		"an id that cannot be one": {
			fault: sandbox.Fault{When: sandbox.AfterEffect, Status: 201, Body: []byte(`{"id":".."}`), Header: http.Header{"Location": {}}}, has: 1, holds: "pas-0001", sent: "POST GET",
			warns: []string{"An added assessment was recognised", `"pas-0001"`, "neither its body nor its Location header says the new id"},
		},
		"none":                  {fault: reset(sandbox.BeforeEffect), has: 1, holds: "pas-0001", sent: "POST GET POST"},
		"none, after a timeout": {fault: sandbox.Fault{Delay: 45 * time.Second}, has: 1, holds: "pas-0001", sent: "POST GET GET POST"},
		"several": {
			fault: sandbox.Fault{Reset: true, When: sandbox.AfterEffect, Act: rival}, has: 2, sent: "POST GET",
			fails: append([]string{"more than once, as pas-0001, pas-0002"}, importHint...),
		},
		"a rival's alone": { // nobody could tell it from ours
			fault: sandbox.Fault{Reset: true, Act: rival}, has: 1, holds: "pas-0001", sent: "POST GET",
			warns: []string{"An added assessment was recognised", `"pas-0001"`},
		},
		"no list on this service": {
			options: func(o *sandbox.Options) { o.NoAttachedList = true }, fault: reset(sandbox.AfterEffect), has: 1, sent: "POST GET",
			fails: append([]string{"this service does not list the assessments of a position"}, importHint...),
		},
		"the list cannot be read": {
			fault: reset(sandbox.AfterEffect), also: sandbox.Fault{Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Status: http.StatusForbidden}, has: 1, sent: "POST GET",
			fails: append([]string{"could not be listed either: The service answered GET .* with 403"}, importHint...),
		},
		"plan_checks is off": {
			settings: map[string]any{"plan_checks": false}, fault: reset(sandbox.AfterEffect), has: 1, sent: "POST",
			fails: append([]string{"plan_checks is off"}, importHint...),
		},
		"plan_checks is off, no effect": {
			settings: map[string]any{"plan_checks": false}, fault: reset(sandbox.BeforeEffect), sent: "POST",
			fails: append([]string{"plan_checks is off"}, importHint...),
		},
		"a silent service": {
			options: func(o *sandbox.Options) { o.HideMetadata = true }, fault: reset(sandbox.AfterEffect), has: 1, sent: "POST GET",
			fails: append([]string{`holds the assessment as "pas-0001", and the service does not say how it is configured`}, importHint...),
		},
		"a silent service, no effect": {
			options: func(o *sandbox.Options) { o.HideMetadata = true }, fault: reset(sandbox.BeforeEffect), has: 1, holds: "pas-0001", sent: "POST GET POST",
		},
		"never sent": {fault: sandbox.Fault{Refuse: true}, has: 1, holds: "pas-0001", sent: "POST"},
		"refused unread": {
			fault: sandbox.Fault{Status: http.StatusTooManyRequests}, has: 1, holds: "pas-0001", sent: "POST POST",
		},
		"refused": {
			fault: sandbox.Fault{Status: http.StatusConflict}, sent: "POST",
			fails: []string{"Cannot add the assessment", "409 Conflict", `"asm-lumen"`, "Correct what the service names"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				options := row.options
				if options == nil {
					options = func(*sandbox.Options) {}
				}
				a := &addition{&managed{world: newWorld(t, options), name: attachmentType}, row.settings}
				if row.also.Method != "" {
					row.also.Skip = 1 // the plan's own
					a.service.Inject(row.also)
				}
				a.lose(row.fault)
				if (row.fails == nil) == a.failed() {
					t.Errorf("it succeeds: %t, want %t:\n%s", !a.failed(), row.fails == nil, a.words())
				}
				if row.fails != nil {
					a.fails(row.fails...)
				}
				if row.warns != nil {
					a.warns(row.warns...)
				}
				if got := len(a.ids()); got != row.has {
					t.Errorf("the service has %d, want %d", got, row.has)
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

// After a timeout the request may still be under way. The list is read again one
// request_timeout later, before anything is sent once more.
func TestFaultLateEffect(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		fault sandbox.Fault
		later time.Duration // is when the effect comes: after the first reading of the list
	}{
		"no answer": {sandbox.Fault{Delay: 45 * time.Second}, requestTimeout * 3 / 2},
		"504":       {sandbox.Fault{Status: http.StatusGatewayTimeout}, requestTimeout / 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &addition{&managed{world: newWorld(t), name: attachmentType}, nil}
				time.AfterFunc(row.later, func() { a.service.Change(t, rival) })
				a.lose(row.fault)
				a.succeeds()
				a.warns("An added assessment was recognised", `"pas-0001"`)
				if sent, ids := a.sent(), a.ids(); sent != "POST GET GET" || len(ids) != 1 {
					t.Fatalf("sent %s, and the service has %v", sent, ids)
				}
				lists := slices.DeleteFunc(a.service.Journal(), func(e sandbox.Entry) bool { return e.Method != http.MethodGet })
				if between := lists[1].Time.Sub(lists[0].Time); between < requestTimeout {
					t.Errorf("the list was read again after %s", between)
				}
			})
		})
	}
}

// An addition that the service keeps failing is sent ever more rarely.
func TestFaultAdditionIsSentMoreRarely(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &addition{&managed{world: newWorld(t), name: attachmentType}, nil}
		a.lose(sandbox.Fault{Status: http.StatusInternalServerError, Times: -1})
		a.fails("Cannot add the assessment", "500 Internal Server Error", `last of \d+ attempts within 5m`)
		var pauses []time.Duration
		for writes := a.service.Writes(); len(writes) > 1; writes = writes[1:] {
			pauses = append(pauses, writes[1].Time.Sub(writes[0].Time))
		}
		t.Logf("pauses between %d attempts: %v", len(pauses)+1, pauses)
		if first, last := pauses[0], pauses[len(pauses)-1]; first > 2*time.Second || last < 15*time.Second || len(a.ids()) != 0 {
			t.Errorf("the first pause is %s, the last %s, and the service has %v", first, last, a.ids())
		}
	})
}

// What is about to be replaced looks like the addition whose answer was lost,
// and is not taken for it: it would be destroyed next.
func TestFaultLostReplacement(t *testing.T) {
	t.Parallel()
	for _, when := range []sandbox.Moment{sandbox.BeforeEffect, sandbox.AfterEffect} {
		for _, planned := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, planned once more in the apply: %t", when, planned), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					before := &managed{world: w, name: attachmentType}
					before.settle(engineers)

					// create_before_destroy: the creation is planned beside the prior state.
					after := &managed{world: w, name: attachmentType}
					w.begin(nil)
					before.refresh()
					before.plan(engineers)
					plan := after.plan(engineers)
					w.succeeds()
					w.begin(nil)
					if planned {
						after.plan(engineers)
					}
					w.service.Inject(sandbox.Fault{Method: http.MethodPost, Reset: true, When: when})
					after.apply(engineers, plan)
					w.succeeds()
					if id := after.text("id"); id != "pas-0002" {
						t.Errorf("the new one is %q, which is the old one", id)
					}
				})
			})
		}
	}
}

// Two additions to one position at once, both answers lost: each finds its own.
func TestFaultLostAdditionsAtOnce(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandbox.Options) { o.NoLimits = true })
	w := newWalker(t, service)
	w.walk(map[string]any{})
	configs := []map[string]any{engineers, managers, customers, skills}
	resources := make([]*instance, len(configs))
	for i, config := range configs {
		resources[i] = &instance{walker: w, name: attachmentType}
		if _, failed := resources[i].plan(config, config); failed != nil {
			t.Fatal(failed[0].Detail)
		}
	}
	// The answers are held back until all have taken effect.
	service.Inject(sandbox.Fault{Method: http.MethodPost, Times: len(configs), When: sandbox.AfterEffect, Delay: 200 * time.Millisecond, Reset: true})
	var all sync.WaitGroup
	w.walk(map[string]any{})
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
			t.Errorf("%v is taken to be %q: %v", config, id, pa)
		}
		seen[id] = true
	}
}

// What a plan could not compare with what the position holds is not recognised
// there afterwards: it may have been there before, and be another state's.
func TestFaultLostAdditionUncheckedAtPlan(t *testing.T) {
	t.Parallel()
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	without := func(name string, value any) map[string]any {
		config := maps.Clone(engineers)
		config[name] = value
		return config
	}
	for name, row := range map[string]struct {
		settings, config map[string]any // at plan
	}{
		"a position":    {map[string]any{}, without("position_id", unknown)},
		"an assessment": {map[string]any{}, without("assessment_id", unknown)},
		"a benchmark":   {map[string]any{}, without("benchmark", map[string]any{"id": unknown})},
		"a setting":     {map[string]any{"base_url": unknown}, engineers},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				first, second := &managed{world: w, name: attachmentType}, &managed{world: w, name: attachmentType}
				w.service.Change(t, rival)
				w.begin(nil)
				before := first.plan(inventory)
				w.succeeds()
				w.configure(row.settings)
				second.plan(row.config)
				w.succeeds()

				w.begin(nil)
				first.apply(inventory, before)
				planned := second.plan(engineers) // once more, and not checked once more
				w.succeeds()
				w.service.Inject(sandbox.Fault{Method: http.MethodPost, Reset: true})
				second.apply(engineers, planned)
				w.fails("Cannot tell whether the assessment was added", "not all of it was known at plan", "It was not sent again")
				if second.state != nil {
					t.Errorf("the state holds %s", second.value())
				}
				if n := len(w.service.State(t).Position(backend).Assessments); n != 2 {
					t.Errorf("the service has %d, want the one of another state and the first", n)
				}
			})
		})
	}
}
