// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Write is what this apply has done with a position assessment.
type Write struct {
	ID   string
	Kind WriteKind
}

// WriteKind is the kind of a [Write].
type WriteKind int

// Values of [WriteKind].
const (
	Taken           WriteKind = iota + 1 // attached or adopted: no other resource may attach, adopt or remove it
	Unconfirmed                          // attaching was sent to a service without lists, and its effect is unknown
	RemovalSent                          // a removal has begun: no resource may adopt it, even if the removal fails
	RemovalRejected                      // the service rejected the removal, so it was removed only from the state
)

// Attached is the data about position assessments that the calls of one run share. A CLI may create two resources with
// the same key, or create one and remove another, at the same time. So a call holds the key's lock while it looks for
// an existing position assessment and then attaches, adopts or removes it.
type Attached struct {
	lists cache[positionList] // by position
	reads *Reads              // records that the service has such lists
	locks sync.Map            // from Key to chan struct{}. A call that has sent to the channel holds the lock

	mu     sync.Mutex
	writes map[Key]Write
	kinds  map[target]WriteKind // the kind of the last write to a position assessment
}

// target is a position assessment of a key. Without the provider, a position can have an assessment more than once.
type target struct {
	Key
	id string
}

type positionList = assessapi.List[assessapi.PositionAssessment]

// List lists the assessments of a position (assumption A7), once in a run.
func (a *Attached) List(ctx context.Context, position string) (assessapi.List[assessapi.PositionAssessment], error) {
	return a.lists.get(ctx, position, func(ctx context.Context) (positionList, error) {
		list, err := a.lists.client.PositionAssessments(ctx, position)
		if err == nil {
			a.reads.RecordLists()
		}
		return list, err
	})
}

// Drop removes the list of a position from the cache, so the next call of [Attached.List] requests it again. Callers
// use it if the position's assessments may have changed.
func (a *Attached) Drop(position string) { a.lists.drop(position) }

// Put adds a position assessment to a position's list, or replaces the element with the same ID. It does nothing if the
// run has not read the list.
func (a *Attached) Put(position string, pa assessapi.PositionAssessment) {
	a.lists.change(position, func(list positionList) positionList {
		list.Elements = slices.Clone(list.Elements) // a caller may be reading the list
		i := slices.IndexFunc(list.Elements, func(old assessapi.PositionAssessment) bool { return old.ID == pa.ID })
		if i < 0 {
			list.Elements = append(list.Elements, pa)
		} else {
			list.Elements[i] = pa
		}
		return list
	})
}

// Remove removes an element of a position's list, after a removal.
func (a *Attached) Remove(position, id string) {
	a.lists.change(position, func(list positionList) positionList {
		isRemoved := func(pa assessapi.PositionAssessment) bool { return pa.ID == id }
		list.Elements = slices.DeleteFunc(slices.Clone(list.Elements), isRemoved)
		return list
	})
}

// Lock waits for the key's lock, and returns a function that unlocks it. If ctx ends first, Lock returns the cause.
func (a *Attached) Lock(ctx context.Context, key Key) (unlock func(), err error) {
	value, _ := a.locks.LoadOrStore(key, make(chan struct{}, 1))
	lock, _ := value.(chan struct{}) // nothing else is stored
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// LastWrite returns what this apply has done last with a position assessment of a key. Once one is [Taken], writes to
// others do not count.
func (a *Attached) LastWrite(key Key) Write {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writes[key]
}

// LastWriteTo returns what this apply has done last with one position assessment of a key, or 0 for nothing.
func (a *Attached) LastWriteTo(key Key, id string) WriteKind {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.kinds[target{key, id}]
}

// Record records what this apply has done with a position assessment of a key. A Taken key stays Taken, whatever
// happens to another position assessment with the same key. The caller holds the key's lock.
func (a *Attached) Record(key Key, kind WriteKind, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kinds[target{key, id}] = kind
	if last := a.writes[key]; last.Kind != Taken || last.ID == id {
		a.writes[key] = Write{ID: id, Kind: kind}
	}
}

func (a *Attached) use(client *assessapi.Client, reads *Reads) {
	a.lists.client, a.reads, a.writes, a.kinds = client, reads, map[Key]Write{}, map[target]WriteKind{}
}

// clear removes all lists and writes, for a new run. It keeps the locks, because a call may hold one.
func (a *Attached) clear() {
	a.lists.clear()
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.writes)
	clear(a.kinds)
}
