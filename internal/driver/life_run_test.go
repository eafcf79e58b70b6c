// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// running is what is known about the present plan and its apply.
type running struct {
	happened bool              // whether the network has failed, or has left something out
	rivals   bool              // whether a rival has acted since the plan began
	before   map[string]placed // the service when the plan began
	applying bool
	planned  int // the length of the journal when the plan began
	start    int // the length of the journal when the apply began

	plan       *driver.Plan
	removals   map[string]string // by ID: the address that the plan removes
	posted     map[string]string // by ID: the key that this apply has attached
	lost       map[string]bool   // keys with a creation whose response was lost
	rejected   map[string]bool   // IDs whose removal the service has rejected
	hidden     map[string]bool   // keys that a list has omitted
	halfShown  bool              // whether a response omitted a key of metadata, which nobody can see of what is adopted
	statusless bool              // whether no fetch shows the status of a profile
}

// fault is what the network does to one request of a run.
type fault struct {
	name    string
	matches func(*driver.Request) bool
	hook    driver.Hook
}

// faults returns all faults.
func (l *life) faults(random *rand.Rand) []fault {
	anyRequest := func(*driver.Request) bool { return true }
	isWrite := (*driver.Request).Writes
	isFetch := func(r *driver.Request) bool { return r.Is(http.MethodGet, sandbox.RoutePositionAssessment) }
	isList := func(r *driver.Request) bool {
		return r.Is(http.MethodGet, sandbox.RoutePositionAssessments) || r.Is(http.MethodGet, sandbox.RoutePositions)
	}
	wait := func() { time.Sleep(40 * time.Second) }
	rival := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.rival(random)
	}
	return []fault{
		{"a response to a write is lost", isWrite, driver.LoseResponse},
		{"a response to a write is lost", isWrite, driver.LoseResponse},
		{"a write is lost", isWrite, driver.LoseRequest},
		{"a request is lost", anyRequest, driver.LoseRequest},
		{"a write arrives after the provider gives up", isWrite, driver.Before(wait)},
		{"a response comes after the provider gives up", isWrite, driver.After(wait)},
		{"a gateway answers 404", anyRequest, driver.Foreign(404, "text/html", "<p>Nothing here.</p>")},
		{"a gateway answers 404 to a fetch", isFetch, driver.Foreign(404, "application/json", `{"message":"no route"}`)},
		{"the service answers 404 to a fetch", isFetch, notFoundOnce},
		{"a gateway answers 404 without a body", anyRequest, driver.Foreign(404, "text/plain", "")},
		{"a gateway answers 502", anyRequest, driver.Foreign(502, "text/html", "<h1>Bad Gateway</h1>")},
		{"a gateway answers 200", anyRequest, driver.Foreign(200, "text/html", "<p>Please sign in.</p>")},
		{"the run is killed before a request", anyRequest, driver.Before(l.Kill)},
		{"the run is killed after a write", isWrite, driver.After(l.Kill)},
		{"a list omits an element", isList, l.omitFirst},
		{"a rival acts before a request", anyRequest, driver.Before(rival)},
		{"a rival acts after a write", isWrite, driver.After(rival)},
	}
}

// notFoundOnce answers as a replica of the service does that does not have an object yet.
func notFoundOnce(_ *driver.Request, next func() driver.Response) driver.Response {
	response := next()
	response.Status, response.Body = http.StatusNotFound, []byte(`{"code":"NOT_FOUND","message":"there is no such resource"}`)
	return response
}

// omitFirst omits the first element of a list.
func (l *life) omitFirst(_ *driver.Request, next func() driver.Response) driver.Response {
	response := next()
	var list []map[string]any
	if json.Unmarshal(response.Body, &list) == nil && len(list) > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		for id, a := range l.existing() {
			if id == list[0]["id"] || a.position.ID == list[0]["id"] {
				l.run.hidden[a.key()] = true
			}
		}
		response.Body, _ = json.Marshal(list[1:]) // it was JSON
	}
	return response
}

// fault lets one request of a run fail.
func (l *life) fault(r *running, random *rand.Rand) (end func()) {
	f, inApply := anyOf(random, l.faults(random)), random.IntN(2) == 0
	matches := func(q *driver.Request) bool { return f.matches(q) && l.run == r && r.applying == inApply }
	return l.Service.HookAt(random.IntN(3), matches, func(q *driver.Request, next func() driver.Response) driver.Response {
		l.mu.Lock()
		r.happened = true
		l.tell("  %s: %s %s %v", f.name, q.Method, q.Route, q.IDs)
		l.mu.Unlock()
		return f.hook(q, next)
	})
}

// runOnce plans, and mostly applies, in a network that is disturbed or not. Now and then a rival acts in between.
func (l *life) runOnce(random *rand.Rand) {
	l.runWith(random, func() {
		if random.IntN(6) == 0 {
			l.rival(random)
		}
	})
}

// runWith is runOnce with what others do between the plan and the apply.
func (l *life) runWith(random *rand.Rand, between func()) {
	r := l.begin()
	if random.IntN(5) < 3 {
		defer l.disturb(l, r, random)()
	}
	if l.plan(r) && random.IntN(8) > 0 {
		between()
		l.apply(r)
	}
}

// begin prepares a run.
func (l *life) begin() *running {
	time.Sleep(2 * time.Minute) // the requests of the last run count no longer, and what it gave up on has arrived
	clear(l.Config)
	for address, row := range l.rows {
		l.Config[address] = row.block()
	}
	l.Provider["adopt_existing"] = l.adopts
	l.run = &running{
		before: l.existing(), posted: map[string]string{}, lost: map[string]bool{}, rejected: map[string]bool{},
		hidden: map[string]bool{}, removals: map[string]string{},
	}
	return l.run
}

// plan plans. It reports whether the plan can be applied.
func (l *life) plan(r *running) bool {
	r.planned = len(l.Service.Journal())
	r.plan = l.Plan()
	l.tell("plan: %v%s", r.plan.Actions(), summaries(r.plan.Diagnostics))
	l.checkPlan(r)
	return !r.plan.Failed() && !l.violated
}

// apply applies the plan of a run. It reports whether it succeeded.
func (l *life) apply(r *running) bool {
	for address, c := range r.plan.Changes {
		if c.Action == driver.Delete || c.Action == driver.Replace {
			r.removals[c.Prior.Text("id")] = address
		}
	}
	time.Sleep(2 * time.Minute) // the requests of the plan count no longer
	r.start = len(l.Service.Journal())
	r.applying = true
	applied := l.Apply(r.plan)
	r.applying = false
	time.Sleep(2 * time.Minute) // what the provider gave up on has arrived
	l.tell("apply: killed %t%s", applied.Killed, summaries(applied.Diagnostics))
	l.checkApply(r, applied)
	if applied.Failed() {
		return false
	}
	if r.rivals || r.halfShown && l.adopts || l.violated {
		return true
	}
	next := l.begin()
	next.plan = l.Plan()
	l.checkPlan(next)
	if again := next.plan.Actions(); len(again) > 0 || next.plan.Failed() {
		l.violate(planEmpty, "the next plan has %v%s", again, summaries(next.plan.Diagnostics))
	}
	return true
}

// summaries describes diagnostics in one line each.
func summaries(all driver.Diagnostics) (text string) {
	for _, d := range all {
		line, _, _ := strings.Cut(d.String(), "\n")
		text += fmt.Sprintf("\n    %.220s", line)
	}
	return text
}
