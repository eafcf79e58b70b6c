// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
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

// CreateOnce sends a request that creates an object. If a response is lost, search looks for the
// object. If there is none, CreateOnce sends the request again, until the retry timeout is over.
// If search cannot tell, it returns an [UnresolvedError].
//
// lost is the error that arrived instead of a response, if search has found the object.
func CreateOnce[T any](
	ctx context.Context, retryTimeout time.Duration, send func(context.Context) (T, error),
	search func(context.Context, *assessapi.LostError) (*T, error),
) (created T, lost *assessapi.LostError, err error) {
	start := time.Now()
	limit, cancel := throttle.WithTimeout(ctx, retryTimeout)
	defer cancel()
	// Recovery may outlive the retry timeout: it must finish, or the result stays unknown.
	// It ends when the run is interrupted.
	recovery, stop := context.WithCancel(context.WithoutCancel(limit))
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	for attempts := 1; ; attempts++ {
		created, err = send(limit)
		if !errors.As(err, &lost) {
			return created, nil, err
		}
		found, err := recoverCreated(recovery, lost, attempts, search)
		switch {
		case found != nil:
			return *found, lost, nil
		case lost.Refused && err == nil, errors.As(err, new(*UnresolvedError)) && lost.Believes():
			return created, nil, lost.Err // it is a refusal after all
		case err != nil:
			return created, lost, err
		case limit.Err() != nil:
			return created, lost, lost.InTotal(attempts, time.Since(start))
		}
	}
}

// recoverCreated finds out what a lost response did. It searches several times, because the effect may come late. A
// list from a cache proves nothing, so only the last search decides. A nil result without an error means that there was
// no effect.
func recoverCreated[T any](
	ctx context.Context, lost *assessapi.LostError, attempts int,
	search func(context.Context, *assessapi.LostError) (*T, error),
) (found *T, err error) {
	for look := 1; ; look++ {
		found, err = search(ctx, lost)
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
