// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"sync"
	"sync/atomic"
)

// adoptions collects what the creations of a run take over, so that one notice names all of it. The last creation in
// progress reports, because core starts further ones while it waits for the first ones.
type adoptions struct {
	creating atomic.Int32 // creations in progress
	mu       sync.Mutex
	taken    []ManagedObject
}

// end adds what a creation has taken over. It returns all of it, if no other creation is in progress that would do so.
func (a *adoptions) end(taken []ManagedObject) (all []ManagedObject) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken = append(a.taken, taken...)
	if a.creating.Add(-1) == 0 {
		all, a.taken = a.taken, nil
	}
	return all
}
