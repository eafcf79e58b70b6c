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
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Waiters are served in the order in which they came. Requests that give up are not
// sent and do not delay the others.
func TestQueueServesInOrder(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{roundTrip: 50 * time.Millisecond}
		transport := New(Config{Next: s, Windows: windowsOf, Store: open()})
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

// If the front gives up while it sleeps, the next request takes over immediately.
func TestFrontGivesUp(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{roundTrip: 50 * time.Millisecond}
		transport := New(Config{Next: s, Windows: windowsOf, Store: open()})
		apply(t, transport, "/positions", 20, 20)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := get(ctx, transport, "/front"); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want %v", err, context.Canceled)
			}
		})
		synctest.Wait()
		wg.Go(func() { apply(t, transport, "/next", 1, 1) })
		synctest.Wait()
		start := time.Now()
		cancel()
		wg.Wait()
		if took := time.Since(start); took > 1050*time.Millisecond+time.Microsecond {
			t.Errorf("the next one was through after %v, want a second and a round trip", took)
		}
		s.check(t, 21)
	})
}

// If the second request gives up while the first one gets its slot, a later request does not
// wait for what the store said about the second one.
func TestSecondGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{windows: []Window{{Name: "one", Limit: 1, Per: 10 * time.Second}}}
		store := delayed{NewMemory(), func() time.Duration { return 100 * time.Millisecond }}
		transport := New(Config{Next: s, Store: store, Windows: func(*http.Request) []Window { return s.windows }})
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

// A request whose context has ended is not sent and takes no slot, and its body is
// closed.
func TestEndedContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{}
		transport := New(Config{Next: s, Windows: windowsOf})
		cause := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		body := &closer{Reader: strings.NewReader("{}")}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service.test/", body)
		if err != nil {
			t.Fatal(err)
		}
		_, err = do(transport, req)
		var waited *WaitError
		if !errors.As(err, &waited) || !errors.Is(err, cause) {
			t.Errorf("error %v, want a WaitError because of %v", err, cause)
		}
		if !body.closed {
			t.Error("the body was not closed")
		}
		s.check(t, 0)
		if took := apply(t, transport, "/", 20, 20); took != 0 {
			t.Errorf("20 requests took %v afterwards, want none to wait", took)
		}
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

// Requests that wait for the window of their route do not block requests that can be
// sent, of the same run or of another one.
func TestRouteBlocksNoOthers(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{roundTrip: 50 * time.Millisecond}
		one := New(Config{Next: s, Windows: windowsOf, Store: open()})
		two := New(Config{Next: s, Windows: windowsOf, Store: open()})
		var wg sync.WaitGroup
		wg.Go(func() {
			took := apply(t, one, "/positions/1/results", 20, 20)
			if least := 9 * time.Second; took < least || took > least+9*50*time.Millisecond+time.Second {
				t.Errorf("20 results took %v, want about %v", took, least)
			}
		})
		time.Sleep(10 * time.Millisecond)
		for _, transport := range []*Transport{one, two} {
			wg.Go(func() {
				if took := apply(t, transport, "/positions", 9, 9); took > 50*time.Millisecond {
					t.Errorf("9 requests took %v, want a round trip", took)
				}
			})
		}
		wg.Wait()
		s.check(t, 38)
	})
}

// A run with few requests that starts late is not starved by a run with many.
func TestLateRunIsNotStarved(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{roundTrip: 50 * time.Millisecond, jitter: 0.5}
		busy := New(Config{Next: s, Windows: windowsOf, Store: open()})
		late := New(Config{Next: s, Windows: windowsOf, Store: open()})
		var wg sync.WaitGroup
		wg.Go(func() { apply(t, busy, "/busy", 400, 400) })
		time.Sleep(3500 * time.Millisecond)
		if took := apply(t, late, "/late", 10, 1); took > 10*1200*time.Millisecond {
			t.Errorf("10 requests one after the other took %v, want a second each at most", took)
		}
		wg.Wait()
		s.check(t, 410)
	})
}

