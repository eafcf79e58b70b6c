// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// running is what is known about the present plan and its apply.
type running struct {
	fault    string            // what the network does, "" if it works
	happened bool              // whether the fault has happened
	rivals   bool              // whether a rival has acted since the plan began
	before   map[string]placed // the service when the plan began
	applying bool
	planned  int // the length of the journal when the plan began
	start    int // the length of the journal when the apply began

	plan     *driver.Plan
	removals map[string]string // by ID: the address that the plan removes
	posted   map[string]string // by ID: the key that this apply has attached
	lost     map[string]bool   // keys with a creation whose response was lost
	rejected map[string]bool   // IDs whose removal the service has rejected
	hidden   map[string]bool   // keys that a list has omitted
	// halfShown is whether a response omitted a key of metadata. Nobody can see that of what is adopted.
	halfShown bool
	// statusless is whether no fetch shows the status of a profile, and onceStatusless whether one does not.
	statusless, onceStatusless bool
	silentResults              bool // whether results lack a member
}

// fault is what the network does to one request of a run. It says so in the story.
type fault struct {
	name    string
	matches func(*driver.Request) bool
	hook    func(l *life, random *rand.Rand) driver.Hook
}

func anyRequest(*driver.Request) bool { return true }

func aWrite(r *driver.Request) bool { return r.Writes() }

func aRead(r *driver.Request) bool { return !r.Writes() }

func aFetch(r *driver.Request) bool { return r.Is(http.MethodGet, sandbox.RoutePositionAssessment) }

func aList(r *driver.Request) bool {
	return r.Is(http.MethodGet, sandbox.RoutePositionAssessments) || r.Is(http.MethodGet, sandbox.RoutePositions)
}

// faults are all faults.
var faults = []fault{
	{"a response to a write is lost", aWrite, fixed(driver.LoseResponse)},
	{"a response to a write is lost", aWrite, fixed(driver.LoseResponse)},
	{"a write is lost", aWrite, fixed(driver.LoseRequest)},
	{"a request is lost", anyRequest, fixed(driver.LoseRequest)},
	{"a write arrives after the provider gives up", aWrite, fixed(driver.Delay(40*time.Second, 0))},
	{"a response to a write comes after the provider gives up", aWrite, fixed(driver.Delay(0, 40*time.Second))},
	{"a gateway answers 404", anyRequest, fixed(driver.Foreign(404, "text/html", "<p>Nothing here.</p>"))},
	{"a gateway answers 404 to a fetch", aFetch, fixed(driver.Foreign(404, "application/json", `{"message":"no route"}`))},
	{"the service answers 404 to a fetch", aFetch, fixed(notFoundOnce)},
	{"a gateway answers 404 without a body", anyRequest, fixed(driver.Foreign(404, "text/plain", ""))},
	{"a gateway answers 502", anyRequest, fixed(driver.Foreign(502, "text/html", "<h1>Bad Gateway</h1>"))},
	{"a gateway answers 200", anyRequest, fixed(driver.Foreign(200, "text/html", "<p>Please sign in.</p>"))},
	{"the run is killed before a request", anyRequest, func(l *life, _ *rand.Rand) driver.Hook {
		return driver.Before(l.Kill)
	}},
	{"the run is killed after a write", aWrite, func(l *life, _ *rand.Rand) driver.Hook { return driver.After(l.Kill) }},
	{"a list omits an element", aList, func(l *life, random *rand.Rand) driver.Hook { return l.omitElement(random) }},
	{"a response omits a member", aRead, func(l *life, random *rand.Rand) driver.Hook { return l.omitMember(random) }},
	{"a rival acts before a request", anyRequest, func(l *life, random *rand.Rand) driver.Hook {
		return driver.Before(func() { l.rivalInTheMiddle(random) })
	}},
	{"a rival acts after a write", aWrite, func(l *life, random *rand.Rand) driver.Hook {
		return driver.After(func() { l.rivalInTheMiddle(random) })
	}},
}

// notFoundOnce answers as a replica of the service does that does not have an object yet.
func notFoundOnce(_ *driver.Request, next func() driver.Response) (driver.Response, error) {
	response := next()
	response.Status, response.Body = http.StatusNotFound, []byte(`{"code":"NOT_FOUND","message":"there is no such resource"}`)
	return response, nil
}

func fixed(hook driver.Hook) func(*life, *rand.Rand) driver.Hook {
	return func(*life, *rand.Rand) driver.Hook { return hook }
}

func (l *life) rivalInTheMiddle(random *rand.Rand) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run.rivals = true
	l.rival(random)
}

