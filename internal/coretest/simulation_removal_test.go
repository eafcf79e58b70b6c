// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	refusedRemoval = "Removal that the service would refuse"
	scoresDiffer   = "Scores that cannot be compared"
)

// mostCandidates limits the candidates of a position, so that they fit into the
// smallest page of results.
const mostCandidates = 3

// invite invites a candidate to an assessment of a position.
func (w *workspace) invite(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		p, a := attachedTo(r, st, false)
		if p == nil || len(p.Candidates) == mostCandidates {
			return
		}
		if _, err := sandboxtest.Invite(st, p.ID, a.Assessment); err != nil {
			panic(err)
		}
		w.log("a candidate is invited to %s on %s", a.Assessment, p.ID)
	})
}

// complete lets candidates complete their invitations.
func (w *workspace) complete(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		p, _ := pick(r, st.Positions)
		for s := range st.Sittings() {
			if s.Position.ID == p.ID && st.Complete(s.Invitation.ID) == nil {
				w.log("a candidate completes %s on %s", s.Result.Assessment, p.ID)
			}
		}
	})
}

// withdraw withdraws the candidates of a position.
func (w *workspace) withdraw(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		if len(st.Positions) > 0 {
			p := &st.Positions[r.IntN(len(st.Positions))]
			p.Candidates = nil
			w.log("the candidates of %s are withdrawn", p.ID)
		}
	})
}

// removal describes an object of the state and how the service would handle its
// removal.
type removal struct {
	addr                 string // after moved blocks
	position, assessment string
	exists               bool // in the service
	invited              bool // candidates are invited, so the service refuses
	forgets              bool // on_refused_removal is "forget" in the state
	completed            bool // a candidate has completed it
	tainted, deposed     bool
	createFirst          bool // create_before_destroy when it was attached
	key                  string
}

// checkScoreWarnings checks that a plan warns if, and only if, it changes how existing
// scores are computed.
func (w *workspace) checkScoreWarnings(result coretest.Result, before snapshot) {
	if w.unchecked || before.blind {
		return
	}
	for _, m := range before.removals {
		addr := m.addr
		warned := slices.ContainsFunc(result.Diagnostics, func(d coretest.Diagnostic) bool {
			return d.Addr == addr && d.Summary == scoresDiffer && !d.Dropped
		})
		if warned && !m.completed {
			w.failf("%s: the plan warns about scores, but no candidate has one", addr)
		}
		if m.deposed || !m.completed || warned {
			continue
		}
		for _, c := range result.Plan.Changes {
			if c.Addr == addr && c.Deposed == nil && c.Action == coretest.Update &&
				!strings.Contains(scored(c.After), "unknown") && scored(c.Before) != scored(c.After) {
				w.failf("%s: the plan changes a completed assessment without a warning", addr)
			}
		}
	}
}

// scored returns the packages, benchmark and tests of a resource.
func scored(resource tftypes.Value) string {
	return fmt.Sprint(coretest.At(resource, "packages", "ids"), coretest.At(resource, "benchmark", "id"),
		coretest.At(resource, "tests", "ids"))
}

// removals describes the objects of the state by ID.
func (w *workspace) removals() map[string]removal {
	st, all := w.serviceState(), map[string]removal{}
	for _, o := range w.core.State.Objects("assess_position_assessment") {
		m := removal{
			addr: o.Addr, position: o.Text("position_id"), assessment: o.Text("assessment_id"),
			forgets: o.Text("on_refused_removal") == "forget", tainted: o.Tainted, deposed: o.Deposed,
			key: stateKey(o.Value), createFirst: o.CreateFirst,
		}
		for _, moved := range w.moved {
			if moved.From == m.addr {
				m.addr = moved.To
			}
		}
		id := o.Text("id")
		if p := st.Position(m.position); p != nil {
			m.exists = p.Assessment(id) != nil
			isCompleted := func(i sandbox.Invitation) bool { return i.Completed != nil }
			for _, c := range p.Candidates {
				if result := c.Result(m.assessment); result != nil {
					m.invited = true
					m.completed = m.completed || slices.ContainsFunc(result.Invitations, isCompleted)
				}
			}
		}
		all[id] = m
	}
	return all
}

// removes reports whether a plan removes or replaces an object of the state.
func (s snapshot) removes(plan *coretest.Plan, id string) bool {
	addr := s.removals[id].addr
	if s.removals[id].deposed {
		addr += " (deposed)"
	}
	switch plan.Actions()[addr] {
	case coretest.Delete, coretest.DeleteCreate, coretest.CreateDelete:
		return true
	default:
		return false
	}
}

// mayForget reports whether a run may have dropped an existing object from the state.
func (w *workspace) mayForget(before snapshot, id string, plan *coretest.Plan) bool {
	if slices.ContainsFunc(plan.Changes, func(c *coretest.Change) bool {
		return c.Action == coretest.Forget && c.Deposed != nil && coretest.Text(c.Before, "id") == id
	}) {
		return true // a removed block also drops deposed objects
	}
	refused := before.removals[id].invited || w.assumptions.RefuseRemovals
	return refused && before.removes(plan, id) && before.removals[id].forgets
}

