// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"sync/atomic"
)

// breaker ends a run, after which nothing more is sent. The run ends if the service rejects the credentials, if a call
// has no time left and no request has succeeded meanwhile, or if Acquire fails. So during an outage, all calls wait at
// the same time, and the run reports the outage once.
type breaker struct {
	ended     context.Context // ends with the run, and its cause is the error that has ended the run
	end       context.CancelCauseFunc
	successes atomic.Int64 // how many responses were a success (see isSuccess)
}

func newBreaker() *breaker {
	b := &breaker{}
	b.ended, b.end = context.WithCancelCause(context.Background())
	return b
}

// first returns the error that has ended the run, or nil.
func (b *breaker) first() *Error {
	e, _ := errors.AsType[*Error](context.Cause(b.ended))
	return e
}

// open ends the run with an error, unless another error has ended it before. It returns the error that has ended it.
func (b *breaker) open(e *Error) *Error {
	b.end(e)
	return b.first()
}

// onEnd calls f when the run ends, unless stop is called before.
func (b *breaker) onEnd(f func()) (stop func() bool) { return context.AfterFunc(b.ended, f) }
