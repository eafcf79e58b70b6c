// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"sync/atomic"
)

// breaker ends a run: nothing more is sent after the service has rejected the credentials, or after a call has failed
// until its time was over while no request succeeded. So all calls together wait once for an outage, and the run
// reports it once.
type breaker struct {
	ended     context.Context // ends with the run, and its cause is the error that has ended the run
	end       context.CancelCauseFunc
	successes atomic.Int64 // how many requests the service has answered
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

// bind returns a context that ends with the run as well.
func (b *breaker) bind(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(b.ended, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}
