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

// Deed is what this apply has done with the position assessment of a key.
type Deed struct {
	ID   string
	What What
}

// What is the kind of a [Deed].
type What int

// Values of [What].
const (
	Nothing   What = iota
	Kept           // attached or adopted: no other resource may attach, adopt or remove it
	Removing       // its removal was sent, so it must not be adopted
	Forgotten      // the service rejected its removal, and it was removed from the state only
)

// Attached is all that the calls of one run share about position assessments. Core runs two creations of one key, or a
// creation and a removal, at the same time. So looking, attaching, adopting and removing are one step for each key,
// under its lock.
type Attached struct {
	lists cache[assessapi.List[assessapi.PositionAssessment]] // by position

	mu    sync.Mutex
	locks map[Key]chan struct{}
	deeds map[Key]Deed
}

// List lists the assessments of a position (assumption A7), once in a run.
func (a *Attached) List(ctx context.Context, position string) (assessapi.List[assessapi.PositionAssessment], error) {
	return a.lists.get(ctx, position, func(ctx context.Context) (assessapi.List[assessapi.PositionAssessment], error) {
		return a.lists.client.PositionAssessments(ctx, position)
	})
}

// ListAgain lists the assessments of a position as the service has them now.
func (a *Attached) ListAgain(
	ctx context.Context, position string,
) (assessapi.List[assessapi.PositionAssessment], error) {
	a.Drop(position)
	return a.List(ctx, position)
}

// Drop makes the next read of a position's list ask the service, because the outcome of a write is unknown.
func (a *Attached) Drop(position string) { a.lists.drop(position) }

// Changed keeps the list of a position current after a write: pa was attached, adopted or updated.
func (a *Attached) Changed(position string, pa assessapi.PositionAssessment) {
	a.edit(position, pa.ID, func(others []assessapi.PositionAssessment) []assessapi.PositionAssessment {
		return append(others, pa)
	})
}

// Removed keeps the list of a position current after a removal.
func (a *Attached) Removed(position, id string) {
	a.edit(position, id, func(others []assessapi.PositionAssessment) []assessapi.PositionAssessment { return others })
}

func (a *Attached) edit(
	position, id string, edit func([]assessapi.PositionAssessment) []assessapi.PositionAssessment,
) {
	a.lists.change(position, func(
		list assessapi.List[assessapi.PositionAssessment],
	) assessapi.List[assessapi.PositionAssessment] {
		isOld := func(pa assessapi.PositionAssessment) bool { return pa.ID == id }
		list.Elements = edit(slices.DeleteFunc(slices.Clone(list.Elements), isOld))
		return list
	})
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

// Deed returns what this apply has done last with the position assessment of a key.
func (a *Attached) Deed(key Key) Deed {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.deeds[key]
}

// Did records what this apply has done with the position assessment of a key. The caller holds the key's lock.
func (a *Attached) Did(key Key, what What, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deeds[key] = Deed{ID: id, What: what}
}

// clear begins a new run. Locks stay, because a call may hold one.
func (a *Attached) clear() {
	a.lists.clear()
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.deeds)
}
