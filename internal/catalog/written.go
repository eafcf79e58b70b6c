// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// ownWrites remembers what this run has attached and removed, by position. A list that contradicts it comes
// from a cache.
type ownWrites struct {
	mu  sync.Mutex
	ids map[string]map[string]bool // by position and ID, whether it is attached
}

func (w *ownWrites) set(position, id string, attached bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids == nil {
		w.ids = map[string]map[string]bool{}
	}
	if w.ids[position] == nil {
		w.ids[position] = map[string]bool{}
	}
	w.ids[position][id] = attached
}

// forget is called before a removal, because a list may then contain the position assessment or not.
func (w *ownWrites) forget(position, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ids[position], id)
}

// on returns what this run has written on a position, by ID, and whether it is attached.
func (w *ownWrites) on(position string) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.ids[position])
}

// Wrote records that this run has attached or removed a position assessment.
func (p *PositionAssessments) Wrote(position, id string, attached bool) {
	p.written.set(position, id, attached)
	p.shownIDs.set(position, id, attached)
}

// Removes records that this run is about to remove a position assessment.
func (p *PositionAssessments) Removes(position, id string) { p.written.forget(position, id) }

// place is where a position assessment is.
type place struct{ position, id string }

// places is a set of position assessments.
type places struct {
	mu     sync.Mutex
	exists map[place]bool
}

// set adds a position assessment, or removes it.
func (p *places) set(position, id string, exists bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exists == nil {
		p.exists = map[place]bool{}
	}
	if exists {
		p.exists[place{position, id}] = true
	} else {
		delete(p.exists, place{position, id})
	}
}

// all returns the position assessments in a fixed order.
func (p *places) all() []place {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Keys(p.exists), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.id, b.id))
	})
}
