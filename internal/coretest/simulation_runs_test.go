// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func (w *workspace) options(r *rand.Rand) coretest.Options {
	return coretest.Options{Seed: r.Uint64(), Parallelism: []int{1, 2, 10}[r.IntN(3)], Machine: "one"}
}

// machine returns a machine that has never run the CLI.
func (w *workspace) machine() string {
	w.machines++
	return fmt.Sprint("machine ", w.machines)
}

// fault is what the network does during a run. The zero value is a network without faults.
type fault struct {
	text string
	// survivable is whether the provider must recover, if the service shows what this takes.
	survivable bool
}

// fault makes the network fail at a random time.
func (w *workspace) fault(r *rand.Rand) fault {
	w.network.Restart()
	w.network.Decide = nil
	at := r.IntN(40)
	method := []string{http.MethodPost, http.MethodPost, http.MethodDelete, http.MethodPut, ""}[r.IntN(5)]
	names := map[coretest.Event]string{
		coretest.LoseRequest: "a lost request", coretest.LoseResponse: "a lost response",
		coretest.KillBefore: "a kill before", coretest.KillAfter: "a kill after",
	}
	event := slices.Sorted(maps.Keys(names))[r.IntN(len(names))]
	switch n := r.IntN(10); {
	case n < 6:
		return fault{}
	case n == 6: // until the end of the run, because a single 404 looks like one of the service
		w.network.Decide = func(n int, _ *http.Request) coretest.Event {
			if n >= at {
				return coretest.NotFound
			}
			return coretest.Pass
		}
		return fault{text: fmt.Sprintf("404 from request %d on", at)}
	default:
		skip := at % 4
		if method == "" {
			skip = at
		}
		seen := 0
		w.network.Decide = func(_ int, r *http.Request) coretest.Event {
			if method != "" && r.Method != method {
				return coretest.Pass
			}
			if seen++; seen == skip+1 {
				return event
			}
			return coretest.Pass
		}
		return fault{
			text:       fmt.Sprintf("%s %s number %d", names[event], method, skip+1),
			survivable: event == coretest.LoseRequest || event == coretest.LoseResponse,
		}
	}
}

// apply plans and applies the configuration with random options.
func (w *workspace) apply(r *rand.Rand) {
	o := w.options(r)
	switch r.IntN(8) {
	case 0:
		o.Refresh = coretest.NoRefresh
	case 1:
		if w.core.Profile.MinimalRefresh {
			o.Refresh = coretest.MinimalRefresh
		}
	case 2:
		if i := w.anyItem(r); i != nil {
			o.Targets = []string{i.addr()}
		}
	case 3:
		if i := w.anyItem(r); i != nil {
			o.Replace = []string{i.addr()}
		}
	}
	w.run(o, w.fault(r), r.IntN(6) == 0)
}

// applyElsewhere applies a plan on a machine that has never run the CLI, while the network
// loses a request or a response.
func (w *workspace) applyElsewhere(r *rand.Rand) {
	w.add(r)
	f := w.fault(r)
	for !f.survivable {
		f = w.fault(r)
	}
	w.run(w.options(r), f, true)
}

// moveMinimally moves an item in a run with -minimal-refresh, which plans some
// resources twice.
func (w *workspace) moveMinimally(r *rand.Rand) {
	if w.core.Profile.MinimalRefresh {
		w.move(r)
		o := w.options(r)
		o.Refresh = coretest.MinimalRefresh
		w.run(o, fault{}, false)
	}
}

// replaceUnknown replaces an item whose position is unknown until the apply, with
// create_before_destroy.
func (w *workspace) replaceUnknown(r *rand.Rand) {
	i := w.anyItem(r)
	if i == nil {
		return
	}
	i.later, i.createFirst, i.ignored = true, true, nil
	w.log("now %s", i)
	w.run(w.options(r), fault{}, false)
	w.trigger++
	w.run(w.options(r), fault{}, false)
}

// snapshot describes the workspace before a run.
type snapshot struct {
	addresses  map[string]string  // by ID, for each object in the state
	removals   map[string]removal // by ID
	supervised map[string]bool
	refusable  string // why a plan may be refused; "" if it may not
	failable   string // why its apply may fail; "" if it may not
	blind      bool   // the plan does not look things up for one of the providers
}

func (w *workspace) snapshot(o coretest.Options) snapshot {
	s := snapshot{
		addresses: map[string]string{}, removals: w.removals(), supervised: map[string]bool{},
		refusable: w.refusable(o), failable: w.failable(o, false), blind: w.blind("") || w.blind("second"),
	}
	for _, all := range w.holders() {
		for _, h := range all {
			s.addresses[h.id] = h.addr
		}
	}
	w.before = s.addresses
	for _, p := range w.serviceState().Positions {
		for _, a := range p.Assessments {
			if a.Metadata.ProfileStatus == sandbox.SupervisorCompleted {
				s.supervised[a.ID] = true
			}
		}
	}
	return s
}

