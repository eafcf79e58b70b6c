// SPDX-License-Identifier: MPL-2.0

package engine

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
	ChecksOff   Doubt = iota // nothing is known about the position before the request
	Interrupted              // the run was interrupted
	ListFailed               // the assessments of the position could not be listed (Err)
	NotListed                // the service does not list the assessments of a position
	NotShown                 // the service does not show how a position assessment (IDs) is configured
	TakenBefore              // the only match (IDs) belongs to another resource
	Several                  // several match (IDs)
	Vanished                 // the service has confirmed the request, but the position has no match
)

// UnresolvedError means that a response was lost, and that it is unknown whether the object was
// created. The request was not sent again.
type UnresolvedError struct {
	Lost  *assessapi.LostError
	Doubt Doubt
	IDs   []string // of position assessments
	Err   error    // of the request that should have found out
}

func (e *UnresolvedError) Error() string { return "it is unknown whether the object was created" }

// Unwrap returns the error that arrived instead of a response.
func (e *UnresolvedError) Unwrap() error { return e.Lost }

// createOnce sends a request that creates an object. If a response is lost, search looks for the
// object. If there is none, createOnce sends the request again, until the retry timeout is over.
// If search cannot tell, it returns an [UnresolvedError].
//
// lost is the error that arrived instead of a response, if search has found the object.
func createOnce[T any](
	ctx context.Context, r *run, send func(context.Context) (T, error),
	search func(context.Context, *assessapi.LostError) (*T, error),
) (created T, lost *assessapi.LostError, err error) {
	start := time.Now()
	limit, cancel := throttle.WithTimeout(ctx, r.cfg.RetryTimeout)
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
			return created, lost, inTotal(lost.Err, attempts, time.Since(start))
		}
	}
}

// recoverCreated finds out what a lost response did. It searches several times, because the effect may
// come late. A list that comes from a cache says nothing, so that only the last search decides. A nil result
// without an error means that there was no effect.
func recoverCreated[T any](
	ctx context.Context, lost *assessapi.LostError, attempts int,
	search func(context.Context, *assessapi.LostError) (*T, error),
) (found *T, err error) {
	for look := 1; ; look++ {
		found, err = search(ctx, lost)
		waits := err == nil || errors.Is(unresolvedCause(err), assessapi.ErrCached)
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

// unresolvedCause returns why it could not be found out what a lost response did, or nil.
func unresolvedCause(err error) error {
	var unresolved *UnresolvedError
	if errors.As(err, &unresolved) {
		return unresolved.Err
	}
	return nil
}

// inTotal adds to the last error how often the request was sent, and how long that took.
func inTotal(err error, attempts int, elapsed time.Duration) error {
	var (
		refused *assessapi.Error
		call    *assessapi.CallError
	)
	switch {
	case errors.As(err, &refused):
		refused.Attempts, refused.Elapsed = attempts, elapsed
	case errors.As(err, &call):
		call.Attempts, call.Elapsed = attempts, elapsed
	}
	return err
}
