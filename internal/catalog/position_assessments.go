// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// PositionAssessments reads position assessments with one list per position. If the service
// does not offer such lists, it reads them one by one (assumption A7).
type PositionAssessments struct {
	visibility
	catalog *Catalog
	client  *assessapi.Client
	lists   Cache[attachedList]

	written  ownWrites
	shownIDs places // the position assessments that the service has returned by their IDs, or attached

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
	// doubt is why the list may be out of date, or not the service's own.
	doubt error
}

// List lists the assessments of a position, in the order of the service. It returns false if
// the service does not offer such lists.
func (p *PositionAssessments) List(ctx context.Context, position string) ([]assessapi.PositionAssessment, bool, error) {
	list, offered, err := p.current(ctx, position)
	return list.all, offered, err
}

func (p *PositionAssessments) current(
	ctx context.Context, position string,
) (list attachedList, offered bool, err error) {
	p.alone(func() { list, offered, err = p.get(ctx, position) })
	return list, offered, err
}

// Drop makes the list of a position stale.
func (p *PositionAssessments) Drop(position string) { p.lists.Drop(position) }

// alone runs a request alone until it is known whether the service offers such lists. Other
// callers wait for its answer.
func (p *PositionAssessments) alone(request func()) {
	if p.support.Load() == supportUnknown {
		p.first.Lock()
		if p.support.Load() == supportUnknown {
			defer p.first.Unlock()
		} else {
			p.first.Unlock()
		}
	}
	request()
}

func (p *PositionAssessments) get(ctx context.Context, position string) (attachedList, bool, error) {
	if p.support.Load() == supportMissing {
		return attachedList{}, false, nil
	}
	read := func(ctx context.Context) (attachedList, error) { return p.request(ctx, position) }
	list, err := p.lists.Get(ctx, position, read)
	if err == nil {
		err = list.missing
	}
	switch {
	case err == nil:
		p.support.Store(supportOffered)
		return list, true, nil
	case assessapi.IsNoRoute(err) && p.GiveUp():
		return attachedList{}, false, nil
	case !assessapi.IsNotFound(err):
		p.support.CompareAndSwap(supportUnknown, supportFailing)
	}
	return attachedList{}, true, err
}

// GiveUp switches to single reads for the rest of the run. It returns false if such a
// list could be read before.
func (p *PositionAssessments) GiveUp() bool {
	for {
		support := p.support.Load()
		if support == supportOffered {
			return false
		}
		if p.support.CompareAndSwap(support, supportMissing) {
			return true
		}
	}
}

// maxBarePasses is how often a list is read at most because an element that shows only its ID is gone.
const maxBarePasses = 3

// request reads a list. An element that shows only its ID is read by it. After a 404, it may have been removed
// meanwhile, or a gateway may not have the route, so that the list decides, read again.
func (p *PositionAssessments) request(ctx context.Context, position string) (attachedList, error) {
	for pass := 1; ; pass++ {
		list, vanished, err := p.requestOnce(ctx, position)
		switch {
		case err != nil || vanished == nil:
			return list, err
		case pass == maxBarePasses:
			return attachedList{}, p.client.Contradicts(position, vanished)
		}
	}
}

// requestOnce also returns the 404 to the request for an element.
func (p *PositionAssessments) requestOnce(
	ctx context.Context, position string,
) (list attachedList, vanished, err error) {
	written := p.written.on(position) // later writes may or may not be in the list
	pages := p.client.PositionAssessmentPages(position)
	all, err := pages.All(ctx)
	if assessapi.IsNotFound(err) {
		return attachedList{missing: err}, nil, nil
	}
	if err != nil {
		return attachedList{}, nil, err
	}
	list = attachedList{
		all:  make([]assessapi.PositionAssessment, 0, len(all)),
		byID: make(map[string]assessapi.PositionAssessment, len(all)), doubt: pages.Doubt(),
	}
	for _, pa := range all {
		if pa.AssessmentID == "" { // the service returned only a part of the element
			pa, err = p.Read(ctx, position, pa.ID)
			if assessapi.SaysNotFound(err) {
				return attachedList{}, err, nil
			}
			if err != nil {
				return attachedList{}, nil, err
			}
		} else {
			p.observe(pa)
		}
		list.all = append(list.all, pa)
		list.byID[pa.ID] = pa
	}
	now := p.written.on(position)
	for id, attached := range written {
		if _, listed := list.byID[id]; listed != attached && now[id] == attached && list.doubt == nil {
			list.doubt = assessapi.ErrCached
			p.client.NoteCached()
		}
	}
	return list, nil, nil
}

// Find returns a position assessment. If the list of its position does not contain it, it is
// requested by its id. Only a 404 to that request means that it does not exist.
func (p *PositionAssessments) Find(ctx context.Context, position, id string) (assessapi.PositionAssessment, error) {
	var (
		pa  assessapi.PositionAssessment
		err error
	)
	p.alone(func() { pa, err = p.find(ctx, position, id) })
	return pa, err
}

func (p *PositionAssessments) find(ctx context.Context, position, id string) (assessapi.PositionAssessment, error) {
	list, offered, err := p.get(ctx, position)
	notFound := assessapi.IsNotFound(err)
	if err != nil && !notFound {
		return assessapi.PositionAssessment{}, err
	}
	if pa, ok := list.byID[id]; ok {
		return pa, nil
	}
	pa, err := p.Read(ctx, position, id)
	if err == nil && offered && notFound {
		p.GiveUp() // the position exists, but its list does not
	}
	return pa, err
}

// Offered reports whether such a list could be read in this run.
func (p *PositionAssessments) Offered() bool { return p.support.Load() == supportOffered }

// Read requests one position assessment without the cache.
func (p *PositionAssessments) Read(ctx context.Context, position, id string) (assessapi.PositionAssessment, error) {
	pa, err := p.client.PositionAssessment(ctx, position, id)
	switch {
	case err == nil:
		p.shownIDs.set(position, id, true)
		p.observe(pa)
	case assessapi.SaysNotFound(err):
		p.shownIDs.set(position, id, false)
	}
	return pa, err
}
