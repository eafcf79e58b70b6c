// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// The invariants, by the sentences of the contract that they check.
const (
	planWrites   = "a plan sends GET requests only"
	within429    = "the rate limits are never exceeded by our own runs"
	noDouble     = "an assessment is attached to a position only once"
	noLoss       = "what was attached is in the state, or an error says that it may be attached"
	acceptedPost = "nothing fails after a POST was accepted"
	oneAddress   = "a position assessment is at one address"
	plannedOnly  = "nothing is removed that the plan does not remove"
	keptByOther  = "a removal whose ID this apply has attached or adopted sends nothing"
	supervisor   = "a supervisor's work is discarded only after a warning at plan"
	adoptsOnly   = "adopts only with adopt_existing"
	adoptsSafely = "adopts with an update only if nobody has been invited and no supervisor has completed its profile"
	stateKeeps   = "nothing is removed from the state that exists"
	noRecreation = "nothing that exists is planned again"
	planEmpty    = "after an apply the plan is empty"
	asConfigured = "after an apply the service has what is configured"
	invitedFails = "a plan rejects the removal of what candidates have been invited to"
	protocol     = "the provider keeps the protocol"
	settles      = "with adopt_existing and an empty state, one apply gets what is configured"
	destroys     = "a destroy removes what nobody was invited to"
)

// observe is a hook that checks each request that reaches the service.
func (l *life) observe(q *driver.Request, next func() driver.Response) driver.Response {
	l.mu.Lock()
	if q.Writes() {
		l.checkWrite(q)
	}
	l.mu.Unlock()
	response := next()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case q.Handled == http.StatusTooManyRequests:
		l.violate(within429, "%s: %s %s", q.Run, q.Method, q.Route)
	case q.Is(http.MethodPost, sandbox.RoutePositionAssessments) && q.Handled == http.StatusCreated:
		var created struct{ ID string }
		_ = json.Unmarshal(q.Reply, &created) // the sandbox sends JSON
		l.run.posted[created.ID] = keyIn(q)
		l.tell("  attached %s: %s", created.ID, keyIn(q))
	case q.Method == http.MethodDelete:
		l.tell("  removal of %s: %d", q.IDs["id"], q.Handled)
		l.run.rejected[q.IDs["id"]] = q.Handled == http.StatusConflict
	case q.Writes():
		l.tell("  %s %v %s: %d", q.Method, q.IDs, q.Body, q.Handled)
	}
	return response
}

// keyIn returns the key of a creation.
func keyIn(q *driver.Request) string {
	var body struct{ OrganizationAssessment string }
	_ = json.Unmarshal(q.Body, &body) // an invalid body has no key
	return q.IDs["position"] + "/" + body.OrganizationAssessment
}

// checkWrite checks a write that has arrived.
func (l *life) checkWrite(q *driver.Request) {
	existing := l.existing()
	if !strings.HasPrefix(q.Run, "apply") {
		l.violate(planWrites, "%s %s", q.Method, q.Route)
		return
	}
	a, exists := existing[q.IDs["id"]]
	switch {
	case q.Is(http.MethodPost, sandbox.RoutePositionAssessments):
		l.checkAttach(q, existing)
	case q.Is(http.MethodDelete, sandbox.RoutePositionAssessment) && exists:
		if l.run.removals[a.ID] == "" {
			l.violate(plannedOnly, "%s is removed", a.ID)
		}
		l.checkSupervised(q, a)
	case q.Is(http.MethodPut, sandbox.RoutePositionAssessment) && exists:
		l.checkUpdate(q, a)
	}
}

// checkAttach checks a creation.
func (l *life) checkAttach(q *driver.Request, existing map[string]placed) {
	key := keyIn(q)
	for id, a := range existing {
		_, before := l.run.before[id]
		_, ours := l.run.posted[id]
		switch {
		case a.key() != key || l.run.hidden[key]:
		case l.service == unsigned && !ours: // it attaches without looking
		case !before && !ours: // a rival was faster
		default:
			l.violate(noDouble, "%s is attached beside %s", key, id)
		}
	}
}

// checkUpdate checks an update, which may adopt something.
func (l *life) checkUpdate(q *driver.Request, a placed) {
	var body struct{ Metadata struct{ Profile string } }
	_ = json.Unmarshal(q.Body, &body) // an invalid body has no profile
	held := hasValue(idsOf(l.run.plan.Refreshed), a.ID)
	_, ours := l.run.posted[a.ID]
	switch {
	case held || ours:
		if body.Metadata.Profile != "" {
			l.checkSupervised(q, a)
		}
	case !l.adopts:
		l.violate(adoptsOnly, "%s is updated", a.ID)
	case a.invited(), a.supervised() && l.completed[a.ID] <= l.run.start:
		l.violate(adoptsSafely, "%s is updated", a.ID)
	}
}

// checkSupervised checks a write that discards the profile of a position assessment, which a supervisor may have
// completed before the apply began.
func (l *life) checkSupervised(q *driver.Request, a placed) {
	if !a.supervised() || l.completed[a.ID] > l.run.start {
		return
	}
	for address, c := range l.run.plan.Changes {
		if c.Prior != nil && c.Prior.Text("id") == a.ID && len(supervisorWarnings(l.run.plan, address)) > 0 {
			return
		}
	}
	listed := l.completed[a.ID] <= l.run.planned && l.service != linksOnly && l.service != unsigned // the list showed it
	if listed || !l.run.statusless {
		l.violate(supervisor, "%s discards the profile of %s", q.Method, a.ID)
	}
}

