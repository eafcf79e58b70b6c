// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// endsAfter returns how long the context takes to end.
func endsAfter(t *testing.T, ctx context.Context) time.Duration {
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
		expired, cancelExpired := throttle.WithTimeout(parent, 3*time.Second)
		derived, cancelDerived := context.WithCancel(expired)
		defer cancelDerived()
		if took := endsAfter(t, derived); took != 3*time.Second {
			t.Errorf("ended after %v, want 3s", took)
		}
		cancelExpired() // changes nothing
		none, cancelNone := throttle.WithTimeout(parent, -time.Second)
		defer cancelNone()
		canceled, cancel := throttle.WithTimeout(parent, time.Minute)
		cancel()
		ended, cancelEnded := throttle.WithTimeout(parent, time.Minute)
		defer cancelEnded()
		time.Sleep(time.Second)
		interrupt(interrupted)
		for ctx, want := range map[context.Context]error{
			expired: throttle.ErrTimeout, derived: throttle.ErrTimeout, none: throttle.ErrTimeout, canceled: context.Canceled,
			ended: interrupted,
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
		s := &throttletest.Service{Trip: trip}
		transport := s.Transport(throttle.Config{})
		throttletest.Apply(t, transport, "/", 500, 500)
		outer, cancelOuter := throttle.WithTimeout(t.Context(), 2*time.Second)
		defer cancelOuter()
		inner, cancelInner := throttle.WithTimeout(outer, time.Second)
		defer cancelInner()
		ctx, cancel := context.WithCancel(inner)
		defer cancel()
		for range 3 {
			go func() {
				if _, err := throttletest.Get(ctx, transport, "/"); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		if n := transport.Stats().Waiting; n != 3 {
			t.Fatalf("%d wait, want 3", n)
		}
		if took := endsAfter(t, inner); took < 30*time.Second {
			t.Errorf("ended after %v, want the wait for the minute's window and a second", took)
		}
		if took := endsAfter(t, outer); took != time.Second {
			t.Errorf("the outer one ended %v after the inner one, want 1s", took)
		}
		s.Check(t, 503)
	})
}

// The time after a 429 counts for the front and for requests behind it, also if the 429
// arrives while they wait for the budget. The error contains the 429, even if another request
// received it.
func TestTimeoutCountsTheHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		transport := refuses(trip, 21, 200, "60").Transport(throttle.Config{})
		begin := time.Now()
		throttletest.Apply(t, transport, "/", 20, 20)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				ctx, cancel := throttle.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				err, waited := untilAnswered(ctx, transport, "/"), new(throttle.WaitError)
				if !errors.Is(err, throttle.ErrTimeout) || !errors.As(err, &waited) || !waited.Held || waited.Permanent() ||
					!strings.Contains(err.Error(), "429 Too Many Requests") {
					t.Errorf("error %v, want %v because of the 429", err, throttle.ErrTimeout)
				}
			})
		}
		wg.Wait()
		// A second for the budget, then 5s after the 429.
		if took := time.Since(begin); took < 6*time.Second || took > 7*time.Second+200*time.Millisecond {
			t.Errorf("all requests had given up after %v, want 6 to 7s", took)
		}
	})
}

// If the store does not answer, or answers so late that every slot has expired, the
// timeout bounds the wait of every request in the queue. The error says what happened.
func TestTimeoutBoundsTheStore(t *testing.T) {
	t.Parallel()
	for name, delay := range map[string]time.Duration{"never": time.Hour, "too late": 20 * time.Second} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			s := &throttletest.Service{}
			transport := s.Transport(throttle.Config{Store: delayed(delay), MaxInFlight: 32 * time.Second})
			start := time.Now()
			bounded, stop := context.WithTimeout(t.Context(), 30*time.Minute) // so that the test ends
			defer stop()
			var wg sync.WaitGroup
			for range 30 {
				wg.Go(func() {
					ctx, cancel := throttle.WithTimeout(bounded, 2*time.Minute)
					defer cancel()
					_, err := throttletest.Get(ctx, transport, "/")
					if waited := new(throttle.WaitError); !errors.Is(err, throttle.ErrTimeout) || !errors.As(err, &waited) ||
						waited.Waited > 0 && !strings.Contains(err.Error(), "the shared budget did not answer") {
						t.Errorf("error %v, want a WaitError because of %v, with the reason", err, throttle.ErrTimeout)
					}
				})
			}
			wg.Wait()
			// Of each answer that is too late, four of twenty seconds do not count.
			if took := time.Since(start); took > 2*time.Minute*20/16+4*time.Second {
				t.Errorf("the last request failed after %v, want about two minutes", took)
			}
			s.Check(t, 0)
		})
	}
}
