// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Objects reads and changes objects that have an owner and an ID, with one list per owner. If the service does not
// offer such lists, it reads them one by one (assumption A7).
type Objects[T any] struct {
	catalog *Catalog
	client  *assessapi.Client
	api     assessapi.Objects[T]
	lists   Cache[objectList[T]]

	observe func(T)                                                     // each object that the service has returned
	compare func(ctx context.Context, wanted, got T) assessapi.Likeness // what a lost response may have created
	// isOwnerGone reports whether the owner certainly no longer exists. answers reports whether the service answers
	// another request about the owner.
	isOwnerGone func(ctx context.Context, owner string) (bool, error)
	answers     func(ctx context.Context, owner string) bool

	written  existence // what this run has created and removed. A list that contradicts it comes from a cache
	shownIDs existence // what the service has returned by its ID, or created

	creations sync.Map // by owner, the lock of the creation in progress
	first     lock     // held by the first caller until support is known
	support   atomic.Int32
}

// ObjectsOf returns the objects of a kind, with the same cache for all callers.
func ObjectsOf[T any](c *Catalog, api assessapi.Objects[T]) *Objects[T] {
	all, _ := c.objects.LoadOrStore(reflect.TypeFor[T](), &Objects[T]{
		catalog: c, client: api.Client, api: api, first: newLock(), observe: func(T) {},
		compare:     func(_ context.Context, wanted, got T) assessapi.Likeness { return api.Like(wanted, got) },
		isOwnerGone: func(context.Context, string) (bool, error) { return false, nil },
		answers:     func(context.Context, string) bool { return false },
	})
	objects, _ := all.(*Objects[T])
	return objects
}

// Whether the service offers the list of an owner's objects.
const (
	supportUnknown int32 = iota
	supportFailing       // the first request failed for another reason, so callers no longer wait for it
	supportOffered       // a list could be read in this run, which never changes again
	supportMissing       // this service does not offer such lists
)

// objectList is the list of one owner, in the order of the service and by id.
type objectList[T any] struct {
	all  []T
	byID map[string]T
	// missing is the 404 of an owner that does not exist, or of a service without such lists.
	missing error
	// doubt is why the list may be out of date, or not the service's own.
	doubt error
}

// ErrNotListed means that the service does not offer lists of such objects.
var ErrNotListed = errors.New("the service has no such list")

// List lists the objects of an owner, in the order of the service, or returns [ErrNotListed].
func (p *Objects[T]) List(ctx context.Context, owner string) ([]T, error) {
	list, err := p.current(ctx, owner)
	return list.all, err
}

func (p *Objects[T]) current(ctx context.Context, owner string) (objectList[T], error) {
	defer p.begin()()
	return p.get(ctx, owner)
}

// Drop makes the list of an owner stale.
func (p *Objects[T]) Drop(owner string) { p.lists.Drop(owner) }

// begin lets only one caller send a request until it is known whether the service offers such lists. The others wait
// until that caller calls end.
func (p *Objects[T]) begin() (end func()) {
	if p.support.Load() == supportUnknown {
		p.first.Lock()
		if p.support.Load() == supportUnknown {
			return p.first.Unlock
		}
		p.first.Unlock()
	}
	return func() {}
}

func (p *Objects[T]) get(ctx context.Context, owner string) (objectList[T], error) {
	if p.support.Load() == supportMissing {
		return objectList[T]{}, ErrNotListed
	}
	read := func(ctx context.Context) (objectList[T], error) { return p.request(ctx, owner) }
	list, err := p.lists.Get(ctx, owner, read)
	if err == nil {
		err = list.missing
	}
	switch {
	case err == nil:
		p.support.Store(supportOffered)
		return list, nil
	case assessapi.IsNoRoute(err) && p.GiveUp():
		return objectList[T]{}, ErrNotListed
	case !assessapi.IsNotFound(err):
		p.support.CompareAndSwap(supportUnknown, supportFailing)
	}
	return objectList[T]{}, err
}

// GiveUp switches to single reads for the rest of the run. It returns false if such a list has been read in this run.
func (p *Objects[T]) GiveUp() bool {
	p.support.CompareAndSwap(supportUnknown, supportMissing)
	p.support.CompareAndSwap(supportFailing, supportMissing)
	return p.support.Load() == supportMissing
}

// maxBarePasses is how often a list is read at most because an element that shows only its ID is gone.
const maxBarePasses = 3