// unremovable returns the IDs that a plan removes and the service will refuse to
// remove.
func (s snapshot) unremovable(plan *coretest.Plan, w *workspace) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(s.removals)) {
		if m := s.removals[id]; m.exists && m.invited && s.removes(plan, id) && !m.forgets {
			ids = append(ids, id)
		}
	}
	return ids
}

// unforeseen returns the part of unremovable that a plan need not refuse. The core does
// not tell the provider which objects it replaces because of a taint.
func (s snapshot) unforeseen(plan *coretest.Plan, w *workspace) []string {
	return slices.DeleteFunc(s.unremovable(plan, w), func(id string) bool {
		tainted := s.removals[id].tainted && plan.Actions()[s.removals[id].addr] != coretest.Delete
		return !w.unchecked && !tainted && !s.blind
	})
}

// checkRemovalsRefused checks that a plan refuses every removal that the service would
// refuse.
func (w *workspace) checkRemovalsRefused(before snapshot, plan *coretest.Plan) {
	unforeseen := before.unforeseen(plan, w)
	for _, id := range before.unremovable(plan, w) {
		if !slices.Contains(unforeseen, id) {
			w.failf("the plan removes %s (%s), but the service will refuse", before.removals[id].addr, id)
		}
	}
}

// refusedRemovals returns the removals that a plan refuses. It checks that the service
// would refuse them too.
func (w *workspace) refusedRemovals(result coretest.Result, before snapshot, destroys bool) (addrs []string) {
	for _, d := range result.Diagnostics {
		if !d.Error || d.Dropped || d.Summary != refusedRemoval {
			continue
		}
		addrs = append(addrs, d.Addr)
		justified := w.imported(d.Addr) // its removal is not in the snapshot
		for id, m := range before.removals {
			said := strings.Contains(d.Detail, strconv.Quote(id))
			justified = justified || said && m.invited && (destroys || m.deposed || w.replaceable(m.addr, m))
		}
		if !justified {
			w.failf("the plan refuses to remove %s, but the service would accept", d.Addr)
		}
	}
	return addrs
}

// imported reports whether the next plan imports an address.
func (w *workspace) imported(addr string) bool {
	return slices.ContainsFunc(w.imports, func(i coretest.Import) bool { return i.To == addr })
}

// replaceable reports whether a plan may remove or replace the current object at an
// address.
func (w *workspace) replaceable(addr string, m removal) bool {
	for _, i := range w.wanted() {
		if i.addr() == addr {
			same := i.position == m.position && i.assessment == m.assessment
			return !same || i.later || i.triggered || m.tainted || slices.Contains(w.demanded, addr)
		}
	}
	return true
}

// forced reports whether something outside the resource forces its replacement. The
// provider learns this in the second plan, whose warnings the core drops. The apply
// repeats them.
func (w *workspace) forced(addr string) bool {
	i := w.items[strings.TrimPrefix(addr, "assess_position_assessment.")]
	return slices.Contains(w.demanded, addr) || i != nil && i.triggered
}

// checkForgotten checks the objects that a run removed from the state: the service must
// still have those that it must not remove.
func (w *workspace) checkForgotten(a *application) {
	after, left := w.idsInService(), w.removals()
	for _, id := range slices.Sorted(maps.Keys(a.now.removals)) {
		m := a.now.removals[id]
		if !a.now.removes(a.Plan, id) || !m.exists {
			continue
		}
		deposed := m.deposed || w.adopts && a.Actions()[m.addr] == coretest.CreateDelete
		takenOver := deposed && w.core.State.Object(m.addr).Text("id") == id // by a creation at the same address
		switch {
		case left[id].addr == m.addr && !takenOver:
			w.failf("the plan removed %s (%s), but the state still holds it", m.addr, id)
		case m.invited && !after[id]:
			w.failf("the service removed %s (%s), although candidates have been invited", m.addr, id)
		}
	}
}

// markForgotten records which objects are still in the service but were dropped from
// the state.
func (w *workspace) markForgotten(a *application) {
	held, after := w.idsInState(), w.idsInService()
	for id := range a.now.removals {
		if after[id] && !held[id] && w.mayForget(a.now, id, a.Plan) {
			w.foreign[id] = true
		}
	}
}

// idsInService returns the IDs of the position assessments in the service.
func (w *workspace) idsInService() map[string]bool {
	ids := map[string]bool{}
	for _, id := range sandboxtest.AttachedIDs(w.serviceState()) {
		ids[id] = true
	}
	return ids
}

// stateRm removes an instance from the state and leaves it in the service.
func (w *workspace) stateRm(addr string) {
	addr = w.movedFrom(addr)
	for _, o := range w.core.State.At(addr) {
		w.foreign[o.Text("id")] = true
	}
	w.core.Forget(addr)
	w.log("state rm %s", addr)
}
