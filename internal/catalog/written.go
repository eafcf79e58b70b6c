// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// existence remembers which objects exist, and which do not.
type existence struct {
	mu  sync.Mutex
	ids map[string]map[string]bool // by owner and ID, whether it exists
}

func (w *existence) set(owner, id string, exists bool) {
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
func (w *existence) forget(owner, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ids[owner], id)
}

// on returns the objects of an owner, by ID, and whether they exist.
func (w *existence) on(owner string) map[string]bool {
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

// all returns the objects that exist, in a fixed order.
func (w *existence) all() (all []place) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for owner, ids := range w.ids {
		for id, exists := range ids {
			if exists {
				all = append(all, place{owner, id})
			}
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.id, b.id))
	})
	return all
}
