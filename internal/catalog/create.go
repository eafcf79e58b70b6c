// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
)

// Doubt is why it is unknown what a lost response did.
type Doubt int

// Reasons of an [UnresolvedError].
const (
	Interrupted Doubt = iota // the run was interrupted
	ListFailed               // the objects of the owner could not be listed (Err)
	NotListed                // the service does not list the objects of an owner
	NotShown                 // the service does not show how an object (IDs) is configured
	Several                  // several match (IDs)
	Vanished                 // the service has confirmed the request, but the owner has no match
)

// UnresolvedError means that a response was lost, and that it is unknown whether the object was
// created. The request was not sent again.
type UnresolvedError struct {
	Lost  *assessapi.LostError
	Doubt Doubt
	IDs   []string // of objects
	Err   error    // of the request that should have found out
}

func (e *UnresolvedError) Error() string { return "it is unknown whether the object was created" }

// Unwrap returns the error that arrived instead of a response.
func (e *UnresolvedError) Unwrap() error { return e.Lost }

// Create sends a request that creates an object. If a response is lost, it compares what the owner then has with the
// request, except for other objects, which existed before or belong to another request. If other is nil, only one
// creation of an owner runs at a time, each with its own retry timeout, and reads first what exists, so that it cannot
// take the object of another one. If nothing is alike, it sends the request again, until the retry timeout is over, or
// until an outage has lasted for too long. If it cannot tell, it returns an [UnresolvedError].
//
// lost is the error that arrived instead of a response, if the object was found.
func (p *Objects[T]) Create(
	ctx context.Context, retryTimeout time.Duration, owner string, wanted T, other func(id string) bool,
) (created T, lost *assessapi.LostError, err error) {
	if other == nil {
		defer p.lockOwner(owner)()
		before, err := p.Trusted(ctx, owner)
		if err != nil && !errors.Is(err, ErrNotListed) {
			return created, nil, err
		}
		other = func(id string) bool {
			return slices.ContainsFunc(before, func(t T) bool { return p.api.ID(t) == id })
		}
	}
	start := time.Now()
	like := func(ctx context.Context, got T) assessapi.Likeness {
		if other(p.api.ID(got)) {
			return assessapi.Unlike
		}
		return p.compare(ctx, wanted, got)
	}
	limit, cancel := connection.WithTimeout(ctx, retryTimeout)
	defer cancel()
	// Recovery may outlive the retry timeout: it must finish, or the result stays unknown.
	// It ends when the run is interrupted.
	recovery, stop := context.WithCancel(context.WithoutCancel(limit))
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	for attempts := 1; ; attempts++ {
		if created, err = p.api.Create(limit, owner, wanted); err == nil {
			p.Wrote(owner, p.api.ID(created), true)
		}
		p.Drop(owner)
		if !errors.As(err, &lost) {
			return created, nil, err
		}
		found, err := p.recoverLost(recovery, owner, lost, attempts, like)
		switch {
		case found != nil:
			p.Wrote(owner, p.api.ID(*found), true)
			p.api.Recovered()
			return *found, lost, nil
		case lost.Refused && err == nil, errors.As(err, new(*UnresolvedError)) && lost.Believes():
			return created, nil, lost.Err // it is a refusal after all
		case err != nil:
			return created, lost, err
		case limit.Err() != nil, lost.Vain:
			return created, lost, lost.InTotal(attempts, time.Since(start))
		}
	}
}

// lockOwner waits for the other creations of an owner, and returns what lets the next one begin.
func (p *Objects[T]) lockOwner(owner string) (unlock func()) {
	stored, _ := p.creations.LoadOrStore(owner, newLock())
	l, _ := stored.(lock)
	l.Lock()
	return l.Unlock
}

// recoverLost finds out what a lost response did. It searches several times, because the effect may come late. A
// list from a cache proves nothing, so only the last search decides. A nil result without an error means that there was
// no effect.
func (p *Objects[T]) recoverLost(
	ctx context.Context, owner string, lost *assessapi.LostError, attempts int,
	like func(context.Context, T) assessapi.Likeness,
) (found *T, err error) {
	for look := 1; ; look++ {
		found, err = p.search(ctx, owner, lost, like)
		var unresolved *UnresolvedError
		waits := err == nil || errors.As(err, &unresolved) && errors.Is(unresolved.Err, assessapi.ErrCached)
		if found != nil || !waits || look == lost.Looks() {
			break
		}
		if lost.Settle(ctx, attempts) != nil {
			return nil, &UnresolvedError{Lost: lost, Doubt: Interrupted}
		}
	}
	if err == nil && found == nil && lost.Accepted {
		err = &UnresolvedError{Lost: lost, Doubt: Vanished}
	}
	return found, err
}

// search reads the list of an owner again, and returns the object that is like the request.
func (p *Objects[T]) search(
	ctx context.Context, owner string, lost *assessapi.LostError, like func(context.Context, T) assessapi.Likeness,
) (found *T, err error) {
	all, err := p.Recent(ctx, owner)
	switch {
	case ctx.Err() != nil:
		return nil, &UnresolvedError{Lost: lost, Doubt: Interrupted}
	case errors.Is(err, ErrNotListed):
		return nil, &UnresolvedError{Lost: lost, Doubt: NotListed}
	case err != nil:
		return nil, &UnresolvedError{Lost: lost, Doubt: ListFailed, Err: err}
	}
	var ids []string
	for _, object := range all {
		switch like(ctx, object) {
		case assessapi.Unlike:
		case assessapi.Unclear:
			return nil, &UnresolvedError{Lost: lost, Doubt: NotShown, IDs: []string{p.api.ID(object)}}
		case assessapi.Alike:
			found, ids = &object, append(ids, p.api.ID(object))
		}
	}
	if len(ids) > 1 {
		return nil, &UnresolvedError{Lost: lost, Doubt: Several, IDs: ids}
	}
	return found, nil
}
