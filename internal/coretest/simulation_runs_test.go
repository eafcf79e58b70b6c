// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func (w *workspace) options(r *rand.Rand) coretest.Options {
	return coretest.Options{Seed: r.Uint64(), Parallelism: []int{1, 2, 10}[r.IntN(3)], Machine: w.machine(r)}
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
	w.run(o, w.events(r))
}

// applyElsewhere applies a plan on another machine, while the network loses a request or a response.
func (w *workspace) applyElsewhere(r *rand.Rand) {
	w.add(r)
	e := w.fault(r)
	for !e.survivable && !w.faultless {
		e = w.fault(r)
	}
	e.machine = w.machine(r)
	w.run(w.options(r), e)
}

// applyLater saves a plan, makes others that are never applied, and applies the saved one while others
// act.
func (w *workspace) applyLater(r *rand.Rand) {
	w.add(r)
	act := w.others(r)
	w.run(w.options(r), events{machine: w.machine(r), meanwhile: func() {
		plan := w.plan
		w.abandonPlan(r)
		if w.plan = plan; r.IntN(2) == 0 {
			act()
		}
	}})
}

// moveMinimally moves an item in a run with -minimal-refresh, which plans some
// resources twice.
func (w *workspace) moveMinimally(r *rand.Rand) {
	if w.core.Profile.MinimalRefresh {
		ofItem((*workspace).move)(w, r)
		o := w.options(r)
		o.Refresh = coretest.MinimalRefresh
		w.run(o, events{})
	}
}

// replaceUnknown replaces an item whose position is unknown until the apply, with
// create_before_destroy.
func (w *workspace) replaceUnknown(r *rand.Rand, i *item) {
	i.later, i.createFirst, i.ignored = true, true, nil
	w.log("now %s", i)
	w.run(w.options(r), events{})
	w.trigger++
	w.run(w.options(r), events{})
}

// renameUsed renames an item without a moved block. A slow resource of another provider depends on it, so
// that core removes the old object late.
func (w *workspace) renameUsed(r *rand.Rand, i *item) {
	i.user, i.createFirst = plainUser, false
	w.log("now %s", i)
	w.run(w.options(r), events{})
	w.rename(r, i)
	w.run(w.options(r), w.events(r))
}

// renameInvited renames an item without a moved block. Before the apply, a candidate is invited, so that
// the service refuses to remove the old object, and the apply only drops it from the state.
func (w *workspace) renameInvited(r *rand.Rand, i *item) {
	i.forgets = true
	w.log("now %s", i)
	w.run(w.options(r), events{})
	w.rename(r, i)
	w.run(w.options(r), events{meanwhile: func() {
		w.change(func(st *sandbox.State) {
			p := st.Position(i.position)
			if p == nil || len(p.Candidates) == mostCandidates {
				return
			}
			if _, err := sandboxtest.Invite(st, i.position, i.assessment); err == nil {
				w.log("  a candidate is invited to %s on %s", i.assessment, i.position)
			}
		})
	}})
}

// snapshot describes the workspace and the service before a plan, or before its apply.
type snapshot struct {
	removals   map[string]removal // by ID, for each object in the state
	supervised map[string]bool
	exists     map[string]bool // the IDs in the service
	service    *sandbox.State
	twice      bool // the state has an object at two addresses
	blind      bool // the plan does not look things up for one of the providers
}

func (w *workspace) snapshot() snapshot {
	st := w.serviceState()
	return snapshot{
		removals: w.removals(), supervised: supervised(st), exists: w.idsInService(), service: st,
		twice: w.atTwoAddresses(), blind: w.blind("") || w.blind("second"),
	}
}

