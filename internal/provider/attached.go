// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// attachedLists reads what is attached to positions, by position where the
// service has such a list and one by one where it has none (assumption A7).
type attachedLists struct {
	client *assessapi.Client
	lists  shelf[attachedList]

	// first holds one token, taken by the first to ask until it is known whether
	// there are lists. It is no mutex: virtual time stands still while anything
	// waits for a mutex.
	first   chan struct{}
	listed  atomic.Bool // a list has answered in this walk: it is never given up
	missing atomic.Bool // this service has no such list
	failing atomic.Bool // asking has failed: nobody waits for the first any more
	carried atomic.Bool // an answer has held packages, benchmark or tests (assumption A22)
	shown   atomic.Bool // the answer to a reading has
}

// attachedList is a position's list, in the service's order and by id.
type attachedList struct {
	all  []assessapi.PositionAssessment
	byID map[string]assessapi.PositionAssessment
}

// list returns what is attached to a position. offered is false where the
// service has proved to have no such list.
func (a *attachedLists) list(ctx context.Context, position string) (list attachedList, offered bool, err error) {
	defer a.decide()()
	return a.get(ctx, position)
}

// decide lets one ask and the others wait, as long as it is not known whether
// there are lists at all.
func (a *attachedLists) decide() (decided func()) {
	undecided := func() bool { return !a.listed.Load() && !a.missing.Load() && !a.failing.Load() }
	if undecided() {
		a.first <- struct{}{}
		if undecided() {
			return func() { <-a.first }
		}
		<-a.first
	}
	return func() {}
}

func (a *attachedLists) get(ctx context.Context, position string) (list attachedList, offered bool, err error) {
	if a.missing.Load() {
		return attachedList{}, false, nil
	}
	list, err = a.lists.get(ctx, position, func(ctx context.Context) (attachedList, error) { return a.read(ctx, position) })
	if err == nil {
		a.listed.Store(true)
		return list, true, nil
	}
	if assessapi.IsNoRoute(err) && a.giveUp() {
		return attachedList{}, false, nil
	}
	if !assessapi.IsNotFound(err) {
		a.failing.Store(true)
	}
	return attachedList{}, true, err
}

// giveUp turns to single reads for the rest of the walk, unless a list has
// answered in it.
func (a *attachedLists) giveUp() bool {
	if !a.listed.Load() {
		a.missing.Store(true)
	}
	return a.missing.Load()
}

func (a *attachedLists) read(ctx context.Context, position string) (attachedList, error) {
	all, err := a.client.PositionAssessments(ctx, position)
	if err != nil {
		return attachedList{}, err
	}
	list := attachedList{all: make([]assessapi.PositionAssessment, 0, len(all)), byID: make(map[string]assessapi.PositionAssessment, len(all))}
	for _, pa := range all {
		if pa.AssessmentID == "" { // the service gave less than was asked for
			pa, err = a.client.PositionAssessment(ctx, position, pa.ID)
			if assessapi.IsNotFound(err) {
				continue // removed since the list was read
			}
			if err != nil {
				return attachedList{}, err
			}
		}
		a.note(pa)
		list.all = append(list.all, pa)
		list.byID[pa.ID] = pa
	}
	return list, nil
}

// one returns a single position assessment. Where it is absent from the list,
// the service is asked for it alone: only its 404 means that it is gone.
func (a *attachedLists) one(ctx context.Context, position, id string) (assessapi.PositionAssessment, error) {
	release := sync.OnceFunc(a.decide())
	defer release()
	list, offered, err := a.get(ctx, position)
	if a.listed.Load() || a.missing.Load() {
		release() // single reads need not wait for each other
	}
	notFound := assessapi.IsNotFound(err)
	if err != nil && !notFound {
		return assessapi.PositionAssessment{}, err
	}
	if pa, ok := list.byID[id]; ok {
		return pa, nil
	}
	pa, err := a.fresh(ctx, position, id)
	if err == nil && offered && notFound {
		a.giveUp() // the position is there, its list is not
	}
	return pa, err
}

// fresh asks the service, whatever has been read before.
func (a *attachedLists) fresh(ctx context.Context, position, id string) (assessapi.PositionAssessment, error) {
	pa, err := a.client.PositionAssessment(ctx, position, id)
	if err == nil {
		a.note(pa)
	}
	return pa, err
}

// note remembers what the service's answers to readings carry.
func (a *attachedLists) note(pa assessapi.PositionAssessment) {
	a.noteWritten(pa)
	if pa.Metadata.Configured() {
		a.shown.Store(true)
	}
}

// noteWritten remembers what its answers to writes carry.
func (a *attachedLists) noteWritten(pa assessapi.PositionAssessment) {
	if pa.Metadata.Configured() {
		a.carried.Store(true)
	}
}