// lost reports whether the state has an object that equals an item, and that the service
// no longer has.
func (s snapshot) lost(key string) bool {
	for _, m := range s.removals {
		if !m.exists && m.key == key {
			return true
		}
	}
	return false
}

// lacks reports whether the service no longer has an object of the state. A plan
// without refresh does not see that.
func (s snapshot) lacks(exists map[string]bool) bool {
	for id := range s.addresses {
		if !exists[id] {
			return true
		}
	}
	return false
}

// run plans and applies the configuration and checks the invariants. If elsewhere is set,
// the apply runs on another machine.
func (w *workspace) run(o coretest.Options, f fault, elsewhere bool) coretest.Result {
	before, config := w.snapshot(o), w.config()
	w.log("apply %s%s", describeOptions(o), f.text)
	w.demanded = o.Replace
	if !w.canRecover() {
		f.survivable = false
	}
	attached := w.idsInService()
	plan := func() coretest.Result { return w.core.Plan(w.ctx, config, o) }
	if f.text == "" && len(w.imports) == 0 && !before.lacks(attached) { // a 404 must be confirmed
		check := plan
		plan = func() coretest.Result { return w.economically(check) }
	}
	planned := plan()
	w.checkDropped(planned, o)
	if planned.Plan == nil {
		w.logErrors(planned)
		w.checkRefusal(planned, before, f)
		if !maps.Equal(attached, w.idsInService()) {
			w.failf("a plan changed the service")
		}
		w.network.Decide = nil
		return planned
	}
	w.plan = planned.Plan
	w.log("  plan: %v", planned.Plan.Actions())
	w.checkImports(before, planned.Plan)
	if f.text == "" {
		w.checkInvalidRefused(before, planned.Plan)
		w.checkRemovalsRefused(before, planned.Plan)
		w.checkScoreWarnings(planned, before)
	}
	if elsewhere {
		o.Machine = w.machine()
		w.log("  applied on another machine")
	}
	result := w.core.ApplyPlan(w.ctx, planned.Plan, o)
	w.network.Decide = nil
	w.interrupted = result.Err() != nil
	w.logErrors(result)
	w.markForgotten(before, planned.Plan)
	w.checkNothingLost(before, planned, result)
	if result.Err() == nil {
		w.checkForgotten(before, planned.Plan)
		w.checkApplied(o, config, f, before.blind)
	} else if (f.text == "" || f.survivable) && before.failable == "" &&
		!w.unforeseeable(result, before, planned.Plan, elsewhere) && !w.limited(o, elsewhere, planned.Plan) &&
		(o.Refresh != coretest.NoRefresh && !before.blind || !before.lacks(attached)) {
		w.failf("the apply failed although its plan succeeded")
	}
	result.Diagnostics = append(planned.Diagnostics, result.Diagnostics...)
	return result
}

func describeOptions(o coretest.Options) string {
	words := []string{fmt.Sprintf("-parallelism=%d ", o.Parallelism)}
	words = append(words, flags(o)...)
	return strings.Join(words, " ") + " "
}

func (w *workspace) logErrors(result coretest.Result) {
	if result.Killed {
		w.log("  killed")
		return
	}
	for _, d := range result.Diagnostics {
		if d.Error && !d.Dropped {
			detail, _, _ := strings.Cut(d.Detail, "\n")
			w.log("  error: %s: %s: %s: %s", d.Phase, d.Addr, d.Summary, detail)
		}
	}
}

// planTwice checks that a plan depends neither on order or parallelism nor on earlier plans
// that were not applied.
func (w *workspace) planTwice(r *rand.Rand) {
	w.network.Decide = nil
	a := w.options(r)
	b := a
	b.Machine, b.Parallelism, b.Seed = w.machine(), 2+r.IntN(49), r.Uint64()
	if a.Parallelism == 1 || w.orderMatters(a) || w.interrupted { // an interrupted plan was not abandoned
		return
	}
	first, second := w.core.Plan(w.ctx, w.config(), a), w.core.Plan(w.ctx, w.config(), b)
	w.log("two plans: %s, and on another machine %s", describeOptions(a), describeOptions(b))
	if (first.Err() == nil) != (second.Err() == nil) {
		w.logErrors(first)
		w.logErrors(second)
		w.failf("only one of the two plans is refused")
	} else if first.Err() == nil && !maps.Equal(first.Plan.Actions(), second.Plan.Actions()) {
		w.failf("two plans differ: %v, %v", first.Plan.Actions(), second.Plan.Actions())
	}
}

// orderMatters reports whether the order of core may decide if a plan is refused: a service
// may show too little, or core may plan a literal test ID before or after its activation.
func (w *workspace) orderMatters(o coretest.Options) bool {
	return w.namesActivatedTest() || w.assumptions != (sandboxtest.Assumptions{}) && w.refusable(o) != ""
}

// unfinished reports whether an earlier apply left a deposed object.
func (w *workspace) unfinished() bool {
	for _, i := range w.core.State.Instances {
		if len(i.Deposed) > 0 {
			return true
		}
	}
	return false
}
