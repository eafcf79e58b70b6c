// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

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
func (w *workspace) checkRefusal(result coretest.Result, before snapshot, f fault) {
	if result.Killed || f.text != "" && !f.survivable {
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
		if actions[i.addr()] != coretest.Create || i.later || slices.Contains(known, i.addr()) ||
			w.blind(i.alias) || before.lost(i.key(i.resolved(st))) {
			continue // lost objects may be planned again
		}
		if why := i.unacceptable(st, w.activations); why != "" && (!i.vague || why == noSuchPlace) {
			w.failf("the plan contains what the service will refuse: %s: %s", i, why)
		}
	}
}

// checkImports checks that a plan does not remove what it imports to another address.
func (w *workspace) checkImports(before snapshot, plan *coretest.Plan) {
	for _, c := range plan.Changes {
		id := coretest.Text(c.Before, "id")
		if addr := before.addresses[id]; c.Imported && addr != "" && addr != c.Addr && before.removes(plan, id) {
			w.failf("the plan imports %s to %s and removes it as %s", id, c.Addr, addr)
		}
	}
}

// createsBesideOwn reports whether a plan creates the replacement of an object next to it,
// on the same position. On another machine, this looks like a duplicate.
func (w *workspace) createsBesideOwn(plan *coretest.Plan) bool {
	same := func(c *coretest.Change, name string) bool {
		after := coretest.Text(c.After, name)
		return after == "" || after == coretest.Text(c.Before, name)
	}
	return w.unfinished() || slices.ContainsFunc(plan.Changes, func(c *coretest.Change) bool {
		return c.Action == coretest.CreateDelete && same(c, "position_id") && same(c, "assessment_id")
	})
}

// unforeseeable reports whether an apply may fail for a reason that its plan could not
// detect.
func (w *workspace) unforeseeable(
	result coretest.Result, before snapshot, plan *coretest.Plan, elsewhere bool,
) bool {
	if elsewhere && w.createsBesideOwn(plan) {
		return true
	}
	// An update must send all fields of a skills test, but this service shows only IDs.
	unseen := w.assumptions.RefuseFields == "bare" && len(w.activations) > 0
	cycle := result.Says("Cycle") // OpenTofu has it, too, and it is no work of the provider
	return cycle || w.assumptions.NoRemoval != 0 || w.assumptions.RefuseRemovals || w.retired || unseen || result.Killed ||
		len(before.unforeseen(plan, w)) > 0
}

// limited reports whether an apply may fail because of a limit that ARCHITECTURE.md names. An
// adoption applies only on the machine of its plan, where a note says that no state contains what
// it adopts. There, creations with the literal ID of a test wait for its activation, and others for
// removals. If all calls of core wait, core cannot go on. And a provider that core configures
// later takes back what another alias has noted in the same plan about creations that are not
// completely known.
func (w *workspace) limited(o coretest.Options, elsewhere bool, plan *coretest.Plan) bool {
	literals, later, aliases := 0, false, map[string]bool{}
	for _, i := range w.wanted() {
		if i.literal {
			literals++
		}
		later = later || i.later || i.vague
		aliases[i.alias] = true
	}
	removals := 0
	for _, action := range plan.Actions() {
		if action == coretest.Delete {
			removals++
		}
	}
	return elsewhere && (w.adopts || literals > 0 && o.Parallelism <= literals+removals) || later && len(aliases) > 1
}

// checkNothingLost checks three things. Objects that exist and were in the state are
// still in the state. New objects are in the state, or an error names them. A
// supervisor's work still exists.
func (w *workspace) checkNothingLost(before snapshot, planned, result coretest.Result) {
	plan := planned.Plan
	held, st, actions := w.idsInState(), w.serviceState(), plan.Actions()
	exists, status := map[string]bool{}, map[string]string{}
	for _, p := range st.Positions {
		for _, a := range p.Assessments {
			exists[a.ID], status[a.ID] = true, a.Metadata.ProfileStatus
		}
	}
	if objects := w.core.State.Objects("assess_position_assessment"); len(objects) != len(held) {
		w.failf("the state has %d position assessments at %d places", len(held), len(objects))
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
		said := slices.ContainsFunc(planned.Diagnostics, func(d coretest.Diagnostic) bool {
			return d.Addr == addr && !d.Dropped && strings.Contains(d.Summary, "upervisor")
		})
		if exists[id] && status[id] != sandbox.SupervisorCompleted && !said &&
			w.assumptions == (sandboxtest.Assumptions{}) {
			w.failf("the run replaced a supervisor's work on %s without a warning", addr)
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
func (w *workspace) checkApplied(o coretest.Options, config coretest.Config, f fault, blind bool) {
	if len(o.Targets) > 0 || o.Refresh != coretest.FullRefresh || blind {
		return
	}
	w.refusalReason, w.imports, w.removed, w.moved = "", nil, nil, nil
	config.Imports = nil
	w.checkService(f)
	o.Replace, o.Seed, o.Machine = nil, o.Seed+1, "one"
	if w.refusable(o) != "" || w.failable(o, false) != "" {
		return // such as drift to a configuration that the service does not accept
	}
	again := w.economically(func() coretest.Result { return w.core.Plan(w.ctx, config, o) })
	if again.Plan == nil {
		w.logErrors(again)
		w.failf("the plan after an apply was refused")
		return
	}
	if actions := again.Plan.Actions(); len(actions) > 0 {
		w.failf("the plan after an apply is not empty: %v", actions)
	}
}

// economically makes a plan and checks that no process requests anything twice.
func (w *workspace) economically(plan func() coretest.Result) coretest.Result {
	requests := map[string]int{}
	w.network.Restart()
	w.network.Decide = func(_ int, r *http.Request) coretest.Event {
		requests[fmt.Sprint(r.Context().Value(sender{}), " ", r.Method, " ", r.URL)]++
		return coretest.Pass
	}
	result := plan()
	w.network.Decide = nil
	empty := result.Plan != nil && len(result.Plan.Actions()) == 0
	for request, n := range requests {
		if empty && strings.Contains(request, "/results") {
			w.failf("a plan without changes reads results: %s", request)
		}
		if n > 1 && w.assumptions.RefuseFields == "" && !w.assumptions.RefuseLimit {
			w.failf("requested %d times in one run: %s", n, request)
		}
	}
	return result
}

// checkService checks that the service has the configured items.
func (w *workspace) checkService(f fault) {
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
		if a != nil && a.Metadata.ProfileStatus != "" && f.text == "" &&
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