func supervisorWarnings(p *driver.Plan, address string) driver.Diagnostics {
	return p.Warnings().Of(address).Saying("Supervisor's profile")
}

// checkProtocol checks that core finds nothing wrong with the responses of the provider.
func (l *life) checkProtocol(all driver.Diagnostics) {
	for _, d := range all.Errors() {
		if strings.HasPrefix(d.Summary, "Provider ") {
			l.violate(protocol, "%s: %s: %s", d.Address, d.Summary, d.Detail)
		}
	}
}

// checkPlan checks a plan.
func (l *life) checkPlan(r *running) {
	l.checkProtocol(r.plan.Diagnostics)
	if r.plan.Failed() {
		return
	}
	existing := l.existing()
	for address, id := range idsOf(l.State) {
		if a, exists := existing[id]; exists && r.plan.Refreshed[address] == nil {
			l.violate(stateKeeps, "the refresh drops %s, which is %s", address, a.key())
		}
	}
	unchecked := len(r.plan.Warnings().Saying("may be incomplete")) > 0 // page of the results
	for address, c := range r.plan.Changes {
		if c.Action != driver.Delete && c.Action != driver.Replace {
			continue
		}
		id, row := c.Prior.Text("id"), l.rows[address]
		a, exists := r.before[id]
		forgets := c.Prior.Text("on_refused_removal") == "forget" || row != nil && row.forget
		switch {
		case !exists:
		case c.Action == driver.Replace && row.key() == a.key():
			l.violate(noRecreation, "%s", address)
		case l.completed[id] > 0 && a.supervised() && !r.happened && len(supervisorWarnings(r.plan, address)) == 0:
			l.violate(supervisor, "the plan removes %s without a warning", address)
		case a.invited() && !forgets && !r.happened && !unchecked:
			l.violate(invitedFails, "%s", address)
		}
	}
}

// checkApply checks what an apply has left.
func (l *life) checkApply(r *running, applied driver.Run) {
	l.checkProtocol(applied.Diagnostics)
	existing, after := l.existing(), idsOf(l.State)
	if applied.Killed && l.LosesState {
		return
	}
	l.checkPosts(r, applied, after)
	held := idsOf(r.plan.Refreshed)
	for address, id := range held {
		_, exists := existing[id]
		if exists && !hasValue(after, id) && !r.rejected[id] {
			l.violate(stateKeeps, "the apply drops %s, which is %s", address, id)
		}
	}
	for address, id := range after {
		a, exists := existing[id]
		_, posted := r.posted[id]
		_, before := r.before[id]
		isSame := func(other string) bool { return other != address && after[other] == id }
		switch {
		case slices.ContainsFunc(sortedKeys(after), isSame):
			l.violate(oneAddress, "%s is at more than one address", id)
		case !exists && !l.removed[id] && r.removals[id] != "" && r.removals[id] != address:
			l.violate(keptByOther, "%s of %s was removed by %s", id, address, r.removals[id])
		case !exists && !l.removed[id] && (before || posted) && len(applied.Of(address).Errors()) == 0 && !applied.Killed:
			l.violate(noLoss, "%s of %s does not exist", id, address)
		case exists && !hasValue(held, id) && !posted && !l.adopts && !r.lost[a.key()]:
			l.violate(adoptsOnly, "%s is now %s", address, id)
		}
	}
	if !applied.Failed() && (!r.halfShown || !l.adopts) {
		l.checkConfigured(r, existing)
	}
}

// checkPosts checks what became of creations that the service has accepted.
func (l *life) checkPosts(r *running, applied driver.Run, after map[string]string) {
	delivered := map[string]bool{}
	for _, q := range l.Service.Journal()[r.start:] {
		if q.Is(http.MethodPost, sandbox.RoutePositionAssessments) && q.Handled == http.StatusCreated {
			var created struct{ ID string }
			_ = json.Unmarshal(q.Reply, &created) // the sandbox sends JSON
			delivered[created.ID] = q.Status == http.StatusCreated
			r.lost[keyIn(&q)] = r.lost[keyIn(&q)] || q.Status == 0
		}
	}
	for id, key := range r.posted {
		address, reported := "", false
		for a, o := range after {
			if o == id {
				address = a
			}
		}
		for a, row := range l.rows {
			reported = reported || row.key() == key && len(applied.Of(a).Errors()) > 0
		}
		switch {
		case applied.Killed || l.removed[id]:
		case address == "" && (delivered[id] || !reported):
			l.violate(noLoss, "%s of %s is in no state", id, key)
		case address != "" && delivered[id] && len(applied.Of(address).Errors()) > 0:
			l.violate(acceptedPost, "%s: %s", address, applied.Of(address).Errors()[0].Summary)
		}
	}
}

// checkConfigured checks that the service has what is configured.
func (l *life) checkConfigured(r *running, existing map[string]placed) {
	for address, row := range l.rows {
		o := l.State[address]
		if o == nil {
			l.violate(asConfigured, "%s has no state", address)
			continue
		}
		id := o.Text("id")
		a, exists := existing[id]
		switch {
		case l.removed[id], r.rivals:
		case !exists || a.key() != row.key():
			l.violate(asConfigured, "%s does not exist as %s", address, row)
		case !row.is(a.Metadata) && l.service != mute: // which does not show what it had before
			l.violate(asConfigured, "%s is %+v, not %s", address, a.Metadata, row)
		}
	}
}
