// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// attachedLists reads position assessments with one list per position. If the service
// does not offer such lists, it reads them one by one (assumption A7).
type attachedLists struct {
	client  *assessapi.Client
	observe func(assessapi.PositionAssessment) // called for each position assessment that was read
	lists   listCache[attachedList]

	first   lock // held by the first caller until support is known
	support atomic.Int32
}

// Whether the service offers the list of a position's assessments.
const (
	supportUnknown int32 = iota
	supportFailing       // the first request failed for another reason, so callers no longer wait for it
	supportOffered       // a list could be read in this run, which never changes again
	supportMissing       // this service does not offer such lists
)

// attachedList is the list of one position, in the order of the service and by id.
type attachedList struct {
	all  []assessapi.PositionAssessment
	byID map[string]assessapi.PositionAssessment
	// missing is the 404 of a position that does not exist, or of a service without such lists.
	missing error
}

// list returns the assessments of a position. It returns false if the service does not
// offer such lists.
func (a *attachedLists) list(ctx context.Context, position string) (list attachedList, offered bool, err error) {
	a.alone(func() { list, offered, err = a.get(ctx, position) })
	return list, offered, err
}

// alone runs a request alone until it is known whether the service offers such lists. Other
// callers wait for its answer.
func (a *attachedLists) alone(request func()) {
	if a.support.Load() == supportUnknown {
		a.first.Lock()
		if a.support.Load() == supportUnknown {
			defer a.first.Unlock()
		} else {
			a.first.Unlock()
		}
	}
	request()
}

func (a *attachedLists) get(ctx context.Context, position string) (attachedList, bool, error) {
	if a.support.Load() == supportMissing {
		return attachedList{}, false, nil
	}
	read := func(ctx context.Context) (attachedList, error) { return a.read(ctx, position) }
	list, err := a.lists.get(ctx, position, read)
	if err == nil {
		err = list.missing
	}
	switch {
	case err == nil:
		a.support.Store(supportOffered)
		return list, true, nil
	case assessapi.IsNoRoute(err) && a.giveUp():
		return attachedList{}, false, nil
	case !assessapi.IsNotFound(err):
		a.support.CompareAndSwap(supportUnknown, supportFailing)
	}
	return attachedList{}, true, err
}

// giveUp switches to single reads for the rest of the run. It returns false if such a
// list could be read before.
func (a *attachedLists) giveUp() bool {
	for {
		support := a.support.Load()
		if support == supportOffered {
			return false
		}
		if a.support.CompareAndSwap(support, supportMissing) {
			return true
		}
	}
}

func (a *attachedLists) read(ctx context.Context, position string) (attachedList, error) {
	all, err := a.client.PositionAssessments(ctx, position)
	if assessapi.IsNotFound(err) {
		return attachedList{missing: err}, nil
	}
	if err != nil {
		return attachedList{}, err
	}
	list := attachedList{
		all:  make([]assessapi.PositionAssessment, 0, len(all)),
		byID: make(map[string]assessapi.PositionAssessment, len(all)),
	}
	for _, pa := range all {
		if pa.AssessmentID == "" { // the service returned only a part of the element
			pa, err = a.client.PositionAssessment(ctx, position, pa.ID)
			if assessapi.IsNotFound(err) {
				continue // removed after the list was read
			}
			if err != nil {
				return attachedList{}, err
			}
		}
		a.observe(pa)
		list.all = append(list.all, pa)
		list.byID[pa.ID] = pa
	}
	return list, nil
}

// one returns a position assessment. If the list of its position does not contain it, it
// is requested by its id. Only a 404 to that request means that it does not exist.
func (a *attachedLists) one(ctx context.Context, ref Ref) (pa assessapi.PositionAssessment, err error) {
	a.alone(func() { pa, err = a.listedOrFresh(ctx, ref) })
	return pa, err
}

func (a *attachedLists) listedOrFresh(ctx context.Context, ref Ref) (assessapi.PositionAssessment, error) {
	list, offered, err := a.get(ctx, ref.Position)
	notFound := assessapi.IsNotFound(err)
	if err != nil && !notFound {
		return assessapi.PositionAssessment{}, err
	}
	if pa, ok := list.byID[ref.ID]; ok {
		return pa, nil
	}
	pa, err := a.fresh(ctx, ref)
	if err == nil && offered && notFound {
		a.giveUp() // the position exists, but its list does not
	}
	return pa, err
}

// offered reports whether such a list could be read in this run.
func (a *attachedLists) offered() bool { return a.support.Load() == supportOffered }

// fresh requests one position assessment without the cache.
func (a *attachedLists) fresh(ctx context.Context, ref Ref) (assessapi.PositionAssessment, error) {
	pa, err := a.client.PositionAssessment(ctx, ref.Position, ref.ID)
	if err == nil {
		a.observe(pa)
	}
	return pa, err
}
