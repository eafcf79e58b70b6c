// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The invariants of the provider:
//
//  1. What plans completely known and without a warning applies, on any machine. What the service would
//     refuse whatever else is planned does not plan.
//  2. After an apply, a plan is empty.
//  3. There are no duplicates. Nothing is lost. Nothing is removed that another address imports or keeps.
//     Nothing that exists is dropped from the state. Nothing is enabled that no plan of the run named.
//  4. A supervisor's work is discarded only if the plan said so.
//  5. Destroy gets as far as the service allows (see [workspace.destroy]).
//  6. No request is sent beyond the economy of the provider.
//  7. The outcome depends neither on order and parallelism, nor on plans that were never applied, nor on
//     the machine, nor on how fast other providers are (see [workspace.planTwice] and
//     TestNothingIsCarried). An apply that failed is completed by the next one.

// Summaries of diagnostics.
const (
	alreadyAttached = "Already attached"
	attachedOften   = "Already attached more than once" // with adopt_existing
	profileDeleted  = "Supervisor's profile will be deleted"
	profileReplaced = "Supervisor's profile will be replaced"
	profileMaybe    = "Supervisor's profile may be replaced"
)

// repeated are warnings about a replacement that core may drop. The apply decides by what it sees.
var repeated = []string{refusedRemoval, alreadyAttached, attachedOften, "Attached a second time"}

// checkRefusal checks that a refused plan was refused for a reason, and changed nothing (invariant 1).
func (w *workspace) checkRefusal(a *application, refusable string) {
	if !maps.Equal(a.before.exists, w.idsInService()) {
		w.failf("a plan changed the service")
	}
	if a.planned.Killed || a.text != "" && !a.survivable || refusable != "" {
		return
	}
	if len(w.refusedRemovals(a.planned, a.before, false)) > 0 || w.refusesUnannounced(a) {
		return
	}
	w.failf("a plan that the service would accept was refused")
}

// refusesUnannounced reports whether a plan is refused because core would drop the warning about a
// supervisor's work.
func (w *workspace) refusesUnannounced(a *application) bool {
	return slices.ContainsFunc(a.planned.Diagnostics, func(d coretest.Diagnostic) bool {
		return d.Error && d.Summary == profileDeleted && w.forced(d.Addr) && slices.ContainsFunc(
			sortedNames(a.before.supervised), func(id string) bool { return a.before.removals[id].addr == d.Addr })
	})
}

// checkPlanned checks a plan that is not refused (invariant 1).
func (w *workspace) checkPlanned(a *application) {
	w.checkImports(a)
	if a.text != "" {
		return
	}
	w.checkInvalidRefused(a)
	w.checkRemovalsRefused(a.before, a.Plan)
	w.checkScoreWarnings(a.planned, a.before)
	w.checkWarned(a)
}

// checkAfter checks what an apply has left.
func (w *workspace) checkAfter(a *application, config coretest.Config) {
	w.markForgotten(a)
	w.checkNothingLost(a)
	w.checkWrites(a)
	switch {
	case a.result.Err() == nil:
		w.checkForgotten(a)
		w.checkApplied(a, config)
	default:
		w.checkFailed(a)
	}
}

// checkFailed checks that a failed apply has failed for a reason that its plan could not know, or has
// warned about (invariant 1). If it has met only limits that repeat, the next apply must complete it
// (invariant 7).
func (w *workspace) checkFailed(a *application) {
	if why := w.excuse(a); why != "" {
		w.log("  it may fail: %s", why)
		return
	}
	blocked := w.blocked(a)
	other := func(d coretest.Diagnostic) bool { return d.Error && !blocked[d.Addr] }
	if !slices.ContainsFunc(a.result.Diagnostics, other) {
		w.log("  something stays beside %q", sortedNames(blocked))
		return
	}
	met := w.limited(a)
	if len(met) == 0 {
		w.failf("the apply failed although its plan succeeded")
		return
	}
	w.log("  known limit: %s", met[0].name)
	switch {
	case len(blocked) > 0:
	case slices.ContainsFunc(met, func(l limit) bool { return !l.repeats }):
	case w.completes:
		w.failf("the next apply did not complete what the last one has not")
	default:
		w.completed(a.Options)
	}
}

