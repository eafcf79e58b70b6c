// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A store that takes long for each answer makes a run slow, but the run ends. A late slot
// is used as long as it has not expired.
func TestStoreIsSlow(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{1010 * time.Millisecond, 3 * time.Second, 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{roundTrip: trip}
			store := delayed(delay)
			took := apply(t, New(Config{Next: s, Windows: windowsOf, Store: store, MaxInFlight: 35 * time.Second}), "/", 40, 10)
			s.check(t, 40)
			if took > 80*delay {
				t.Errorf("with %v for each answer, 40 requests took %v", delay, took)
			}
		})
	}
}

// If the store does not answer, or answers so late that every slot has expired, the
// timeout bounds the wait of every request in the queue. The error says what happened.
func TestTimeoutBoundsTheStore(t *testing.T) {
	t.Parallel()
	for name, delay := range map[string]time.Duration{"never": time.Hour, "too late": 20 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &service{}
				store := delayed(delay)
				transport := New(Config{Next: s, Windows: windowsOf, Store: store, MaxInFlight: 32 * time.Second})
				start := time.Now()
				bounded, stop := context.WithTimeout(t.Context(), 30*time.Minute) // so that the test ends
				defer stop()
				var wg sync.WaitGroup
				for range 30 {
					wg.Go(func() {
						ctx, cancel := WithTimeout(bounded, 2*time.Minute)
						defer cancel()
						_, err := get(ctx, transport, "/")
						var waited *WaitError
						if !errors.As(err, &waited) || !errors.Is(err, ErrTimeout) {
							t.Errorf("error %v, want a WaitError because of %v", err, ErrTimeout)
						} else if waited.Waited > 0 && !strings.Contains(err.Error(), "the shared budget did not answer") {
							t.Errorf("error %v, want the reason", err)
						}
					})
				}
				wg.Wait()
				// Of each answer that is too late, four of twenty seconds do not count.
				if took := time.Since(start); took > 2*time.Minute*20/16+4*time.Second {
					t.Errorf("the last request failed after %v, want about two minutes", took)
				}
				s.check(t, 0)
			})
		})
	}
}

// unsent is an error of a request that did not reach the service.
type unsent struct{ error }

func (unsent) Unsent() bool { return true }

// A request that did not reach the service takes no slot.
func TestUnsentTakesNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := &service{}, NewMemory()
		fails := roundTripper(func(*http.Request) (*http.Response, error) { return nil, unsent{errReset} })
		transport := New(Config{Next: fails, Windows: windowsOf, Store: store})
		for range 30 {
			if _, err := get(t.Context(), transport, "/"); !errors.As(err, new(unsent)) {
				t.Errorf("error %v, want that of the request", err)
			}
		}
		if took := apply(t, New(Config{Next: s, Windows: windowsOf, Store: store}), "/", 20, 20); took != 0 {
			t.Errorf("20 requests took %v afterwards, want none to wait", took)
		}
	})
}
