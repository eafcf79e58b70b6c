// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// hookedStore is a store that calls a function after each answer, and fails if that fails.
type hookedStore struct {
	throttle.Store
	after func(ctx context.Context) error
}

func (s hookedStore) Acquire(ctx context.Context, ask throttle.Ask) (throttle.Decision, error) {
	decision, err := s.Store.Acquire(ctx, ask)
	if failure := s.after(ctx); failure != nil {
		return throttle.Decision{}, failure
	}
	return decision, err
}

// delayed is a store whose answers arrive late, or never.
func delayed(by time.Duration) throttle.Store {
	return hookedStore{throttle.NewMemory(), func(ctx context.Context) error {
		if throttletest.Pause(ctx, by) != nil {
			return context.Cause(ctx)
		}
		return nil
	}}
}

// The closeness to the floor: at most 1.02 of it up to 500 requests, and 1.06 beyond. The
// reserve for other runs must cost a single run no more than that. Round trips that vary cost
// little more.
func TestFloor(t *testing.T) {
	t.Parallel()
	check := func(trip time.Duration, jitter float64, n, callers int, most float64) {
		throttletest.Virtual(t, fmt.Sprintf("trip=%v,jitter=%v,n=%d,callers=%d", trip, jitter, n, callers), func(t *testing.T) {
			s := &throttletest.Service{Trip: trip, Jitter: jitter}
			took := throttletest.Apply(t, s.Transport(throttle.Config{}), "/positions", n, callers)
			s.Check(t, n)
			part := float64(took) / float64(throttletest.Floor(n, trip))
			if t.Logf("%v, %.3f of the floor", took, part); part < 1 || part > most {
				t.Errorf("%.3f of the floor, want between 1 and %v", part, most)
			}
		})
	}
	check(trip, 0.5, 1000, 10, 1.08)
	check(trip, 0, 5000, 10, 1.06)
	check(trip, 0, 5000, 5000, 1.06)
	for _, trip := range []time.Duration{0, 5, 50, 300, 2000} {
		for n, most := range map[int]float64{
			300: 1.02, 480: 1.02, 500: 1.02, 501: 1.06, 520: 1.06, 580: 1.06, 600: 1.06, 860: 1.06, 1000: 1.06, 1200: 1.06,
			1300: 1.06,
		} {
			check(trip*time.Millisecond, 0, n, n, most)
			if trip < 2000 { // otherwise ten callers cannot use up the limit
				check(trip*time.Millisecond, 0, n, 10, most)
			}
		}
	}
}

// Waiters are served in the order in which they came. Requests that give up are not
// sent and do not delay the others.
func TestQueueServesInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &throttletest.Service{Trip: trip}
		transport, cause := s.Transport(throttle.Config{}), errors.New("no longer wanted")
		var want, got []string
		var wg sync.WaitGroup
		for i := range 100 {
			path := fmt.Sprintf("/%d", i)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			impatient := i > 20 && i%3 == 0 // the first waiter (20) stays, and many behind it give up
			if impatient {
				time.AfterFunc(500*time.Millisecond, func() { cancel(cause) })
			} else {
				want = append(want, path)
			}
			wg.Go(func() {
				_, err := throttletest.Get(ctx, transport, path)
				if !impatient && err != nil {
					t.Errorf("request %s: %v", path, err)
				}
				if waited := new(throttle.WaitError); impatient && (!errors.As(err, &waited) || !errors.Is(err, cause) ||
					waited.Waited != 500*time.Millisecond || waited.Window != "20 a second") {
					t.Errorf("request %s: %v, want a wait of half a second for the second's window, until %v", path, err, cause)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		s.Check(t, len(want))
		for _, a := range s.Arrivals() {
			got = append(got, a.Path)
		}
		for from := 0; from < len(want); from += 20 { // which were sent at the same instant, in any order
			to := min(from+20, len(want), len(got))
			slices.Sort(want[from:to])
			slices.Sort(got[from:to])
		}
		if !slices.Equal(got, want) {
			t.Errorf("served in the order\n%v, want\n%v", got, want)
		}
	})
}

// If the second request gives up while the first one gets its slot, a later request does not
// wait for what the store said about the second one.
func TestSecondGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &throttletest.Service{Windows: []throttle.Window{{Name: "one", Limit: 1, Per: 10 * time.Second}}}
		transport := s.Transport(throttle.Config{Store: delayed(100 * time.Millisecond)})
		throttletest.Apply(t, transport, "/", 1, 1)
		go throttletest.Apply(t, transport, "/", 1, 1)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10150*time.Millisecond)
		defer cancel()
		if _, err := throttletest.Get(ctx, transport, "/"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want a timeout", err)
		}
		time.Sleep(time.Minute)
		if took := throttletest.Apply(t, transport, "/", 1, 1); took > 100*time.Millisecond {
			t.Errorf("a request took %v a minute later, want none to wait", took)
		}
		s.Check(t, 3)
	})
}

