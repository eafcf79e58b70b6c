// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrTimeout is the cause (context.Cause) of a context whose WithTimeout is
// over.
var ErrTimeout = errors.New("timed out, not counting the wait for the shared budget")

// WithTimeout returns a context that ends d after now, not counting the time
// that requests made with it, or with a context derived from it, spent waiting
// for the shared budget: while at least one of them does, the time stands still.
// Waiting after a 429 counts.
//
// When the time is over Err is context.DeadlineExceeded and context.Cause is
// ErrTimeout. Deadline reports the parent's deadline, since this one moves.
func WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(parent)
	t := &timeout{Context: inner, cancel: cancel, done: make(chan struct{}), left: d, since: time.Now()}
	t.outer = timeoutOf(parent)

	t.mu.Lock() // a timer that fires at once must find itself in place
	t.timer = time.AfterFunc(d, t.expire)
	t.mu.Unlock()
	stop := context.AfterFunc(parent, func() { t.end(parent.Err(), context.Cause(parent)) })
	return t, func() {
		stop()
		t.end(context.Canceled, context.Canceled)
	}
}

// PauseTimeout lets the time of the context's WithTimeout stand still until resume
// is called: for stores that wait for their server.
func PauseTimeout(ctx context.Context) (resume func()) {
	t := timeoutOf(ctx)
	t.pause()
	return t.resume
}

type timeoutKey struct{}

// timeoutOf returns the WithTimeout that the context is or derives from, or nil.
func timeoutOf(ctx context.Context) *timeout {
	t, _ := ctx.Value(timeoutKey{}).(*timeout)
	return t
}

// timeout is a context with a deadline that can stand still. Its inner context
// carries the cause; done is a channel of its own, so that contexts derived from
// it take over Err as well.
type timeout struct {
	context.Context
	cancel context.CancelCauseFunc
	outer  *timeout
	done   chan struct{}

	mu     sync.Mutex
	err    error
	timer  *time.Timer
	left   time.Duration // when it last started to run
	since  time.Time     // when that was
	paused int           // how many requests hold it
}

// Done implements context.Context.
func (t *timeout) Done() <-chan struct{} { return t.done }

// Err implements context.Context.
func (t *timeout) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Value implements context.Context.
func (t *timeout) Value(key any) any {
	if key == (timeoutKey{}) {
		return t
	}
	return t.Context.Value(key)
}

// AfterFunc spares derived contexts a goroutine (see context.AfterFunc). They
// ask for Err and cannot do without an answer, while the inner context may end
// with its parent a moment before t knows why.
func (t *timeout) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(t.Context, func() {
		<-t.done
		f()
	})
}

func (t *timeout) expire() {
	t.mu.Lock()
	over := t.paused == 0 && time.Since(t.since) >= t.left
	t.mu.Unlock()
	if over { // else it was paused while the timer fired
		t.end(context.DeadlineExceeded, ErrTimeout)
	}
}

func (t *timeout) end(err, cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	t.timer.Stop()
	t.err = err
	t.cancel(cause)
	close(t.done)
}

// pause lets the time stand still, here and in all timeouts around it, until
// resume was called as often. Both accept nil.
func (t *timeout) pause() {
	for ; t != nil; t = t.outer {
		t.mu.Lock()
		if t.paused++; t.paused == 1 {
			t.timer.Stop()
			t.left -= time.Since(t.since)
		}
		t.mu.Unlock()
	}
}

func (t *timeout) resume() {
	for ; t != nil; t = t.outer {
		t.mu.Lock()
		if t.paused--; t.paused == 0 {
			t.since = time.Now()
			if t.err == nil {
				t.timer.Reset(t.left)
			}
		}
		t.mu.Unlock()
	}
}