// The requests of a run stay within its share of each limit, and those of all runs
// within the limit. A share of less than one request is one request in a longer time.
func TestShare(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{roundTrip: 50 * time.Millisecond}
		var wg sync.WaitGroup
		for _, run := range []struct {
			share   float64
			n, most int
		}{{0.29, 60, 5}, {0.01, 3, 1}, {0.5, 100, 10}} {
			path := fmt.Sprintf("/%v", run.share)
			wg.Go(func() {
				apply(t, New(Config{Next: s, Windows: windowsOf, Store: open(), Share: run.share}), path, run.n, run.n)
				if got := s.most(path, time.Second); got != run.most {
					t.Errorf("share %v: %d requests in a second, want %d", run.share, got, run.most)
				}
			})
		}
		wg.Wait()
		s.check(t, 163)
	})
}

// A slow response holds its slot. Whatever the network does, at most 20 requests can
// arrive in any second.
func TestSlotIsHeldUntilTheResponse(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{roundTrip: 5 * time.Second}
		took := apply(t, New(Config{Next: s, Windows: windowsOf, Store: open()}), "/", 100, 100)
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
	overStores(t, func(t *testing.T, open func() Store) {
		hangs := roundTripper(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, context.Cause(req.Context())
		})
		store := open()
		transport := New(Config{Next: hangs, Windows: windowsOf, Store: store, MaxInFlight: 7 * time.Second})
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

// A run that directly follows another one knows its slots, as an apply does after its
// plan.
func TestPlanThenApply(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{roundTrip: 50 * time.Millisecond, jitter: 0.5}
		for range 2 {
			apply(t, New(Config{Next: s, Windows: windowsOf, Store: open()}), "/", 300, 10)
		}
		s.check(t, 600)
	})
}

// slow is a store whose answer arrives after the context has ended.
type slow struct {
	Store
	end func()
}

func (s slow) Acquire(ctx context.Context, ask Ask) (Answer, error) {
	defer s.end()
	return s.Store.Acquire(ctx, ask)
}

// A request whose context ends while the store is asked is not sent, and its slot is
// returned.
func TestEndedWhileAsking(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s, store := &service{}, open()
		ctx, cancel := context.WithCancel(t.Context())
		_, err := get(ctx, New(Config{Next: s, Windows: windowsOf, Store: slow{store, cancel}}), "/")
		var waited *WaitError
		if !errors.As(err, &waited) || !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want a WaitError because of %v", err, context.Canceled)
		}
		s.check(t, 0)
		if took := apply(t, New(Config{Next: s, Windows: windowsOf, Store: store}), "/", 20, 20); took != 0 {
			t.Errorf("20 requests took %v afterwards, want none to wait", took)
		}
	})
}

// broken is a store that always fails.
type broken struct{ Store }

var errBroken = errors.New("store unreachable")

func (broken) Acquire(context.Context, Ask) (Answer, error) { return Answer{}, errBroken }

// If the store fails, nothing is sent.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{}
		transport := New(Config{Next: s, Windows: windowsOf, Store: broken{NewMemory()}})
		for range 2 {
			_, err := get(t.Context(), transport, "/")
			var waited *WaitError
			if !errors.As(err, &waited) || !errors.Is(err, errBroken) {
				t.Errorf("error %v, want a WaitError because of %v", err, errBroken)
			}
		}
		s.check(t, 0)
	})
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

// stopped is a store whose process is stopped after its first answer.
type stopped struct {
	Store
	questions *atomic.Int64
}

func (s stopped) Acquire(ctx context.Context, ask Ask) (Answer, error) {
	answer, err := s.Store.Acquire(ctx, ask)
	if s.questions.Add(1) == 1 {
		time.Sleep(time.Minute)
	}
	return answer, err
}

// A slot that was granted long ago may have expired, so it is requested again.
func TestLateSlotIsNotUsed(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s, store := &service{}, open()
		var questions atomic.Int64
		late := New(Config{Next: s, Windows: windowsOf, Store: stopped{store, &questions}, MaxInFlight: 2 * time.Second})
		var wg sync.WaitGroup
		wg.Go(func() { apply(t, late, "/", 1, 1) })
		time.Sleep(time.Minute - time.Nanosecond)
		apply(t, New(Config{Next: s, Windows: windowsOf, Store: store}), "/", 20, 20)
		wg.Wait()
		s.check(t, 21)
		if n := questions.Load(); n < 2 {
			t.Errorf("%d questions, want the slot to be asked for again", n)
		}
	})
}