// request reads a list. An element that shows only its ID is read by it. After a 404, it may have been removed
// meanwhile, or a gateway may not have the route, so that the list decides, read again.
func (p *Objects[T]) request(ctx context.Context, owner string) (objectList[T], error) {
	for pass := 1; ; pass++ {
		list, vanished, err := p.requestOnce(ctx, owner)
		switch {
		case err != nil || vanished == nil:
			return list, err
		case pass == maxBarePasses:
			return objectList[T]{}, p.api.Contradicts(owner, vanished)
		}
	}
}

// requestOnce also returns the 404 to the request for an element.
func (p *Objects[T]) requestOnce(ctx context.Context, owner string) (list objectList[T], vanished, err error) {
	written := p.written.on(owner) // later writes may or may not be in the list
	pages := p.api.Pages(owner)
	all, err := pages.All(ctx)
	if assessapi.IsNotFound(err) {
		return objectList[T]{missing: err}, nil, nil
	}
	if err != nil {
		return objectList[T]{}, nil, err
	}
	list = objectList[T]{all: make([]T, 0, len(all)), byID: make(map[string]T, len(all)), doubt: pages.Doubt()}
	for _, object := range all {
		id := p.api.ID(object)
		if !p.api.IsWhole(object) { // the service returned only a part of the element
			object, err = p.Read(ctx, owner, id)
			if assessapi.SaysNotFound(err) {
				return objectList[T]{}, err, nil
			}
			if err != nil {
				return objectList[T]{}, nil, err
			}
		} else {
			p.observe(object)
		}
		list.all = append(list.all, object)
		list.byID[id] = object
	}
	now := p.written.on(owner)
	for id, exists := range written {
		if _, listed := list.byID[id]; listed != exists && now[id] == exists && list.doubt == nil {
			list.doubt = assessapi.ErrCached
			p.client.NoteCached()
		}
	}
	return list, nil, nil
}

// Find returns an object. If the list of its owner does not contain it, it is
// requested by its id. Only a 404 to that request means that it does not exist.
func (p *Objects[T]) Find(ctx context.Context, owner, id string) (object T, err error) {
	defer p.begin()()
	list, err := p.get(ctx, owner)
	notFound := assessapi.IsNotFound(err)
	if err != nil && !notFound && !errors.Is(err, ErrNotListed) {
		return object, err
	}
	if object, ok := list.byID[id]; ok {
		return object, nil
	}
	object, err = p.Read(ctx, owner, id)
	if err == nil && notFound {
		p.GiveUp() // the owner exists, but its list does not
	}
	return object, err
}

// ReadOrList requests one object for a decision that an answer from a cache must not make: a doubtful answer is the
// error [assessapi.ErrCached] or [assessapi.ErrForeign]. If the service does not offer such a request, the list of the
// owner, read again, shows the object (assumption A7). If it does not, or there is no list, the error is that of the
// first request.
func (p *Objects[T]) ReadOrList(ctx context.Context, owner, id string) (T, error) {
	object, doubt, err := p.readNow(ctx, owner, id)
	if !assessapi.IsNotFound(err) && !assessapi.IsNoRoute(err) {
		return object, cmp.Or(err, doubt)
	}
	all, failed := p.Recent(ctx, owner)
	i := slices.IndexFunc(all, func(listed T) bool { return p.api.ID(listed) == id })
	switch {
	case failed != nil && !assessapi.IsNotFound(failed) && !errors.Is(failed, ErrNotListed):
		return object, failed
	case failed != nil || i < 0:
		return object, err
	}
	return all[i], nil
}

// Offered reports whether such a list could be read in this run.
func (p *Objects[T]) Offered() bool { return p.support.Load() == supportOffered }

// Read requests one object without the cache.
func (p *Objects[T]) Read(ctx context.Context, owner, id string) (T, error) {
	object, _, err := p.readNow(ctx, owner, id)
	return object, err
}

func (p *Objects[T]) readNow(ctx context.Context, owner, id string) (object T, doubt, err error) {
	object, doubt, err = p.api.ReadNow(ctx, owner, id)
	switch {
	case err == nil:
		p.shownIDs.set(owner, id, true)
		p.observe(object)
	case assessapi.SaysNotFound(err):
		p.shownIDs.set(owner, id, false)
	}
	return object, doubt, err
}