// checkDropped checks that each diagnostic that a CLI drops is also shown elsewhere. It
// skips -minimal-refresh, which drops whole plans without telling the provider.
func (w *workspace) checkDropped(result coretest.Result, o coretest.Options) {
	if o.Refresh == coretest.MinimalRefresh {
		return
	}
	for _, d := range result.Diagnostics {
		if w.forced(d.Addr) && slices.Contains(repeated, d.Summary) {
			continue // the apply looks again
		}
		if d.Dropped && !result.Says(d.Summary) {
			w.failf("the CLI never shows: %s: %s", d.Addr, d.Summary)
		}
	}
}

// checkWarned checks that a plan warns about each position assessment that equals a creation and that
// stays (invariant 1). It applies only to what is known, and to a service that shows what this takes.
func (w *workspace) checkWarned(a *application) {
	if w.assumptions != (sandboxtest.Assumptions{}) || w.unchecked {
		return
	}
	for _, c := range w.creations(a.Plan) {
		ids := w.stays(a, c, a.before)
		if c.later || c.vague || w.blind(c.alias) || len(ids) == 0 || w.forced(c.addr()) {
			continue
		}
		if !slices.ContainsFunc(a.planned.Diagnostics, func(d coretest.Diagnostic) bool {
			return d.Addr == c.addr() && !d.Dropped && (d.Summary == alreadyAttached || d.Summary == attachedOften)
		}) {
			w.failf("the plan attaches %s beside %v without a warning", c.item, ids)
		}
	}
}

// checkInvalidRefused checks that a plan refuses items that the service would refuse (invariant 1).
// It applies only to a service that shows all the information that this takes.
func (w *workspace) checkInvalidRefused(a *application) {
	if w.assumptions != (sandboxtest.Assumptions{}) || w.unchecked {
		return
	}
	st := a.before.service
	for _, c := range w.creations(a.Plan) {
		if c.replaces || c.later || a.before.holds(c.addr()) ||
			w.blind(c.alias) || a.before.lost(c.key(c.resolved(st))) {
			continue // lost objects may be planned again
		}
		if why := c.unacceptable(st, w.activations); why != "" && (!c.vague || why == noSuchPlace) {
			w.failf("the plan contains what the service will refuse: %s: %s", c.item, why)
		}
	}
}

// checkImports checks that a plan does not remove what it imports to another address, and keeps there (invariant 3).
func (w *workspace) checkImports(a *application) {
	for _, c := range a.Changes {
		id, keeps := coretest.Text(c.Before, "id"), c.Action == coretest.NoOp || c.Action == coretest.Update
		if addr := a.before.removals[id].addr; c.Imported && keeps && addr != "" && addr != c.Addr &&
			a.before.removes(a.Plan, id) && !isTainted(a.Plan, id) {
			w.failf("the plan imports %s to %s and removes it as %s", id, c.Addr, addr)
		}
	}
}

// receive checks a request right before the service receives it.
func (w *workspace) receive(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		body, err := io.ReadAll(cmp.Or[io.ReadCloser](r.Body, http.NoBody))
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body)) // r is the copy that process made
		w.checkWrite(r, body)
	}
	return w.service.RoundTrip(r)
}

