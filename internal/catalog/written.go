// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// ownWrites remembers what this run has created and removed, by owner. A list that contradicts it comes
// from a cache.
type ownWrites struct {
	mu  sync.Mutex
	ids map[string]map[string]bool // by owner and ID, whether it exists
}

func (w *ownWrites) set(owner, id string, exists bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids == nil {
		w.ids = map[string]map[string]bool{}
	}
	if w.ids[owner] == nil {
		w.ids[owner] = map[string]bool{}
	}
	w.ids[owner][id] = exists
}

// forget is called before a removal, because a list may then contain the object or not.
func (w *ownWrites) forget(owner, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ids[owner], id)
}

// on returns what this run has written for an owner, by ID, and whether it exists.
func (w *ownWrites) on(owner string) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.ids[owner])
}

// Wrote records that this run has created or removed an object.
func (p *Objects[T]) Wrote(owner, id string, exists bool) {
	p.written.set(owner, id, exists)
	p.shownIDs.set(owner, id, exists)
}

// place is where an object is.
type place struct{ owner, id string }

// places is a set of objects.
type places struct {
	mu     sync.Mutex
	exists map[place]bool
}

// set adds an object, or removes it.
func (p *places) set(owner, id string, exists bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exists == nil {
		p.exists = map[place]bool{}
	}
	if exists {
		p.exists[place{owner, id}] = true
	} else {
		delete(p.exists, place{owner, id})
	}
}

// all returns the objects in a fixed order.
func (p *places) all() []place {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Keys(p.exists), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.id, b.id))
	})
}