// supervised returns the IDs of the position assessments whose profile a supervisor has completed.
func supervised(st *sandbox.State) map[string]bool {
	ids := map[string]bool{}
	for _, p := range st.Positions {
		for _, a := range p.Assessments {
			if a.Metadata.ProfileStatus == sandbox.SupervisorCompleted {
				ids[a.ID] = true
			}
		}
	}
	return ids
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

// lacks reports whether the service no longer has an object of the state.
func (s snapshot) lacks() bool {
	for id := range s.removals {
		if !s.exists[id] {
			return true
		}
	}
	return false
}

// holds reports whether the state has an object at an address.
func (s snapshot) holds(addr string) bool {
	for _, m := range s.removals {
		if m.addr == addr {
			return true
		}
	}
	return false
}

// application is a plan and its apply.
type application struct {
	*coretest.Plan
	coretest.Options
	events
	planned, result coretest.Result
	before, now     snapshot // before the plan, and before the apply
	wrong           string   // what the service does not accept before the apply
}

// run plans and applies the configuration and checks the invariants.
func (w *workspace) run(o coretest.Options, e events) coretest.Result {
	if w.refusalReason == "" {
		w.distinguish(rand.New(rand.NewPCG(o.Seed, 7))) //nolint:gosec // a simulation
	}
	w.abandonPlans(o)
	a := &application{Options: o, events: e, before: w.snapshot()}
	config, refusable := w.config(), w.refusable(o)
	w.log("apply %s%s", describeOptions(o), e.text)
	w.demanded, w.plan = o.Replace, nil
	a.survivable = a.survivable && w.canRecover()
	plan := func() coretest.Result { return w.core.Plan(w.t.Context(), config, o) }
	if e.text == "" && len(w.imports) == 0 && !a.before.lacks() { // a 404 must be confirmed
		check := plan
		plan = func() coretest.Result { return w.economically(check) }
	}
	w.slow(o)
	a.planned = plan()
	w.observe(a.planned)
	w.checkDropped(a.planned, o)
	if a.Plan = a.planned.Plan; a.Plan == nil {
		w.logErrors(a.planned)
		w.checkRefusal(a, refusable)
		w.network.Decide = nil
		return a.planned
	}
	w.log("  plan: %v", a.Actions())
	w.checkPlanned(a)
	w.applyPlan(a)
	if w.violation == nil {
		w.checkAfter(a, config)
	}
	a.result.Diagnostics = append(a.planned.Diagnostics, a.result.Diagnostics...)
	return a.result
}

// applyPlan applies a plan, while others act and the apply may be interrupted.
func (w *workspace) applyPlan(a *application) {
	w.writes.Store(0)
	w.plan, w.announced, w.staying = a.Plan, w.announces(a.planned), map[string]bool{}
	if a.meanwhile != nil {
		decide := w.network.Decide
		a.meanwhile()
		w.network.Decide = decide
	}
	a.now, a.wrong = w.snapshot(), w.wrong(false)
	for id := range a.now.exists {
		w.staying[id] = !w.frees(a, id)
	}
	o := a.Options
	if a.machine != "" {
		o.Machine = a.machine
		w.log("  applied on the machine %q", o.Machine)
	}
	if a.after > 0 {
		end := w.core.Stop
		if a.kills {
			end = w.core.Kill
		}
		w.log("  interrupted after %s, killed: %t", a.after, a.kills)
		defer time.AfterFunc(a.after, end).Stop()
	}
	a.result = w.core.ApplyPlan(w.t.Context(), a.Plan, o)
	w.network.Decide, w.plan = nil, nil
	w.observe(a.result)
	w.logErrors(a.result)
}

// completed runs an apply again that failed only because of limits that the next apply must overcome.
func (w *workspace) completed(o coretest.Options) {
	again := coretest.Options{Seed: o.Seed + 2, Machine: usualMachine, Parallelism: []int{1, 2, 10, 50}[o.Seed%4]}
	w.completes = true
	w.log("once more")
	w.run(again, events{})
	w.completes = false
}

// slow lets the providers of others take their time.
func (w *workspace) slow(o coretest.Options) {
	w.core.Slow = func(addr string) time.Duration { return latency(addr, o) }
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

// planTwice checks that a plan depends neither on order, parallelism, the machine and the speed of other
// providers, nor on earlier plans that were not applied.
func (w *workspace) planTwice(r *rand.Rand) {
	w.network.Decide, w.plan = nil, nil
	a := w.options(r)
	b := a
	b.Machine, b.Parallelism, b.Seed = w.machine(r), 2+r.IntN(49), r.Uint64()
	if w.orderMatters(a) {
		return
	}
	w.log("two plans: %s, and %s", describeOptions(a), describeOptions(b))
	w.slow(a)
	first := w.core.Plan(w.t.Context(), w.config(), a)
	w.abandonPlan(r)
	w.slow(b)
	second := w.core.Plan(w.t.Context(), w.config(), b)
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

// destroy destroys everything. If that is refused, -refresh=false and "state rm" must help (invariant 5).
func (w *workspace) destroy(r *rand.Rand) {
	config, o := w.config(), w.options(r)
	w.network.Decide, w.demanded, w.plan = nil, nil, nil
	w.network.Restart()
	w.log("destroy %s", describeOptions(o))
	w.slow(o)
	a := &application{Options: o, before: w.snapshot()}
	a.planned = w.core.PlanDestroy(w.t.Context(), config, o)
	w.observe(a.planned)
	if a.planned.Plan == nil {
		w.logErrors(a.planned)
		removals := w.refusedRemovals(a.planned, a.before, true)
		if len(removals) == 0 && w.refusable(o) == "" && !w.refusesUnannounced(a) {
			w.failf("destroy is refused")
		}
		a.Refresh = coretest.NoRefresh
		if a.before, a.planned = w.planDestroy(config, a.Options); a.planned.Plan == nil {
			w.logErrors(a.planned)
			w.failf("destroy -refresh=false is refused")
			return
		}
	}
	a.Plan = a.planned.Plan
	w.checkRemovalsRefused(a.before, a.Plan)
	w.applyPlan(a)
	w.markForgotten(a)
	switch {
	case a.result.Err() != nil:
		if why := w.excuse(a); why == "" {
			w.failf("the planned destroy failed")
		}
	case len(w.core.State.Addresses()) > 0:
		w.failf("after destroy the state still holds %q", w.core.State.Addresses())
	default:
		w.checkForgotten(a)
	}
	w.checkNothingLost(a)
	w.allowRefusal("everything was destroyed") // until the next apply
	w.items, w.list, w.activations = map[string]*item{}, nil, map[string]string{}
	w.each, w.account = map[string]string{}, 0
	w.refusalReason, w.imports, w.moved, w.removed = "", nil, nil, nil
}

// planDestroy plans to destroy everything. It runs "state rm" for each object that the
// service would refuse to remove.
func (w *workspace) planDestroy(config coretest.Config, o coretest.Options) (snapshot, coretest.Result) {
	for {
		before := w.snapshot()
		planned := w.core.PlanDestroy(w.t.Context(), config, o)
		w.observe(planned)
		refused := w.refusedRemovals(planned, before, true)
		if len(refused) == 0 || w.violation != nil {
			return before, planned
		}
		w.logErrors(planned)
		for _, addr := range refused {
			w.stateRm(addr)
		}
	}
}
