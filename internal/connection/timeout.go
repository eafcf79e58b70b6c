// SPDX-License-Identifier: MPL-2.0

package connection

import (
	"context"
	"sync"
	"time"
)

// ErrTimeout is the cause (context.Cause) of a context whose WithTimeout has expired. Like
// context.DeadlineExceeded, it has a method Timeout.
var ErrTimeout error = timeoutError{}

type timeoutError struct{}

func (timeoutError) Error() string { return "timed out, not counting the wait for the shared budget" }

func (timeoutError) Timeout() bool { return true }

// WithTimeout returns a context that is canceled after d, with the cause ErrTimeout. The
// time during which a request with this context, or with one derived from it, waits for a
// slot does not count, except after a 429.
func WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	t := &timeout{left: d, since: time.Now()}
	t.outer, _ = parent.Value(timeoutKey{}).(*timeout)
	t.timer = time.AfterFunc(d, func() { cancel(ErrTimeout) })
	return context.WithValue(ctx, timeoutKey{}, t), func() {
		t.timer.Stop()
		cancel(context.Canceled)
	}
}

type timeoutKey struct{}

// timeout counts the time that is left of a WithTimeout.
type timeout struct {
	outer *timeout
	timer *time.Timer

	mu      sync.Mutex
	left    time.Duration // when it last started to count
	since   time.Time     // when that was
	waiting int           // requests that wait for a slot
}

// pauseTimeout stops counting for the timeouts of a context, until resume is called.
func pauseTimeout(ctx context.Context) (resume func()) {
	first, _ := ctx.Value(timeoutKey{}).(*timeout)
	for t := first; t != nil; t = t.outer {
		t.mu.Lock()
		if t.waiting++; t.waiting == 1 && t.timer.Stop() {
			t.left -= time.Since(t.since)
		}
		t.mu.Unlock()
	}
	return func() {
		for t := first; t != nil; t = t.outer {
			t.mu.Lock()
			if t.waiting--; t.waiting == 0 {
				t.since = time.Now()
				t.timer.Reset(t.left)
			}
			t.mu.Unlock()
		}
	}
}
