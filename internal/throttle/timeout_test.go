// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// after returns how long the context takes to end.
func after(t *testing.T, ctx context.Context) time.Duration {
	t.Helper()
	start := time.Now()
	<-ctx.Done()
	return time.Since(start)
}

// Without a wait, it is an ordinary timeout, also for derived contexts. It also ends when its
// parent ends and when it is canceled.
func TestTimeoutEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		interrupted := errors.New("interrupted")
		parent, interrupt := context.WithCancelCause(t.Context())
		expired, cancelExpired := WithTimeout(parent, 3*time.Second)
		derived, cancelDerived := context.WithCancel(expired)
		defer cancelDerived()
		if took := after(t, derived); took != 3*time.Second {
			t.Errorf("ended after %v, want 3s", took)
		}
		cancelExpired() // changes nothing
		none, cancelNone := WithTimeout(parent, -time.Second)
		defer cancelNone()
		canceled, cancel := WithTimeout(parent, time.Minute)
		cancel()
		ended, cancelEnded := WithTimeout(parent, time.Minute)
		defer cancelEnded()
		time.Sleep(time.Second)
		interrupt(interrupted)
		for ctx, want := range map[context.Context]error{
			expired: ErrTimeout, derived: ErrTimeout, none: ErrTimeout, canceled: context.Canceled, ended: interrupted,
		} {
			<-ctx.Done()
			if ctx.Err() != context.Canceled || !errors.Is(context.Cause(ctx), want) {
				t.Errorf("error %v, cause %v, want %v", ctx.Err(), context.Cause(ctx), want)
			}
		}
	})
}

// The wait for the shared budget does not count, and the wait after a 429 does. This
// applies to all timeouts around the request. If several requests wait, their time
// counts only once.
func TestTimeoutExcludesTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{roundTrip: trip}
		transport := New(Config{Next: s, Windows: windowsOf})
		apply(t, transport, "/", 500, 500)
		outer, cancelOuter := WithTimeout(t.Context(), 2*time.Second)
		defer cancelOuter()
		inner, cancelInner := WithTimeout(outer, time.Second)
		defer cancelInner()
		ctx, cancel := context.WithCancel(inner)
		defer cancel()
		for range 3 {
			go func() {
				if status, err := get(ctx, transport, "/"); status != http.StatusOK {
					t.Errorf("status %d, error %v", status, err)
				}
			}()
		}
		synctest.Wait()
		if n := transport.Stats().Waiting; n != 3 {
			t.Fatalf("%d wait, want 3", n)
		}
		if took, least := after(t, inner), 30*time.Second; took < least {
			t.Errorf("ended after %v, want the wait for the minute's window and a second", took)
		}
		if took := after(t, outer); took != time.Second {
			t.Errorf("the outer one ended %v after the inner one, want 1s", took)
		}
		s.check(t, 503)
	})
}

// The time after a 429 counts for the front and for requests behind it, also if the 429
// arrives while they wait for the budget. The error contains the 429, even if another request
// received it.
func TestTimeoutCountsTheHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{roundTrip: trip, answer: func(n int) *response {
			if n <= 20 {
				return nil
			}
			return &response{status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {"60"}}}
		}}
		transport := New(Config{Next: s, Windows: windowsOf})
		begin := time.Now()
		apply(t, transport, "/", 20, 20)
		for range 100 {
			go func() {
				ctx, cancel := WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				for { // like the retry layer
					status, err := get(ctx, transport, "/")
					if status == http.StatusTooManyRequests {
						continue
					}
					var waited *WaitError
					if !errors.Is(err, ErrTimeout) || !errors.As(err, &waited) || !waited.Held || waited.Permanent() ||
						!strings.Contains(err.Error(), "429 Too Many Requests") {
						t.Errorf("status %d, error %v, want %v because of the 429", status, err, ErrTimeout)
					}
					return
				}
			}()
		}
		time.Sleep(100 * time.Millisecond)
		for transport.Stats().Waiting > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		// A second for the budget, then 5s after the 429.
		if took := time.Since(begin); took < 6*time.Second || took > 7*time.Second+200*time.Millisecond {
			t.Errorf("all requests had given up after %v, want 6 to 7s", took)
		}
	})
}