// checkWrite checks a request that changes something.
func (w *workspace) checkWrite(r *http.Request, body []byte) {
	if w.plan == nil {
		w.failf("a plan sends %s %s", r.Method, r.URL)
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	w.writes.Add(1)
	switch {
	case parts[0] == "assessments":
		w.checkEnabled(parts[len(parts)-1])
	case r.Method == http.MethodPost:
		w.checkAttached(parts[1], body)
	default:
		w.checkChanged(r.Method, parts[1], parts[3], body)
	}
}

// checkWrites checks that an apply sends at most one write for each change, and two for a replacement
// (invariant 6).
func (w *workspace) checkWrites(a *application) {
	writes, most := w.writes.Load(), int64(0)
	for addr, action := range a.Actions() {
		switch {
		case !strings.HasPrefix(addr, "assess_"):
		case action == coretest.DeleteCreate || action == coretest.CreateDelete:
			most += 2
		default:
			most++
		}
	}
	for _, c := range a.Changes {
		if c.Deposed != nil {
			most++ // an address may have several
		}
	}
	if a.text == "" && writes > most {
		w.failf("the apply has sent %d writes for %d changes", writes, most)
	}
}

// checkEnabled checks that the plan of an apply has named a test that it enables (invariant 3).
func (w *workspace) checkEnabled(test string) {
	if name := w.activations[test]; name == "" || w.plan.Actions()["assess_skills_test_activation."+name] == "" {
		w.failf("the apply enables %s, which its plan does not name", test)
	}
}

// checkAttached checks that a request attaches no duplicate (invariant 3).
func (w *workspace) checkAttached(position string, body []byte) {
	var sent struct {
		Assessment string `json:"organizationAssessment"`
		Metadata   sandbox.Metadata
	}
	p := w.serviceState().Position(position)
	if err := json.Unmarshal(body, &sent); err != nil || p == nil || !w.showsAttached() {
		return
	}
	key := keyOf(p.ID, sent.Assessment, sent.Metadata)
	for _, a := range p.Assessments {
		switch {
		case a.Assessment != sent.Assessment:
		case keyOf(p.ID, a.Assessment, a.Metadata) == key:
			w.failf("duplicate: %s is attached to %s again, it already has %s", a.Assessment, p.ID, a.ID)
		case w.adopts && w.staying[a.ID]:
			w.failf("with adopt_existing, %s is attached to %s beside %s", a.Assessment, p.ID, a.ID)
		}
	}
}

// checkChanged checks a request that removes or updates a position assessment: another address must not
// keep what is removed (invariant 3), and the plan must have said that a supervisor's work is discarded
// (invariant 4).
func (w *workspace) checkChanged(method, position, id string, body []byte) {
	for _, c := range w.plan.Changes {
		keeps := c.Action == coretest.NoOp || c.Action == coretest.Update
		if method == http.MethodDelete && keeps && coretest.Text(c.Before, "id") == id && !isTainted(w.plan, id) {
			w.failf("the apply removes %s, which %s keeps", id, c.Addr)
		}
	}
	p := w.serviceState().Position(position)
	keeps := method == http.MethodPut && !bytes.Contains(body, []byte(`"profile"`)) // see sandbox.State
	if p == nil || w.announced[id] || keeps || method == http.MethodDelete && changesTainted(w.plan, id) {
		return
	}
	if a := p.Assessment(id); a != nil && a.Metadata.ProfileStatus == sandbox.SupervisorCompleted {
		w.failf("the apply discards the supervisor's work on %s (%s) without a warning of its plan", id, method)
	}
}

// changesTainted reports whether a plan replaces a tainted object by one of another assessment or position. Core plans a
// creation, which has nothing in common with the tainted object, so that the plan cannot warn: a known limit.
func changesTainted(plan *coretest.Plan, id string) bool {
	return slices.ContainsFunc(plan.Changes, func(c *coretest.Change) bool {
		if c.Action == coretest.Delete || coretest.Text(c.Before, "id") != id || !isTainted(plan, id) {
			return false
		}
		return coretest.Text(c.Before, "position_id") != coretest.Text(c.After, "position_id") ||
			coretest.Text(c.Before, "assessment_id") != coretest.Text(c.After, "assessment_id")
	})
}

// isTainted reports whether the state of a plan has a tainted object. Core plans it as a creation, so that
// the provider cannot know that core removes it: a known limit.
func isTainted(plan *coretest.Plan, id string) bool {
	return slices.ContainsFunc(plan.Prior.Objects("assess_position_assessment"), func(o coretest.Entry) bool {
		return o.Tainted && o.Text("id") == id
	})
}

// announces returns the IDs whose supervisor's work the plan says that it discards.
func (w *workspace) announces(planned coretest.Result) map[string]bool {
	said := map[string]bool{}
	for _, o := range planned.Plan.Prior.Objects("assess_position_assessment") {
		id := o.Text("id")
		said[id] = slices.ContainsFunc(planned.Diagnostics, func(d coretest.Diagnostic) bool {
			summaries := []string{profileDeleted, profileReplaced, profileMaybe}
			return !d.Dropped && slices.Contains(summaries, d.Summary) &&
				(d.Addr == o.Addr || strings.Contains(d.Detail, fmt.Sprintf("%q", id)))
		})
	}
	return said
}

// checkNothingLost checks invariant 3: objects that exist and were in the state are still in the state. New
// objects are in the state too, or an error names them.
func (w *workspace) checkNothingLost(a *application) {
	held, actions := w.idsInState(), a.Actions()
	exists := w.idsInService()
	if w.atTwoAddresses() && !a.result.Killed && !a.now.twice && !w.adoptsUnseen(a) {
		w.failf("the state has a position assessment at two addresses")
	}
	for id, m := range a.now.removals {
		if !exists[id] || held[id] || actions[m.addr] == coretest.Forget || w.mayForget(a.now, id, a.Plan) {
			continue
		}
		if a.result.Killed && a.now.removes(a.Plan, id) {
			w.foreign[id] = true // it was handed over, and the state of the creation was not saved
			continue
		}
		w.failf("dropped from the state although it exists: %s (%s)", m.addr, id)
	}
	for _, id := range w.unaccounted() {
		position, own, _ := strings.Cut(id, "/")
		if !a.result.Killed && !slices.ContainsFunc(a.result.Diagnostics, func(d coretest.Diagnostic) bool {
			return d.Error && (strings.Contains(d.Detail, position) || strings.Contains(d.Detail, own))
		}) && !w.foreign["known "+id] {
			w.failf("%s was attached, but neither the state nor an error contains it", id)
		}
		w.foreign["known "+id] = true
	}
}

// checkApplied checks the invariants that hold after a successful run: the service has what is configured,
// and another plan is empty (invariant 2).
func (w *workspace) checkApplied(a *application, config coretest.Config) {
	if len(a.Targets) > 0 || a.Refresh != coretest.FullRefresh || a.before.blind {
		return
	}
	w.refusalReason, w.imports, w.removed, w.moved = "", nil, nil, nil
	config.Imports = nil
	if a.meanwhile != nil {
		return // others have changed what the plan has read
	}
	w.checkService(a)
	o := a.Options
	o.Replace, o.Seed, o.Machine = nil, o.Seed+1, usualMachine
	if w.refusable(o) != "" || w.wrong(false) != "" {
		return // such as drift to a configuration that the service does not accept
	}
	w.slow(o)
	again := w.economically(func() coretest.Result { return w.core.Plan(w.t.Context(), config, o) })
	if again.Plan == nil {
		w.logErrors(again)
		w.failf("the plan after an apply was refused")
		return
	}
	if actions := again.Plan.Actions(); len(actions) > 0 {
		w.failf("the plan after an apply is not empty: %v", actions)
	}
}

// economically makes a plan and checks that no process requests anything twice (invariant 6).
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
func (w *workspace) checkService(a *application) {
	st := w.serviceState()
	for _, i := range w.wanted() {
		o := w.core.State.Object(i.addr())
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
		has := p.Assessment(o.Text("id"))
		if has != nil && has.Metadata.ProfileStatus != "" && a.text == "" &&
			(o.Text("profile_url") == "" || o.Text("profile_status") == "") {
			w.failf("after an apply the address or status of the profile of %s is not known", i)
		}
		switch {
		case has == nil || has.Assessment != i.assessment:
			w.failf("after an apply the service does not have %s", i)
		case len(i.ignored) > 0 || w.assumptions.MuteReads || has.Metadata.ProfileStatus == sandbox.SupervisorCompleted:
		case keyOf(p.ID, has.Assessment, has.Metadata) != i.key(i.resolved(st)):
			w.failf("after an apply the service has %+v for %s", has.Metadata, i)
		}
	}
}
