// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// events are what happens during a run besides the run itself. The zero value is a run without
// faults, in which only the user acts.
type events struct {
	text string
	// survivable is whether the provider must recover from the faults of the network, if the service
	// shows what this takes.
	survivable bool
	// meanwhile is what others do between the plan and its apply.
	meanwhile func()
	// The apply is interrupted or killed after a time. 0 means never.
	after time.Duration
	kills bool
	// machine is the machine of the apply, if it is not the machine of the plan.
	machine string
}

// fault makes the network fail at a random time.
func (w *workspace) fault(r *rand.Rand) events {
	w.network.Restart()
	w.network.Decide = nil
	at := r.IntN(40)
	method := []string{http.MethodPost, http.MethodPost, http.MethodDelete, http.MethodPut, ""}[r.IntN(5)]
	event := slices.Sorted(maps.Keys(networkEvents))[r.IntN(len(networkEvents))]
	switch n := r.IntN(10); {
	case n < 6 || w.faultless:
		return events{}
	case n == 6: // until the end of the run, because a single 404 looks like one of the service
		w.network.Decide = func(n int, _ *http.Request) coretest.Event {
			if n >= at {
				return coretest.NotFound
			}
			return coretest.Pass
		}
		return events{text: fmt.Sprintf("404 from request %d on", at)}
	default:
		skip := at % 4
		if method == "" {
			skip = at
		}
		return w.loses(event, method, skip)
	}
}

// networkEvents names what may happen to one request.
var networkEvents = map[coretest.Event]string{
	coretest.LoseRequest: "a lost request", coretest.LoseResponse: "a lost response",
	coretest.KillBefore: "a kill before", coretest.KillAfter: "a kill after",
}

// loses lets something happen to one request of a method, or of any method, after it has skipped some.
func (w *workspace) loses(event coretest.Event, method string, skip int) events {
	w.network.Decide = coretest.OnRequest(method, event, skip)
	return events{
		text:       fmt.Sprintf("%s %s number %d", networkEvents[event], method, skip+1),
		survivable: event == coretest.LoseRequest || event == coretest.LoseResponse,
	}
}

// events returns what happens during a run.
func (w *workspace) events(r *rand.Rand) events {
	e := w.fault(r)
	if r.IntN(4) == 0 {
		e.meanwhile = w.others(r)
	}
	if r.IntN(8) == 0 {
		e.after = time.Millisecond << r.IntN(16) // up to 33 s: the longest wait of a creation is 20 s
		e.kills = r.IntN(2) == 0
	}
	if r.IntN(4) == 0 {
		e.machine = w.machine(r)
	}
	return e
}

// others returns what others do between a plan and its apply: a rival attaches what the plan attaches,
// or removes something, a supervisor completes a profile, or a candidate is invited or finishes.
func (w *workspace) others(r *rand.Rand) func() {
	act := []func(*rand.Rand){
		w.rivalAttaches, w.rivalAttaches, w.removedOutside, w.supervise, w.supervise, w.invite, w.invite, w.complete,
	}[r.IntN(8)]
	seed := r.Uint64()
	return func() { act(rand.New(rand.NewPCG(seed, 5))) } //nolint:gosec // a simulation
}

// rivalAttaches attaches by hand what the current plan is going to attach.
func (w *workspace) rivalAttaches(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		all := w.creations(w.plan)
		c, ok := pick(r, all)
		if !ok || c.unacceptable(st, w.activations) != "" {
			return
		}
		m := sandbox.Metadata{Packages: c.resolved(st), Benchmark: c.benchmark, Profile: c.profile, Tests: c.tests}
		id, err := st.Attach(c.position, c.assessment, m)
		if err == nil {
			w.foreign[id] = true
			w.log("  a rival attaches %s", id)
		}
	})
}

// machine returns a machine: the usual one, a new one, or one without a cache directory.
func (w *workspace) machine(r *rand.Rand) string {
	w.machines++
	return []string{usualMachine, usualMachine, withoutCache, fmt.Sprint("machine ", w.machines)}[r.IntN(4)]
}

// The machines that a workspace uses several times.
const (
	usualMachine = "usual"
	withoutCache = "without cache" // its cache directory cannot be created
)

// latencies are how long the providers of others take.
var latencies = []time.Duration{0, 0, 100 * time.Millisecond, 700 * time.Millisecond, 2 * time.Second, 5 * time.Second}

// latency returns how long the provider of another resource takes in a run.
func latency(addr string, o coretest.Options) time.Duration {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, addr, o.Seed)
	return latencies[h.Sum64()%uint64(len(latencies))]
}
