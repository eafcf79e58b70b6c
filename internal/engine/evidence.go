// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"maps"
	"slices"
	"sync"
)

// Ref identifies a position assessment (section 2.3).
type Ref struct{ Position, ID string }

// evidence is what the run knows about other resources of the configuration. It
// is incomplete, because core may not have visited a resource yet, so it may turn
// a refusal into a warning and never the other way around. The only exception is
// the later of two creations that are the same.
type evidence struct {
	mu          sync.Mutex
	step        int                          // counts visits, reads and creations, to tell which came first
	known       map[Ref]bool                 // read, or the prior state of something, or attached in this run
	visits      map[Ref]visit                // objects of a state that no plan has had as its prior state
	gone        map[pair]bool                // what Read has reported gone
	imported    map[Ref]bool                 // being imported
	destroyed   map[Ref]bool                 // planned to be destroyed
	creations   map[pair]map[string]creation // planned to be created, by metadata key
	activations map[TestRef]bool             // planned to be enabled
}

// visit is when core began to visit an object of a state, and when it read it; 0 is
// never.
type visit struct{ begun, read int }

// creation is what a planned creation replaces, if anything, and when it was first
// planned.
type creation struct {
	replaced Ref
	planned  int
}

// pair is a position and an assessment.
type pair struct{ position, assessment string }

// Visit says that core begins to visit a position assessment of a state.
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

// PlanPrior says that a plan has a position assessment as its prior state.
func (e *Engine) PlanPrior(ref Ref) {
	e.evidence.claim(ref)
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	delete(e.evidence.visits, ref)
}

// read says that core reads a position assessment.
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
// longer attached to the position. A plan may attach it again with a warning, because
// core plans everything before it destroys anything. Core hands the private data of a
// read to the plan, which says it of that very instance, unless it is tainted.
func (e *Engine) ReportedGone(position, assessment string) bool {
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	return e.evidence.gone[pair{position, assessment}]
}

func (v *evidence) next() int {
	v.step++
	return v.step
}

// claim marks a position assessment as known, and reports whether it was not.
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

// all returns everything that is known so far.
func (v *evidence) all() []Ref {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Collect(maps.Keys(v.known))
}

// mark adds a key, and reports whether it is new.
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

// PlanImport says that a position assessment is imported. It reports whether
// this plan destroys it under another address.
func (e *Engine) PlanImport(ref Ref) (destroyed bool) {
	e.signals.refreshed.Store(true)
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	mark(&e.evidence.imported, ref)
	return e.evidence.destroyed[ref] && !e.cfg.Reused
}

// PlanDestroy says that a position assessment is going to be destroyed. It
// reports whether this plan imports it under another address.
func (e *Engine) PlanDestroy(ref Ref) (imported bool) {
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	mark(&e.evidence.destroyed, ref)
	return e.evidence.imported[ref] && !e.cfg.Reused
}

// PlanActivation says that a test will be enabled before anything that refers to
// its activation is created.
func (e *Engine) PlanActivation(ref TestRef) {
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	mark(&e.evidence.activations, ref)
}

// PlannedActivations returns the tests of an assessment whose activations this
// run has planned so far.
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

// planCreation remembers a creation, and reports what of the same assessment the
// run has planned before. An instance that is replaced may be planned several times
// in a run: replaced, if it is not zero, tells it from other resources.
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

// readSince reports whether core may be planning the instance of a creation again.
// With a minimal refresh it plans an instance, reads it, and plans it again. A
// tainted instance is planned without its prior state both times.
func (v *evidence) readSince(c creation) bool {
	for _, visit := range v.visits {
		if visit.begun < c.planned && c.planned < visit.read {
			return true
		}
	}
	return false
}
