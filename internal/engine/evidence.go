// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"maps"
	"slices"
	"sync"
)

// Ref identifies a position assessment (section 2.3).
type Ref struct{ Position, ID string }

// evidence is what the run knows about other resources of the configuration. It is
// incomplete, because it depends on the order in which the CLI processes resources. So it
// may turn a refusal into a warning, but never the other way around. The only exception:
// the second of two equal creations is refused.
type evidence struct {
	mu          sync.Mutex
	step        int                          // counts visits, reads and creations, to record their order
	known       map[Ref]bool                 // read, attached in this run, or the prior state of a plan
	visits      map[Ref]visit                // objects of a state that are not the prior state of any plan yet
	gone        map[pair]bool                // reported as gone by Read
	imported    map[Ref]bool                 // imported in this run
	destroyed   map[Ref]bool                 // planned to be destroyed
	creations   map[pair]map[string]creation // planned to be created, by metadata key
	activations map[TestRef]bool             // planned to be enabled
}

// visit is when the CLI loaded an object of a state, and when it read it. 0 means never.
type visit struct{ begun, read int }

// creation is what a planned creation replaces, if anything, and when it was first
// planned.
type creation struct {
	replaced Ref
	planned  int
}

// pair is a position and an assessment.
type pair struct{ position, assessment string }

// Visit records that the CLI has loaded a position assessment from a state.
func (e *Engine) Visit(ref Ref) {
	v := &e.evidence
	v.claim(ref)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.visits == nil {
		v.visits = map[Ref]visit{}
	}
	if v.visits[ref] == (visit{}) {
		v.visits[ref] = visit{begun: v.next()}
	}
}

// PlanPrior records that a position assessment is the prior state of a plan.
func (e *Engine) PlanPrior(ref Ref) {
	e.evidence.claim(ref)
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	delete(e.evidence.visits, ref)
}

// read records that the CLI reads a position assessment.
func (v *evidence) read(ref Ref) {
	v.claim(ref)
	v.mu.Lock()
	defer v.mu.Unlock()
	if visit, ok := v.visits[ref]; ok && visit.read == 0 {
		visit.read = v.next()
		v.visits[ref] = visit
	}
}

func (v *evidence) reportGone(position, assessment string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	mark(&v.gone, pair{position, assessment})
}

// ReportedGone reports whether Read has found in this run that the assessment is no
// longer attached to the position. Then a plan may attach it again, and only warns,
// because the CLI plans everything before it destroys anything. For most instances, the
// private state says the same, but the CLI drops it if the instance is tainted.
func (e *Engine) ReportedGone(position, assessment string) bool {
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	return e.evidence.gone[pair{position, assessment}]
}

func (v *evidence) next() int {
	v.step++
	return v.step
}

// claim marks a position assessment as known. It reports whether it was unknown before.
func (v *evidence) claim(ref Ref) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return mark(&v.known, ref)
}

func (v *evidence) knows(ref Ref) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.known[ref]
}

// all returns all position assessments that are known so far.
func (v *evidence) all() []Ref {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Collect(maps.Keys(v.known))
}

// mark adds a key to a set, and reports whether it is new.
func mark[K comparable](set *map[K]bool, key K) bool {
	if (*set)[key] {
		return false
	}
	if *set == nil {
		*set = map[K]bool{}
	}
	(*set)[key] = true
	return true
}

// PlanImport records that a position assessment is imported. It reports whether this plan
// destroys it under another address.
func (e *Engine) PlanImport(ref Ref) (destroyed bool) {
	e.signals.refreshed.Store(true)
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	mark(&e.evidence.imported, ref)
	return e.evidence.destroyed[ref] && !e.cfg.Reused
}

// PlanDestroy records that a position assessment is going to be destroyed. It reports
// whether this plan imports it under another address.
func (e *Engine) PlanDestroy(ref Ref) (imported bool) {
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	mark(&e.evidence.destroyed, ref)
	return e.evidence.imported[ref] && !e.cfg.Reused
}

// PlanActivation records that a test will be enabled before the resources that refer to
// its activation are created.
func (e *Engine) PlanActivation(ref TestRef) {
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	mark(&e.evidence.activations, ref)
}

// PlannedActivations returns the tests of an assessment whose activations this run has
// planned so far.
func (e *Engine) PlannedActivations(assessment string) map[string]bool {
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	tests := map[string]bool{}
	for ref := range e.evidence.activations {
		if ref.Assessment == assessment {
			tests[ref.Test] = true
		}
	}
	return tests
}

// planCreation records a creation, and reports whether the run has already planned
// creations of the same assessment. A replacement may be planned several times in a run.
// replaced identifies it, and is zero for other creations.
func (v *evidence) planCreation(c Creation, replaced Ref) (p Presence) {
	v.mu.Lock()
	defer v.mu.Unlock()
	at, key := pair{c.Position, c.Assessment}, c.Metadata.Key()
	planned := v.creations[at]
	if earlier, ok := planned[key]; ok {
		p.PlannedSame = replaced == Ref{} || earlier.replaced != replaced
		p.PlannedAgain = p.PlannedSame && v.readSince(earlier)
		return p
	}
	if v.creations == nil {
		v.creations = map[pair]map[string]creation{}
	}
	if planned == nil {
		v.creations[at] = map[string]creation{}
	}
	v.creations[at][key] = creation{replaced, v.next()}
	p.PlannedOther = len(planned) > 0
	return p
}

// readSince reports whether the CLI may be planning the same instance again. With a
// minimal refresh, it plans an instance, reads it, and plans it again. A tainted instance
// is planned without its prior state both times.
func (v *evidence) readSince(c creation) bool {
	for _, visit := range v.visits {
		if visit.begun < c.planned && c.planned < visit.read {
			return true
		}
	}
	return false
}
