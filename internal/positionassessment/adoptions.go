// SPDX-License-Identifier: MPL-2.0

package positionassessment

import "sync"

// adoptions collects what the creations of a run take over, so that one notice names all of it. The last creation in
// progress reports, because core starts further ones while it waits for the first ones.
type adoptions struct {
	mu       sync.Mutex
	creating int // creations in progress
	taken    []Object
}

func (a *adoptions) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.creating++
}

func (a *adoptions) add(o Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken = append(a.taken, o)
}

// end returns what was taken over, if no other creation is in progress that would return it.
func (a *adoptions) end() (taken []Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.creating--; a.creating == 0 {
		taken, a.taken = a.taken, nil
	}
	return taken
}
