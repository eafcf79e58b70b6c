// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"maps"
	"sync"
)

// written remembers what this run has attached and removed, by position. A list that contradicts it comes
// from a cache.
type written struct {
	mu  sync.Mutex
	ids map[string]map[string]bool // by position and ID, whether it is attached
}

func (w *written) set(position, id string, attached bool) {
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

// on returns what this run has written on a position, by ID, and whether it is attached.
func (w *written) on(position string) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.ids[position])
}

func (w *written) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.ids)
}
