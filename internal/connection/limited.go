// SPDX-License-Identifier: MPL-2.0

package connection

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// limited sends each request when it has its slots in the rate limits. After a 429, it pauses all runs that share them.
type limited struct {
	limiter   *throttle.Limiter
	operation func(*http.Request) throttle.Operation
	onWait    func(ctx context.Context, waited time.Duration, window string)
	next      http.RoundTripper

	mu    sync.Mutex
	holds map[int]*hold // by the number of windows of the operation
}

// hold is the pause after the last 429.
type hold struct {
	until time.Time
	last  time.Duration
}

// RoundTrip implements [http.RoundTripper].
func (l *limited) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, op, start := req.Context(), l.operation(req), time.Now()
	resume := func() {}
	if !l.isHeld(op) { // only the wait for a slot does not count for the timeout
		resume = pauseTimeout(ctx)
	}
	release, err := l.limiter.Acquire(ctx, op)
	resume()
	if waited := time.Since(start); waited > 0 && l.onWait != nil {
		l.onWait(ctx, waited, l.limiter.Stats().Window.Name)
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as required of a RoundTripper
		}
		return nil, &WaitError{Cause: err, Waited: time.Since(start)}
	}
	resp, err := l.next.RoundTrip(req)
	release(l.holdAfter(op, resp))
	return resp, err
}

func (l *limited) isHeld(op throttle.Operation) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.holds[len(op)]
	return h != nil && time.Now().Before(h.until)
}

// holdAfter returns how long all runs pause after a response (assumption A14). The attempt has converted dates.
func (l *limited) holdAfter(op throttle.Operation, resp *http.Response) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if resp == nil || resp.StatusCode != http.StatusTooManyRequests {
		delete(l.holds, len(op))
		return 0
	}
	if l.holds == nil {
		l.holds = map[int]*hold{}
	}
	h := l.holds[len(op)]
	if h == nil {
		h = &hold{last: time.Second / 2}
		l.holds[len(op)] = h
	}
	h.last = min(2*h.last, time.Minute)
	pause := h.last
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		pause = min(time.Duration(seconds)*time.Second, throttle.LongestHold)
	}
	h.until = time.Now().Add(pause)
	return pause
}

// WaitError means that a request was given up while it waited for the rate limits, and was not sent.
type WaitError struct {
	Cause  error
	Waited time.Duration
}

func (e *WaitError) Error() string {
	if waited := e.Waited.Round(time.Millisecond); waited > 0 {
		return fmt.Sprintf("not sent after waiting %s for the rate limits: %v", waited, e.Cause)
	}
	return fmt.Sprintf("not sent: %v", e.Cause)
}

// Unwrap returns the cause.
func (e *WaitError) Unwrap() error { return e.Cause }

// Permanent reports whether another attempt would fail in the same way.
func (e *WaitError) Permanent() bool { return e.EndsRun() }

// EndsRun reports whether all later requests fail in the same way.
func (e *WaitError) EndsRun() bool { return errors.As(e.Cause, new(*throttle.UnavailableError)) }
