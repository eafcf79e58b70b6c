// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"sync"
)

// breaker ends a run: nothing more is sent after the service has rejected the credentials, or after a call has failed
// until its time was over while no request succeeded. So an outage is waited for once, by all calls together, and
// the run reports it once.
type breaker struct {
	ended context.Context // ends with the run
	end   context.CancelFunc

	mu        sync.Mutex
	successes int
	cause     *Error // what has ended the run
}

func newBreaker() *breaker {
	b := &breaker{}
	b.ended, b.end = context.WithCancel(context.Background())
	return b
}

// succeed notes that the service has answered a request.
func (b *breaker) succeed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.successes++
}

// count returns how many requests have succeeded.
func (b *breaker) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.successes
}

// first returns the error that has ended the run, or nil.
func (b *breaker) first() *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cause
}

// open ends the run with an error, unless another error has ended it before. It returns the error that has ended it.
func (b *breaker) open(e *Error) *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cause == nil {
		b.cause = e
		b.end()
	}
	return b.cause
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