// The requests of a run stay within its share of each limit, and those of all runs within
// the limit.
func TestShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := &throttletest.Service{Trip: trip}, throttle.NewMemory()
		var wg sync.WaitGroup
		for share, perSecond := range map[float64]int{0.29: 5, 0.5: 10} {
			wg.Go(func() {
				n := 10 * perSecond
				took := throttletest.Apply(t, s.Transport(throttle.Config{Store: store, Share: share}), "/", n, n)
				if want := 9*(time.Second+trip) + trip; took.Round(time.Millisecond) != want {
					t.Errorf("share %v: %d requests took %v, want %v", share, n, took, want)
				}
			})
		}
		wg.Wait()
		s.Check(t, 150)
	})
}

// Without a shared store, runs whose share is less than one request stay within it on
// average. Three runs with a third of two requests per second do not send three per
// second.
func TestShareBelowOneRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &throttletest.Service{Windows: []throttle.Window{{Name: "two a second", Limit: 2, Per: time.Second}}}
		s.Answer = func(int, string) *throttletest.Response { return &throttletest.Response{Status: http.StatusOK} }
		start := time.Now()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { throttletest.Apply(t, s.Transport(throttle.Config{Share: 1.0 / 3}), "/", 10, 10) })
		}
		wg.Wait()
		if took := time.Since(start); took < 27*500*time.Millisecond {
			t.Errorf("30 requests took %v, want two a second at most", took)
		}
	})
}

// A request without a response is given up after MaxInFlight, and its slot is free a
// window later.
func TestMaxInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := throttle.NewMemory()
		silent := &throttletest.Service{Trip: time.Hour, Windows: throttletest.KeyWindows[:1]}
		transport := silent.Transport(throttle.Config{Store: store, MaxInFlight: 7 * time.Second})
		start := time.Now()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := throttletest.Get(t.Context(), transport, "/"); !errors.Is(err, throttle.ErrNoResponse) {
					t.Errorf("error %v, want %v", err, throttle.ErrNoResponse)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took != 7*time.Second {
			t.Errorf("given up after %v, want 7s", took)
		}
		throttletest.WantGrants(t, store, 0, time.Second)
		time.Sleep(time.Second + 1)
		throttletest.WantGrants(t, store, 20, time.Second)
	})
}

type closer struct {
	*strings.Reader
	closed bool
}

func (c *closer) Close() error {
	c.closed = true
	return nil
}

// A request whose context ends before the store is asked, or while it is asked, is not sent.
// Its body is closed, and its slot is returned.
func TestEndedContext(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"before": true, "while the store is asked": false} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			s, store, body := &throttletest.Service{}, throttle.NewMemory(), &closer{Reader: strings.NewReader("{}")}
			cause := errors.New("interrupted")
			ctx, cancel := context.WithCancelCause(t.Context())
			if early {
				cancel(cause)
			}
			asked := hookedStore{store, func(context.Context) error { cancel(cause); return nil }}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service.test/", body)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := s.Transport(throttle.Config{Store: asked}).RoundTrip(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			if waited := new(throttle.WaitError); !errors.As(err, &waited) || !errors.Is(err, cause) || !body.closed {
				t.Errorf("error %v, body closed %t, want a WaitError because of %v", err, body.closed, cause)
			}
			s.Check(t, 0)
			throttletest.WantGrants(t, store, 20, time.Second)
		})
	}
}

// A slot that was granted long ago, because the process was stopped after the answer, may
// have expired. So it is requested again.
func TestLateSlotIsNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store, questions := &throttletest.Service{}, throttle.NewMemory(), 0
		stopped := hookedStore{store, func(context.Context) error {
			if questions++; questions == 1 {
				time.Sleep(time.Minute)
			}
			return nil
		}}
		late := s.Transport(throttle.Config{Store: stopped, MaxInFlight: 2 * time.Second})
		go throttletest.Apply(t, late, "/", 1, 1)
		time.Sleep(time.Minute - time.Nanosecond)
		throttletest.Apply(t, s.Transport(throttle.Config{Store: store}), "/", 20, 20)
		time.Sleep(time.Minute)
		s.Check(t, 21)
		if questions < 2 {
			t.Errorf("%d questions, want the slot to be asked for again", questions)
		}
	})
}

// A store that takes long for each answer makes a run slow, but the run ends. A late slot
// is used as long as it has not expired.
func TestStoreIsSlow(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{1010 * time.Millisecond, 3 * time.Second, 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := &throttletest.Service{Trip: trip}
			transport := s.Transport(throttle.Config{Store: delayed(delay), MaxInFlight: 35 * time.Second})
			took := throttletest.Apply(t, transport, "/", 40, 10)
			s.Check(t, 40)
			if took > 80*delay {
				t.Errorf("with %v for each answer, 40 requests took %v", delay, took)
			}
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
		s, store := &throttletest.Service{}, throttle.NewMemory()
		s.Answer = func(int, string) *throttletest.Response {
			return &throttletest.Response{Err: unsent{errors.New("reset")}}
		}
		transport := s.Transport(throttle.Config{Store: store})
		for range 30 {
			if _, err := throttletest.Get(t.Context(), transport, "/"); !errors.As(err, new(unsent)) {
				t.Errorf("error %v, want that of the request", err)
			}
		}
		throttletest.WantGrants(t, store, 20, time.Second)
	})
}
