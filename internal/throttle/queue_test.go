// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Waiters are served in the order in which they came. Requests that give up are not
// sent and do not delay the others.
func TestQueueServesInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{roundTrip: trip}
		transport := New(Config{Next: s, Windows: windowsOf})
		cause := errors.New("no longer wanted")
		var want []string
		var wg sync.WaitGroup
		for i := range 100 {
			path := fmt.Sprintf("/%d", i)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			impatient := i > 20 && i%3 == 0 // the first waiter (20) stays, and many behind it give up
			wg.Go(func() {
				_, err := get(ctx, transport, path)
				var waited *WaitError
				switch {
				case !impatient && err != nil:
					t.Errorf("request %s: %v", path, err)
				case impatient && (!errors.As(err, &waited) || !errors.Is(err, cause)):
					t.Errorf("request %s: error %v, want a WaitError because of %v", path, err, cause)
				case impatient && (waited.Waited != 500*time.Millisecond || waited.Window != "20 a second"):
					t.Errorf("request %s: %+v, want a wait of half a second for the second's window", path, waited)
				}
			})
			if impatient {
				time.AfterFunc(500*time.Millisecond, func() { cancel(cause) })
			} else {
				want = append(want, path)
			}
			synctest.Wait()
		}
		wg.Wait()
		s.check(t, len(want))
		if got := s.paths(); !slices.Equal(sorted(got, 20), sorted(want, 20)) {
			t.Errorf("served in the order\n%v, want\n%v", got, want)
		}
	})
}

// sorted sorts each chunk of n: requests that are sent at the same instant
// arrive in any order.
func sorted(paths []string, n int) []string {
	paths = slices.Clone(paths)
	for chunk := range slices.Chunk(paths, n) {
		slices.Sort(chunk)
	}
	return paths
}

// If the second request gives up while the first one gets its slot, a later request does not
// wait for what the store said about the second one.
func TestSecondGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{windows: []Window{{Name: "one", Limit: 1, Per: 10 * time.Second}}}
		windows := func(*http.Request) []Window { return s.windows }
		transport := New(Config{Next: s, Store: delayed(100 * time.Millisecond), Windows: windows})
		apply(t, transport, "/", 1, 1)
		var wg sync.WaitGroup
		wg.Go(func() { apply(t, transport, "/", 1, 1) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10150*time.Millisecond)
		defer cancel()
		if _, err := get(ctx, transport, "/"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want a timeout", err)
		}
		wg.Wait()
		time.Sleep(time.Minute)
		if took := apply(t, transport, "/", 1, 1); took > 100*time.Millisecond {
			t.Errorf("a request took %v a minute later, want none to wait", took)
		}
		s.check(t, 3)
	})
}

type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error {
	c.closed = true
	return nil
}

// The requests of a run stay within its share of each limit, and those of all runs within
// the limit.
func TestShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := &service{roundTrip: trip}, NewMemory()
		var wg sync.WaitGroup
		for _, run := range []struct {
			share        float64
			n, perSecond int
		}{{0.29, 60, 5}, {0.5, 100, 10}} {
			wg.Go(func() {
				took := apply(t, New(Config{Next: s, Windows: windowsOf, Store: store, Share: run.share}), "/", run.n, run.n)
				want := time.Duration(run.n/run.perSecond-1)*(time.Second+trip) + trip
				if took.Round(time.Millisecond) != want {
					t.Errorf("share %v: %d requests took %v, want %v", run.share, run.n, took, want)
				}
			})
		}
		wg.Wait()
		s.check(t, 160)
	})
}

// A slow response holds its slot. Whatever the network does, at most 20 requests can
// arrive in any second.
func TestSlotIsHeldUntilTheResponse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{roundTrip: 5 * time.Second}
		took := apply(t, New(Config{Next: s, Windows: windowsOf}), "/", 100, 100)
		s.check(t, 100)
		const rounding = 5 * time.Microsecond
		if want := 4*(5+1)*time.Second + 5*time.Second; took < want || took > want+rounding {
			t.Errorf("5 windows of requests that take 5s took %v, want %v", took, want)
		}
	})
}

// A request without a response is given up after MaxInFlight, and its slot is free a
// window later.
func TestMaxInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent, store := &service{roundTrip: time.Hour}, NewMemory()
		transport := New(Config{Next: silent, Windows: windowsOf, Store: store, MaxInFlight: 7 * time.Second})
		start := time.Now()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := get(t.Context(), transport, "/"); !errors.Is(err, ErrNoResponse) {
					t.Errorf("error %v, want %v", err, ErrNoResponse)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took != 7*time.Second {
			t.Errorf("given up after %v, want 7s", took)
		}
		s := &service{}
		took := apply(t, New(Config{Next: s, Windows: windowsOf, Store: store}), "/", 1, 1)
		if took < time.Second || took > time.Second+time.Microsecond {
			t.Errorf("the next slot was free after %v, want 1s", took)
		}
	})
}

// A request whose context ends before the store is asked, or while it is asked, is not sent.
// Its body is closed, and its slot is returned.
func TestEndedContext(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"before": true, "while the store is asked": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, store, body := &service{}, NewMemory(), &closer{Reader: strings.NewReader("{}")}
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
				_, err = do(New(Config{Next: s, Windows: windowsOf, Store: asked}), req)
				var waited *WaitError
				if !errors.As(err, &waited) || !errors.Is(err, cause) || !body.closed {
					t.Errorf("error %v, body closed %t, want a WaitError because of %v", err, body.closed, cause)
				}
				s.check(t, 0)
				if took := apply(t, New(Config{Next: s, Windows: windowsOf, Store: store}), "/", 20, 20); took != 0 {
					t.Errorf("20 requests took %v afterwards, want none to wait", took)
				}
			})
		})
	}
}

// Without a shared store, runs whose share is less than one request stay within it on
// average. Three runs with a third of two requests per second do not send three per
// second.
func TestShareBelowOneRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{answer: func(int) *response { return &response{status: http.StatusOK} }}
		start := time.Now()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				apply(t, New(Config{Next: s, Windows: windowsOf, Share: 1.0 / 3}), "/positions/1/results", 10, 10)
			})
		}
		wg.Wait()
		if took := time.Since(start); took < 27*500*time.Millisecond {
			t.Errorf("30 results took %v, want two a second at most", took)
		}
	})
}

// A slot that was granted long ago, because the process was stopped after the answer, may
// have expired. So it is requested again.
func TestLateSlotIsNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := &service{}, NewMemory()
		questions := 0
		stopped := hookedStore{store, func(context.Context) error {
			if questions++; questions == 1 {
				time.Sleep(time.Minute)
			}
			return nil
		}}
		late := New(Config{Next: s, Windows: windowsOf, Store: stopped, MaxInFlight: 2 * time.Second})
		var wg sync.WaitGroup
		wg.Go(func() { apply(t, late, "/", 1, 1) })
		time.Sleep(time.Minute - time.Nanosecond)
		apply(t, New(Config{Next: s, Windows: windowsOf, Store: store}), "/", 20, 20)
		wg.Wait()
		s.check(t, 21)
		if questions < 2 {
			t.Errorf("%d questions, want the slot to be asked for again", questions)
		}
	})
}
