// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Write is what this apply has done last with a position assessment. 0 means nothing.
type Write int

// Values of [Write].
const (
	Taken           Write = iota + 1 // attached or adopted: no other resource may attach, adopt or remove it
	Unconfirmed                      // attaching was sent to a service without lists, and its effect is unknown
	RemovalSent                      // a removal has begun: no resource may adopt it, even if the removal fails
	RemovalRejected                  // the service rejected the removal, so it was removed only from the state
)

// Attached is the data about position assessments that the calls of one run share. A CLI may create two resources with
// the same key, or create one and remove another, at the same time. So a call holds the key's lock while it looks for
// an existing position assessment and then attaches, adopts or removes it.
type Attached struct {
	lists cache[positionList] // by position
	reads *Reads              // records that the service has such lists
	locks sync.Map            // from Key to chan struct{}. A call that has sent to the channel holds the lock

	mu     sync.Mutex
	writes map[Key]map[string]Write // by key and ID, because others may have attached an assessment more than once
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

// LastWrite returns what this apply has done last with a position assessment.
func (a *Attached) LastWrite(key Key, id string) Write {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writes[key][id]
}

// TakenID returns the ID of the position assessment that this apply has attached or adopted, or "" if there is none.
func (a *Attached) TakenID(key Key) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, last := range a.writes[key] {
		if last == Taken {
			return id
		}
	}
	return ""
}

// Record records what this apply has done with a position assessment. id is "" for Unconfirmed. The caller holds the
// key's lock.
func (a *Attached) Record(key Key, id string, write Write) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.writes[key] == nil {
		a.writes[key] = map[string]Write{}
	}
	a.writes[key][id] = write
}

func (a *Attached) use(client *assessapi.Client, reads *Reads) {
	a.lists.client, a.reads, a.writes = client, reads, map[Key]map[string]Write{}
}

// clear removes all lists and all records of writes, because a new run begins. It keeps the locks, because a call may
// hold a lock.
func (a *Attached) clear() {
	a.lists.clear()
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.writes)
}
