// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrTimeout is the cause (context.Cause) of a context whose WithTimeout has expired.
var ErrTimeout = errors.New("timed out, not counting the wait for the shared budget")

// WithTimeout returns a context that ends after d. While at least one request with this
// context, or with one derived from it, waits for the shared budget, the time does not
// run. Waiting after a 429 counts.
//
// When the time is over, Err is context.DeadlineExceeded and context.Cause is
// ErrTimeout. Deadline returns the parent's deadline, because the deadline of this
// context moves.
func WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(parent)
	t := &timeout{Context: inner, cancel: cancel, done: make(chan struct{}), left: d, since: time.Now()}
	t.outer = timeoutOf(parent)

	t.mu.Lock() // a timer that fires immediately must find t.timer set
	t.timer = time.AfterFunc(d, t.expire)
	t.mu.Unlock()
	stop := context.AfterFunc(parent, func() { t.end(parent.Err(), context.Cause(parent)) })
	return t, func() {
		stop()
		t.end(context.Canceled, context.Canceled)
	}
}

// PauseTimeout pauses the WithTimeout of the context until resume is called. Stores use
// it while they wait for their server.
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

// timeout is a context with a deadline that can be paused. The inner context carries
// the cause. done is a separate channel, so that derived contexts also take Err from
// this type.
type timeout struct {
	context.Context
	cancel context.CancelCauseFunc
	outer  *timeout
	done   chan struct{}

	mu     sync.Mutex
	err    error
	timer  *time.Timer
	left   time.Duration // time left when it last started to run
	since  time.Time     // when it last started to run
	paused int           // how many requests pause it
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

// AfterFunc saves derived contexts a goroutine (see context.AfterFunc). They call Err
// in f and expect an error. The inner context may end with its parent before t has
// recorded why, so f waits for done.
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
	if over { // otherwise it was paused while the timer fired
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

// pause pauses this timeout and all timeouts around it, until resume has been called as
// many times. Both methods accept nil.
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