// omitElement omits a random element of a list, and remembers which keys are hidden.
func (l *life) omitElement(random *rand.Rand) driver.Hook {
	return func(r *driver.Request, next func() driver.Response) (driver.Response, error) {
		response := next()
		var list []map[string]any
		_ = json.Unmarshal(response.Body, &list) // an error is no list
		if len(list) == 0 {
			return response, nil
		}
		i := random.IntN(len(list))
		l.mu.Lock()
		for id, a := range l.existing() {
			if id == list[i]["id"] || a.position.ID == list[i]["id"] {
				l.run.hidden[a.key()] = true
			}
		}
		l.mu.Unlock()
		response.Body, _ = json.Marshal(slices.Delete(list, i, i+1)) // it was JSON
		return response, nil
	}
}

// omitMember omits a random member of a response, at any depth.
func (l *life) omitMember(random *rand.Rand) driver.Hook {
	return func(_ *driver.Request, next func() driver.Response) (driver.Response, error) {
		response := next()
		var value any
		_ = json.Unmarshal(response.Body, &value) // what is not JSON has no members
		if all := memberPaths(value, nil); len(all) > 0 {
			path := anyOf(random, all)
			l.mu.Lock()
			l.run.halfShown = l.run.halfShown || isKeyOfMetadata(path)
			l.mu.Unlock()
			response.Body, _ = json.Marshal(without(value, path)) // it was JSON
		}
		return response, nil
	}
}

// runOnce plans, and mostly applies, in a network with one fault or none.
func (l *life) runOnce(random *rand.Rand) {
	r := l.begin()
	if random.IntN(5) < 3 {
		f := anyOf(random, faults)
		n, hook := random.IntN(3), f.hook(l, random)
		inApply := random.IntN(2) == 0
		if f.name != "" {
			r.fault = fmt.Sprintf("%s (%d)", f.name, n)
		}
		strike := func(q *driver.Request, next func() driver.Response) (driver.Response, error) {
			l.mu.Lock()
			r.happened = true
			l.tell("  %s: %s %s %v", f.name, q.Method, q.Route, q.IDs)
			l.mu.Unlock()
			return hook(q, next)
		}
		removeFault := l.Service.Hook(driver.At(n, func(q *driver.Request) bool {
			return f.matches(q) && l.run == r && r.applying == inApply
		}, strike))
		defer removeFault()
	}
	if l.plan(r) && random.IntN(8) > 0 {
		switch random.IntN(6) {
		case 0:
			r.rivals = l.rival(random) != "" || r.rivals
		case 1:
			r.rivals = l.completePlanned(r) || r.rivals
		}
		l.apply(r)
	}
}

// completePlanned lets a supervisor complete the profile of something that the plan changes.
func (l *life) completePlanned(r *running) bool {
	for _, address := range sortedKeys(r.plan.Actions()) {
		c := r.plan.Changes[address]
		if c.Prior == nil || !strings.HasPrefix(address, resource+".") {
			continue
		}
		status := l.existing()[c.Prior.Text("id")].Metadata.ProfileStatus
		if status != "" && status != sandbox.SupervisorCompleted {
			l.complete(address)
			return true
		}
	}
	return false
}

// begin prepares a run.
func (l *life) begin() *running {
	time.Sleep(2 * time.Minute) // the requests of the last run count no longer, and what it gave up on has arrived
	l.configuration()
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
	l.tell("plan: %v%s", actions(r.plan), summaries(r.plan.Diagnostics))
	l.checkPlan(r)
	return !r.plan.Failed() && l.violation == nil
}

// apply applies the plan of a run. It reports whether it succeeded.
func (l *life) apply(r *running) bool {
	applied := l.applies(r)
	l.checkApply(r, applied)
	copied := func(address string) bool { return l.copies(l.rows[address]) > 1 }
	unsure := r.halfShown && l.adopts || len(l.shared) > 0 || slices.ContainsFunc(l.addresses(), copied)
	if applied.Failed() || r.rivals || unsure || l.violation != nil {
		return !applied.Failed()
	}
	next := l.begin()
	next.plan = l.Plan()
	l.checkPlan(next)
	if again := next.plan.Actions(); len(again) > 0 || next.plan.Failed() {
		l.violate(planEmpty, "the next plan has %v%s", actions(next.plan), summaries(next.plan.Diagnostics))
	}
	return true
}

// applies applies the plan of a run.
func (l *life) applies(r *running) *driver.Applied {
	for address, c := range r.plan.Changes {
		if (c.Action == driver.Delete || c.Action == driver.Replace) && strings.HasPrefix(address, resource+".") {
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
	return applied
}

func actions(p *driver.Plan) string {
	var all []string
	for _, address := range slices.Sorted(maps.Keys(p.Actions())) {
		all = append(all, strings.TrimPrefix(address, resource+".")+" "+string(p.Actions()[address]))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// summaries describes diagnostics in one line each.
func summaries(all driver.Diagnostics) (text string) {
	for _, d := range all {
		severity := "warning"
		if d.Error {
			severity = "error"
		}
		detail, _, _ := strings.Cut(d.Detail, "\n")
		text += fmt.Sprintf("\n    %s at %s: %s: %.160s", severity, d.Address, d.Summary, detail)
	}
	return text
}
