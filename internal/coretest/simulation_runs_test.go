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

// fault makes the network fail at a random time and describes how. It returns "" if
// nothing fails.
func (w *workspace) fault(r *rand.Rand) string {
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
		return ""
	case n == 6: // until the end of the run, because a single 404 looks like one of the service
		w.network.Decide = func(n int, _ *http.Request) coretest.Event {
			if n >= at {
				return coretest.NotFound
			}
			return coretest.Pass
		}
		return fmt.Sprintf("404 from request %d on", at)
	default:
		skip := at % 6
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
		return fmt.Sprintf("%s %s number %d", names[event], method, skip+1)
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

// moveMinimally moves an item in a run with -minimal-refresh, which plans some
// resources twice.
func (w *workspace) moveMinimally(r *rand.Rand) {
	if w.core.Profile.MinimalRefresh {
		w.move(r)
		o := w.options(r)
		o.Refresh = coretest.MinimalRefresh
		w.run(o, "", false)
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
	w.run(w.options(r), "", false)
	w.trigger++
	w.run(w.options(r), "", false)
}

// snapshot describes the workspace before a run.
type snapshot struct {
	addresses  map[string]string  // by ID, for each object in the state
	removals   map[string]removal // by ID
	supervised map[string]bool
	refusable  string // why a plan may be refused; "" if it may not
	failable   string // why its apply may fail; "" if it may not
}

func (w *workspace) snapshot(o coretest.Options) snapshot {
	s := snapshot{
		addresses: map[string]string{}, removals: w.removals(), supervised: map[string]bool{},
		refusable: w.refusable(o.Refresh != coretest.NoRefresh), failable: w.refusable(false),
	}
	for addr, i := range w.core.State.Instances {
		if strings.HasPrefix(addr, "assess_position_assessment.") {
			for _, m := range w.moved {
				if m.From == addr {
					addr = m.To
				}
			}
			for _, o := range append(slices.Clone(i.Deposed), i.Current) {
				if o != nil {
					s.addresses[coretest.Text(o.Value, "id")] = addr
				}
			}
		}
	}
	w.before = map[string]bool{}
	for id := range s.addresses {
		w.before[id] = true
	}
	for _, p := range w.serviceState().Positions {
		for _, a := range p.Assessments {
			if a.Metadata.ProfileStatus == sandbox.SupervisorCompleted {
				s.supervised[a.ID] = true
			}
		}
	}
	return s
}

// lost reports whether the state has an item that the service no longer has.
func (s snapshot) lost(i item) bool {
	for _, m := range s.removals {
		if !m.exists && m.position == i.position && m.assessment == i.assessment {
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

// run plans and applies the configuration and checks the invariants.
func (w *workspace) run(o coretest.Options, fault string, elsewhere bool) coretest.Result {
	before, config := w.snapshot(o), w.config()
	w.log("apply %s%s", describeOptions(o), fault)
	w.demanded = o.Replace
	attached := w.idsInService()
	planned := w.core.Plan(w.ctx, config, o)
	w.checkDropped(planned, o)
	if planned.Plan == nil {
		w.logErrors(planned)
		w.checkRefusal(planned, before, fault)
		if !maps.Equal(attached, w.idsInService()) {
			w.failf("a plan changed the service")
		}
		w.network.Decide = nil
		return planned
	}
	w.plan = planned.Plan
	w.log("  plan: %v", planned.Plan.Actions())
	if fault == "" {
		w.checkInvalidRefused(before, planned.Plan)
		w.checkRemovalsRefused(before, planned.Plan)
		w.checkScoreWarnings(planned, before)
	}
	if elsewhere {
		o.Machine = "other"
		w.log("  applied on another machine")
	}
	result := w.core.ApplyPlan(w.ctx, planned.Plan, o)
	w.network.Decide = nil
	w.logErrors(result)
	w.markForgotten(before, planned.Plan)
	w.checkNothingLost(before, planned.Plan, result)
	if result.Err() == nil {
		w.checkForgotten(before, planned.Plan)
		w.checkApplied(o, config, fault)
	} else if fault == "" && before.failable == "" && !w.mayFail(result, before, planned.Plan, elsewhere) &&
		(o.Refresh != coretest.NoRefresh || !before.lacks(attached)) {
		w.failf("the apply failed although its plan succeeded")
	}
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

// checkDropped checks that each diagnostic that a CLI drops is also shown elsewhere. It
// skips -minimal-refresh, which drops whole plans without telling the provider.
func (w *workspace) checkDropped(result coretest.Result, o coretest.Options) {
	if o.Refresh == coretest.MinimalRefresh {
		return
	}
	for _, d := range result.Diagnostics {
		if d.Summary == refusedRemoval && w.forced(d.Addr) {
			continue
		}
		if d.Dropped && !result.Says(d.Summary) {
			w.failf("the CLI never shows: %s: %s", d.Addr, d.Summary)
		}
	}
}

// checkRefusal checks that a refused plan was refused for a reason.
func (w *workspace) checkRefusal(result coretest.Result, before snapshot, fault string) {
	if result.Killed || fault != "" {
		return
	}
	if len(w.refusedRemovals(result, before, false)) > 0 || before.refusable != "" {
		return
	}
	w.failf("a plan that the service would accept was refused")
}

// checkInvalidRefused checks that a plan refuses items that the service would refuse.
// It applies only to a service that shows all the information that this takes.
func (w *workspace) checkInvalidRefused(before snapshot, plan *coretest.Plan) {
	if w.assumptions != (sandboxtest.Assumptions{}) || w.unchecked {
		return
	}
	st, actions := w.serviceState(), plan.Actions()
	known := slices.Collect(maps.Values(before.addresses))
	for _, i := range w.wanted() {
		if actions[i.addr()] != coretest.Create || i.later || slices.Contains(known, i.addr()) || before.lost(i) {
			continue // lost objects may be planned again
		}
		if why := i.unacceptable(st, w.activations); why != "" {
			w.failf("the plan contains what the service will refuse: %s: %s", i, why)
		}
	}
}

// mayFail reports whether an apply may fail for a reason that its plan could not
// detect.
func (w *workspace) mayFail(result coretest.Result, before snapshot, plan *coretest.Plan, elsewhere bool) bool {
	// On another machine, creating before destroying looks like a duplicate. The message
	// names the setting that helps.
	if elsewhere && result.Says("ASSESS_PLAN_CHECKS=false") {
		return true
	}
	// An update must send all fields of a skills test, but this service shows only IDs.
	unseen := w.assumptions.RefuseFields == "bare" && len(w.activations) > 0
	return w.assumptions.NoRemoval != 0 || w.assumptions.RefuseRemovals || w.retired || unseen || result.Killed ||
		len(before.unforeseen(plan, w)) > 0
}

// checkNothingLost checks three things. Objects that exist and were in the state are
// still in the state. New objects are in the state, or an error names them. A
// supervisor's work still exists.
func (w *workspace) checkNothingLost(before snapshot, plan *coretest.Plan, result coretest.Result) {
	held, st, actions := w.idsInState(), w.serviceState(), plan.Actions()
	exists, status := map[string]bool{}, map[string]string{}
	for _, p := range st.Positions {
		for _, a := range p.Assessments {
			exists[a.ID], status[a.ID] = true, a.Metadata.ProfileStatus
		}
	}
	for id, addr := range before.addresses {
		if exists[id] && !held[id] && actions[addr] != coretest.Forget && !w.mayForget(before, id, plan) {
			w.failf("dropped from the state although it exists: %s (%s)", addr, id)
		}
	}
	for _, id := range sortedNames(before.supervised) {
		addr := before.addresses[id]
		if addr != "" && status[id] != sandbox.SupervisorCompleted && actions[addr] == "" &&
			actions[addr+" (deposed)"] == "" {
			w.failf("the run deleted a supervisor's work on %s without planning a change", addr)
		}
	}
	for _, id := range w.unaccounted() {
		position, own, _ := strings.Cut(id, "/")
		if !result.Killed && !slices.ContainsFunc(result.Diagnostics, func(d coretest.Diagnostic) bool {
			return d.Error && (strings.Contains(d.Detail, position) || strings.Contains(d.Detail, own))
		}) && !w.foreign["known "+id] {
			w.failf("%s was attached, but neither the state nor an error contains it", id)
		}
		w.foreign["known "+id] = true
	}
}

// checkApplied checks the invariants that hold after a successful run.
func (w *workspace) checkApplied(o coretest.Options, config coretest.Config, fault string) {
	if len(o.Targets) > 0 || o.Refresh != coretest.FullRefresh {
		return
	}
	w.refusalReason, w.imports, w.removed, w.moved = "", nil, nil, nil
	config.Imports = nil
	w.checkService(fault)
	if why := w.refusable(false); why != "" {
		return // such as drift to a configuration that the service does not accept
	}
	o.Replace, o.Seed, o.Machine = nil, o.Seed+1, "one"
	urls := map[string]int{}
	w.network.Restart()
	w.network.Decide = func(_ int, r *http.Request) coretest.Event {
		urls[r.Method+" "+r.URL.String()]++
		return coretest.Pass
	}
	again := w.core.Plan(w.ctx, config, o)
	w.network.Decide = nil
	if again.Plan == nil {
		w.logErrors(again)
		w.failf("the plan after an apply was refused")
		return
	}
	if actions := again.Plan.Actions(); len(actions) > 0 {
		w.failf("the plan after an apply is not empty: %v", actions)
	}
	for url, n := range urls {
		if strings.Contains(url, "/results") {
			w.failf("a plan without changes reads results: %s", url)
		}
		if n > 1 && w.assumptions.RefuseFields == "" && !w.assumptions.RefuseLimit {
			w.failf("requested %d times in one run: %s", n, url)
		}
	}
}

// checkService checks that the service has the configured items.
func (w *workspace) checkService(fault string) {
	st := w.serviceState()
	for _, i := range w.wanted() {
		o := w.core.State.Instances[i.addr()].Current
		if o == nil {
			w.failf("after an apply the state does not have %s", i)
			continue
		}
		if slices.Contains(i.ignored, "all") {
			continue
		}
		p := st.Position(i.position)
		if p == nil {
			continue // others deleted it
		}
		a := p.Assessment(coretest.Text(o.Value, "id"))
		if a != nil && a.Metadata.ProfileStatus != "" && fault == "" &&
			(coretest.Text(o.Value, "profile_url") == "" || coretest.Text(o.Value, "profile_status") == "") {
			w.failf("after an apply the address or status of the profile of %s is not known", i)
		}
		switch {
		case a == nil || a.Assessment != i.assessment:
			w.failf("after an apply the service does not have %s", i)
		case len(i.ignored) > 0 || w.assumptions.MuteReads || a.Metadata.ProfileStatus == sandbox.SupervisorCompleted:
		case keyOf(p.ID, a.Assessment, a.Metadata) != i.key(i.resolved(st)):
			w.failf("after an apply the service has %+v for %s", a.Metadata, i)
		}
	}
}

// planTwice checks that a plan does not depend on order or parallelism.
func (w *workspace) planTwice(r *rand.Rand) {
	if w.refusalReason != "" || w.refusable(true) != "" {
		return
	}
	w.network.Decide = nil
	a := w.options(r)
	b := a
	a.Parallelism, b.Parallelism, b.Seed, b.Machine = 1, 10, a.Seed+1, "other"
	a.Machine = "third"
	first, second := w.core.Plan(w.ctx, w.config(), a), w.core.Plan(w.ctx, w.config(), b)
	w.log("two plans")
	if (first.Err() == nil) != (second.Err() == nil) {
		w.logErrors(first)
		w.logErrors(second)
		w.failf("whether a plan is refused depends on order")
	} else if first.Err() == nil && !maps.Equal(first.Plan.Actions(), second.Plan.Actions()) {
		w.failf("a plan depends on order: %v, %v", first.Plan.Actions(), second.Plan.Actions())
	}
}
