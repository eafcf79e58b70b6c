// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
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
	scoresDiffer   = "Scores that do not compare"
)

// mostCandidates of a position fit into one page of results, however small the
// service makes its pages.
const mostCandidates = 3

// invite invites a candidate to something that a position has.
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

// complete lets candidates complete what they have been invited to.
func (w *workspace) complete(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		p, ok := pick(r, st.Positions)
		if !ok {
			return
		}
		for _, candidate := range p.Candidates {
			for _, result := range candidate.Results {
				for _, invitation := range result.Invitations {
					if sandboxtest.Complete(st, invitation.ID) == nil {
						w.log("a candidate completes %s on %s", result.Assessment, p.ID)
					}
				}
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

// removal is what the service says about removing an object of the state.
type removal struct {
	position, assessment string
	exists               bool // in the service
	invited              bool // candidates have been: the service refuses
	forgets              bool // on_refused_removal in the state
	completed            bool // by a candidate
	tainted, deposed     bool
}

// warnsOfScores requires that a plan warns if it changes how scores come about that
// candidates have already, and only then.
func (w *workspace) warnsOfScores(result coretest.Result, before snapshot) {
	if w.unchecked {
		return
	}
	for id, addr := range before.addresses {
		m := before.removals[id]
		warned := slices.ContainsFunc(result.Diagnostics, func(d coretest.Diagnostic) bool {
			return d.Addr == addr && d.Summary == scoresDiffer && !d.Dropped
		})
		if warned && !m.completed {
			w.fails("%s: it warns of scores, and nobody has any", addr)
		}
		if m.deposed || !m.completed || warned {
			continue
		}
		for _, c := range result.Plan.Changes {
			if c.Addr == addr && c.Deposed == nil && c.Action == coretest.Update && scored(c.Before) != scored(c.After) {
				w.fails("%s: it changes what candidates have completed, without a warning", addr)
			}
		}
	}
}

// scored are the packages, benchmark and tests of a resource.
func scored(resource tftypes.Value) string {
	var text strings.Builder
	for _, block := range [][]string{{"packages", "ids"}, {"benchmark", "id"}, {"tests", "ids"}} {
		path := tftypes.NewAttributePath()
		for _, name := range block {
			path = path.WithAttributeName(name)
		}
		v, _, err := tftypes.WalkAttributePath(resource, path)
		if value, ok := v.(tftypes.Value); ok && err == nil && !value.IsNull() {
			text.WriteString(value.String())
		}
		text.WriteString(";")
	}
	return text.String()
}

// removals describes the objects of the state by id.
func (w *workspace) removals() map[string]removal {
	st, all := w.estate(), map[string]removal{}
	describe := func(o *coretest.Object, deposed bool) {
		if o == nil {
			return
		}
		m := removal{
			position: coretest.Text(o.Value, "position_id"), assessment: coretest.Text(o.Value, "assessment_id"),
			forgets: coretest.Text(o.Value, "on_refused_removal") == "forget", tainted: o.Tainted, deposed: deposed,
		}
		id := coretest.Text(o.Value, "id")
		if p := st.Position(m.position); p != nil {
			m.exists = p.Assessment(id) != nil
			m.invited = slices.ContainsFunc(
				p.Candidates,
				func(c sandbox.Candidate) bool { return c.Result(m.assessment) != nil },
			)
			m.completed = slices.ContainsFunc(p.Candidates, func(c sandbox.Candidate) bool {
				result := c.Result(m.assessment)
				return result != nil && slices.ContainsFunc(
					result.Invitations, func(i sandbox.Invitation) bool { return i.Completed != nil })
			})
		}
		all[id] = m
	}
	for addr, i := range w.core.State.Instances {
		if strings.HasPrefix(addr, "assess_position_assessment.") {
			describe(i.Current, false)
			for _, o := range i.Deposed {
				describe(o, true)
			}
		}
	}
	return all
}

// removes reports whether a plan removes or replaces an object of the state.
func (s snapshot) removes(plan *coretest.Plan, id string) bool {
	addr := s.addresses[id]
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

// forgets reports whether a plan may drop an object from the state instead of
// removing it: the state says so, or the configuration that replaces it.
func (w *workspace) forgets(before snapshot, id string, plan *coretest.Plan) bool {
	replaced := before.removes(plan, id) && plan.Actions()[before.addresses[id]] != coretest.Delete
	return before.removals[id].forgets || replaced && w.wantsToForget(before.addresses[id])
}

func (w *workspace) wantsToForget(addr string) bool {
	i := w.items[strings.TrimPrefix(addr, "assess_position_assessment.")]
	return i != nil && i.forgets && !slices.Contains(i.ignored, "all")
}

// mayForget reports whether a run may have dropped what exists from the state.
func (w *workspace) mayForget(before snapshot, id string, plan *coretest.Plan) bool {
	refused := before.removals[id].invited || w.assumptions.RefuseRemovals
	return refused && before.removes(plan, id) && w.forgets(before, id, plan)
}

// unremovable lists what the service will refuse to remove in a plan.
func (s snapshot) unremovable(plan *coretest.Plan, w *workspace) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(s.removals)) {
		if m := s.removals[id]; m.exists && m.invited && s.removes(plan, id) && !w.forgets(s, id, plan) {
			ids = append(ids, id)
		}
	}
	return ids
}

// unforeseen lists those of them that a plan need not refuse: core shows a plan
// nothing of what a taint replaces.
func (s snapshot) unforeseen(plan *coretest.Plan, w *workspace) []string {
	return slices.DeleteFunc(s.unremovable(plan, w), func(id string) bool {
		tainted := s.removals[id].tainted && plan.Actions()[s.addresses[id]] != coretest.Delete
		return !w.unchecked && !tainted
	})
}

// refusesRemovals requires that a plan refuses to remove what the service would
// refuse to remove.
func (w *workspace) refusesRemovals(before snapshot, plan *coretest.Plan) {
	unforeseen := before.unforeseen(plan, w)
	for _, id := range before.unremovable(plan, w) {
		if !slices.Contains(unforeseen, id) {
			w.fails("planned, and the service will refuse it: the removal of %s (%s)", before.addresses[id], id)
		}
	}
}

// refusedRemovals lists the removals that a plan refuses, and requires that the
// service would refuse them, too.
func (w *workspace) refusedRemovals(result coretest.Result, before snapshot, destroys bool) (addrs []string) {
	for _, d := range result.Diagnostics {
		if !d.Error || d.Dropped || d.Summary != refusedRemoval {
			continue
		}
		addrs = append(addrs, d.Addr)
		justified := w.imported(d.Addr) // its removal is not in the snapshot
		for id, addr := range before.addresses {
			m := before.removals[id]
			said := strings.Contains(d.Detail, strconv.Quote(id))
			justified = justified || said && m.invited && (destroys || m.deposed || w.replaceable(addr, m))
		}
		if !justified {
			w.fails("the removal of %s is refused, and the service would accept it", d.Addr)
		}
	}
	return addrs
}

// imported reports whether an address is about to be imported.
func (w *workspace) imported(addr string) bool {
	return slices.ContainsFunc(w.imports, func(i coretest.Import) bool { return i.To == addr })
}

// replaceable reports whether a plan may remove or replace the current object at
// an address.
func (w *workspace) replaceable(addr string, m removal) bool {
	for _, i := range w.wanted() {
		if i.addr() == addr {
			same := i.position == m.position && i.assessment == m.assessment
			return !same || i.later || i.triggered || m.tainted || slices.Contains(w.demanded, addr)
		}
	}
	return true
}

// forced reports whether a replacement is demanded from outside the resource. The
// provider learns of it in the second call of the plan, whose warnings core drops.
// The apply says again what it forgets.
func (w *workspace) forced(addr string) bool {
	i := w.items[strings.TrimPrefix(addr, "assess_position_assessment.")]
	return slices.Contains(w.demanded, addr) || i != nil && i.triggered
}

// forgotten requires that what a run has dropped from the state instead of removing
// it is still in the service, and remembers it as somebody else's.
func (w *workspace) forgotten(before snapshot, plan *coretest.Plan) {
	held, after := w.held(), w.exists()
	for _, id := range slices.Sorted(maps.Keys(before.removals)) {
		m := before.removals[id]
		if !before.removes(plan, id) || !m.exists {
			continue
		}
		switch {
		case held[id]:
			w.fails("removed, and the state holds %s (%s)", before.addresses[id], id)
		case m.invited && !after[id]:
			w.fails("the service removed %s (%s), although candidates have been invited", before.addresses[id], id)
		}
	}
}

// disown remembers what is in the service and no longer in the state because it
// was forgotten.
func (w *workspace) disown(before snapshot, plan *coretest.Plan) {
	held, after := w.held(), w.exists()
	for id := range before.removals {
		if after[id] && !held[id] && w.mayForget(before, id, plan) {
			w.foreign[id] = true
		}
	}
}

// exists are the ids of the position assessments in the service.
func (w *workspace) exists() map[string]bool {
	ids := map[string]bool{}
	for _, p := range w.estate().Positions {
		for _, a := range p.Assessments {
			ids[a.ID] = true
		}
	}
	return ids
}

// stateRm drops an instance from the state and leaves it in the service.
func (w *workspace) stateRm(addr string) {
	addr = w.movedFrom(addr)
	i := w.core.State.Instances[addr]
	for _, o := range append(slices.Clone(i.Deposed), i.Current) {
		if o != nil {
			w.foreign[coretest.Text(o.Value, "id")] = true
		}
	}
	w.core.Forget(addr)
	w.log("state rm %s", addr)
}
