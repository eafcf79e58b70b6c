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
	known       map[Ref]bool            // read, or the prior state of something, or attached in this run
	held        map[pair]bool           // what states have, by position and assessment
	imported    map[Ref]bool            // being imported
	destroyed   map[Ref]bool            // planned to be destroyed
	creations   map[pair]map[string]Ref // planned to be created: metadata key to what it replaces
	activations map[TestRef]bool        // planned to be enabled
}

// pair is a position and an assessment.
type pair struct{ position, assessment string }

// Know says that the run has seen a position assessment in a state. The assessment
// may be empty if it is not known.
func (e *Engine) Know(ref Ref, assessment string) {
	e.evidence.claim(ref)
	e.evidence.mu.Lock()
	defer e.evidence.mu.Unlock()
	mark(&e.evidence.held, pair{ref.Position, assessment})
}

// claim marks a position assessment as known, and reports whether it was not.
func (v *evidence) claim(ref Ref) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return mark(&v.known, ref)
}

// holds reports whether a state has an assessment of a position.
func (v *evidence) holds(position, assessment string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.held[pair{position, assessment}]
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

// planCreation remembers a creation. It reports whether another resource has
// planned the same one, or another one of the same assessment. An instance that is
// replaced may be planned several times in a run: replaced, if it is not zero,
// tells it from other resources.
func (v *evidence) planCreation(c Creation, replaced Ref) (same, other bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	at, key := pair{c.Position, c.Assessment}, c.Metadata.Key()
	planned := v.creations[at]
	if earlier, ok := planned[key]; ok {
		return replaced == Ref{} || earlier != replaced, false
	}
	if v.creations == nil {
		v.creations = map[pair]map[string]Ref{}
	}
	if planned == nil {
		v.creations[at] = map[string]Ref{}
	}
	other = len(planned) > 0
	v.creations[at][key] = replaced
	return false, other
}
