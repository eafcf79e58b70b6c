// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Key is the natural key of a position assessment: a position has an assessment at most once, because results count for
// each assessment (section 2.8).
type Key struct{ Position, Assessment string }

// Write is the last thing that this apply has done with the position assessment of a key.
type Write struct {
	ID   string
	Kind WriteKind
}

// WriteKind is the kind of a [Write].
type WriteKind int

// Values of [WriteKind].
const (
	NoWrite         WriteKind = iota
	Taken                     // attached or adopted: no other resource may attach, adopt or remove it
	RemovalSent               // it must not be adopted, even if the removal fails
	RemovalRejected           // by the service, so that it was removed from the state only
)

// Attached is all that the calls of one run share about position assessments. Core runs two creations of one key, or a
// creation and a removal, at the same time. So looking, attaching, adopting and removing are one step for each key,
// under its lock.
type Attached struct {
	lists cache[assessapi.List[assessapi.PositionAssessment]] // by position

	mu      sync.Mutex
	locks   map[Key]chan struct{}
	writes  map[Key]Write
	offered bool // a list was read, so the service has such lists
}

// List lists the assessments of a position (assumption A7), once in a run.
func (a *Attached) List(ctx context.Context, position string) (assessapi.List[assessapi.PositionAssessment], error) {
	return a.lists.get(ctx, position, func(ctx context.Context) (assessapi.List[assessapi.PositionAssessment], error) {
		list, err := a.lists.client.PositionAssessments(ctx, position)
		if err == nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.offered = true
		}
		return list, err
	})
}

// IsOffered reports whether the service has shown that it lists the assessments of a position.
func (a *Attached) IsOffered() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.offered
}

// Drop makes the next read of a position's list ask the service, because the outcome of a write is unknown, or because
// somebody else may have written.
func (a *Attached) Drop(position string) { a.lists.drop(position) }

// Put replaces an element of a position's list, or adds one, after it was read.
func (a *Attached) Put(position string, pa assessapi.PositionAssessment) {
	a.edit(position, func(all []assessapi.PositionAssessment) []assessapi.PositionAssessment {
		if i := indexOfID(all, pa.ID); i >= 0 {
			all[i] = pa
			return all
		}
		return append(all, pa)
	})
}

// PutWritten is Put after a write. What a write has shown proves nothing about reads (assumption A27), so the element
// has only the ID and the assessment, and whoever needs more fetches it.
func (a *Attached) PutWritten(key Key, id string) {
	a.Put(key.Position, assessapi.PositionAssessment{ID: id, AssessmentID: assessapi.Set(key.Assessment)})
}

// Remove removes an element of a position's list, after a removal.
func (a *Attached) Remove(position, id string) {
	a.edit(position, func(all []assessapi.PositionAssessment) []assessapi.PositionAssessment {
		return slices.DeleteFunc(all, func(pa assessapi.PositionAssessment) bool { return pa.ID == id })
	})
}

func (a *Attached) edit(
	position string, edit func([]assessapi.PositionAssessment) []assessapi.PositionAssessment,
) {
	type list = assessapi.List[assessapi.PositionAssessment]
	a.lists.change(position, func(l list) list {
		return list{Elements: edit(slices.Clone(l.Elements)), Cached: l.Cached}
	})
}

func indexOfID(all []assessapi.PositionAssessment, id string) int {
	return slices.IndexFunc(all, func(pa assessapi.PositionAssessment) bool { return pa.ID == id })
}

// Lock waits for the key's lock. It returns a function that unlocks it, or the cause of the context's end.
func (a *Attached) Lock(ctx context.Context, key Key) (unlock func(), err error) {
	a.mu.Lock()
	lock, found := a.locks[key]
	if !found {
		lock = make(chan struct{}, 1)
		a.locks[key] = lock
	}
	a.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// LastWrite returns what this apply has done last with the position assessment of a key.
func (a *Attached) LastWrite(key Key) Write {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writes[key]
}

// Record records what this apply has done with the position assessment of a key. A Taken key stays Taken, whatever
// happens to another position assessment with the same key. The caller holds the key's lock.
func (a *Attached) Record(key Key, kind WriteKind, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if last := a.writes[key]; last.Kind != Taken || last.ID == id {
		a.writes[key] = Write{ID: id, Kind: kind}
	}
}

// clear begins a new run. Locks stay, because a call may hold one.
func (a *Attached) clear() {
	a.lists.clear()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.offered = false
	clear(a.writes)
}
