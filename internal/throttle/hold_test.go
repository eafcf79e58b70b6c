// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// refusals answers 429 to the first n requests, with the header.
func refusals(n int, header http.Header) func(int) *response {
	return func(i int) *response {
		if i > n {
			return nil
		}
		return &response{status: http.StatusTooManyRequests, header: header}
	}
}

// untilAnswered repeats a request until its answer is not 429.
func untilAnswered(t *testing.T, rt http.RoundTripper, path string) {
	t.Helper()
	for {
		status, err := get(t.Context(), rt, path)
		if err != nil {
			t.Error(err)
		}
		if status != http.StatusTooManyRequests {
			return
		}
	}
}

// seconds returns the times of the arrivals since the first one, rounded.
func (s *service) seconds() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	seconds := make([]int, len(s.arrivals))
	for i, a := range s.arrivals {
		seconds[i] = int(a.at.Sub(s.arrivals[0].at).Round(time.Second).Seconds())
	}
	return seconds
}

// Without Retry-After, single probes are sent after pauses that double up to a minute.
// The first probe that is not refused ends the hold for all. After the next 429, the
// pause starts at one second again.
func TestProbes(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{answer: refusals(9, nil), roundTrip: time.Millisecond}
		one := New(Config{Next: s, Windows: windowsOf, Store: open()})
		two := New(Config{Next: s, Windows: windowsOf, Store: open()})
		var wg sync.WaitGroup
		wg.Go(func() { untilAnswered(t, one, "/") })
		time.Sleep(10 * time.Millisecond)
		for range 5 {
			wg.Go(func() { untilAnswered(t, one, "/") })
			wg.Go(func() { untilAnswered(t, two, "/") })
		}
		wg.Wait()
		got := s.seconds()
		want := []int{0, 1, 3, 7, 15, 31, 63, 123, 183, 243}
		if !slices.Equal(got[:len(want)], want) {
			t.Errorf("arrivals at seconds %v, want first %v", got, want)
		}
		if n := len(got); n != 20 || got[n-1] > 245 {
			t.Errorf("arrivals at seconds %v, want 20, the last at about 244", got)
		}
	})
}

// All runs obey Retry-After, up to a few minutes. A 429 ends with its window
// (assumption A14), so a longer time is a mistake.
func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]int{"17": {0, 17, 34}, "86400": {0, 180, 360}} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			overStores(t, func(t *testing.T, open func() Store) {
				s := &service{answer: refusals(2, http.Header{"Retry-After": {header}}), roundTrip: time.Millisecond}
				untilAnswered(t, New(Config{Next: s, Windows: windowsOf, Store: open()}), "/")
				if got := s.seconds(); !slices.Equal(got, want) {
					t.Errorf("arrivals at seconds %v, want %v", got, want)
				}
			})
		})
	}
}

// The error of a request that is given up while a 429 holds it contains the 429, even
// if another request received it.
func TestErrorNamesThe429(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{answer: refusals(9, nil), roundTrip: time.Millisecond}
		transport := New(Config{Next: s, Windows: windowsOf})
		if status, err := get(t.Context(), transport, "/"); status != 429 {
			t.Fatalf("status %d, error %v, want 429", status, err)
		}
		ctx, cancel := WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := get(ctx, transport, "/")
		var waited *WaitError
		if !errors.As(err, &waited) || !waited.Held || !strings.Contains(err.Error(), "429 Too Many Requests") ||
			waited.Permanent() {
			t.Errorf("error %v, want one that names the 429", err)
		}
	})
}

// A 429 of one run also holds a run that opens the store later.
func TestHoldIsShared(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{answer: refusals(1, http.Header{"Retry-After": {"20"}}), roundTrip: time.Millisecond}
		if status, err := get(t.Context(), New(Config{Next: s, Windows: windowsOf, Store: open()}), "/"); status != 429 {
			t.Fatalf("status %d, error %v, want 429", status, err)
		}
		start := time.Now()
		untilAnswered(t, New(Config{Next: s, Windows: windowsOf, Store: open()}), "/")
		if took := time.Since(start).Round(time.Second); took != 20*time.Second {
			t.Errorf("the next run waited %v, want 20s", took)
		}
	})
}

// If many requests are refused at once, the pause does not become longer. While the
// probe is in flight, no other request is sent.
func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		var flying, most atomic.Int64
		s := &service{answer: refusals(20, nil), roundTrip: 300 * time.Millisecond}
		counted := roundTripper(func(req *http.Request) (*http.Response, error) {
			if n := flying.Add(1); time.Since(start(s)) > 500*time.Millisecond && n > most.Load() {
				most.Store(n)
			}
			defer flying.Add(-1)
			return s.RoundTrip(req)
		})
		transport := New(Config{Next: counted, Windows: windowsOf, Store: open()})
		probed := make(chan struct{})
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				untilAnswered(t, transport, "/")
				select {
				case <-probed:
				default:
					close(probed)
					if n := most.Load(); n != 1 {
						t.Errorf("%d requests were in flight, want only the probe", n)
					}
				}
			})
		}
		wg.Wait()
		if got := s.seconds(); got[20] > 2 || len(got) != 40 {
			t.Errorf("arrivals at seconds %v, want 20, the probe after a second and the others", got)
		}
	})
}

// start returns when the first request arrived, or the current time if none has.
func start(s *service) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.arrivals) == 0 {
		return time.Now()
	}
	return s.arrivals[0].at
}

// After a probe that fails, the next probe can end the hold. A request that was sent
// before the hold does not end it.
func TestOnlyTheProbeEndsTheHold(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	granted := func() Ask {
		t.Helper()
		ask := askOf(1, 1, keyWindows)
		if answer := l.ledger.acquire(ask); !answer.Granted {
			t.Fatalf("refused: %+v", answer)
		}
		return ask
	}
	held := func(wait time.Duration) {
		t.Helper()
		if answer := l.ledger.acquire(askOf(1, 1, keyWindows)); answer.Granted || !answer.Held || answer.Wait != wait {
			t.Fatalf("%+v, want to be held for %v", answer, wait)
		}
	}
	early, bad := granted(), granted()
	l.ledger.release(bad, Outcome{Result: Refused})
	held(time.Second)
	l.ledger.release(early, Outcome{Result: Answered})
	held(time.Second)
	l.at(time.Second)
	probe := granted()
	held(time.Second)
	l.ledger.release(probe, Outcome{Result: Failed})
	probe = granted()
	l.at(2 * time.Second)
	held(time.Second)
	l.ledger.release(probe, Outcome{Result: Refused})
	held(2 * time.Second)
	l.at(4 * time.Second)
	lost := granted()
	l.at(4*time.Second + time.Minute + 1)
	probe = granted() // the process of the last probe is dead
	l.ledger.release(lost, Outcome{Result: Answered})
	held(time.Second)
	l.ledger.release(probe, Outcome{Result: Answered})
	granted()
	granted()
}

// If another program uses up the limit of the results, only requests for results wait.
// Without Retry-After, few of them are refused, although other requests succeed.
func TestResultsAreHeldAlone(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]http.Header{"without": nil, "with Retry-After": {"Retry-After": {"30"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overStores(t, func(t *testing.T, open func() Store) {
				ours := &service{roundTrip: trip}
				alone := apply(t, New(Config{Next: ours, Windows: windowsOf, Share: 0.999}), "/", 400, 10)
				ours = &service{roundTrip: trip}
				refused := 0
				next := roundTripper(func(req *http.Request) (*http.Response, error) {
					resp, err := ours.RoundTrip(req)
					if err == nil && strings.HasSuffix(req.URL.Path, "/results") {
						refused++
						resp.StatusCode, resp.Header = http.StatusTooManyRequests, header.Clone()
					}
					return resp, err
				})
				transport := New(Config{Next: next, Windows: windowsOf, Store: open(), Share: 0.999})
				ctx, stop := WithTimeout(t.Context(), 2*time.Minute)
				defer stop()
				var wg sync.WaitGroup
				for range 5 {
					wg.Go(func() {
						for ctx.Err() == nil {
							_, _ = get(ctx, transport, "/positions/1/results")
						}
					})
				}
				took := apply(t, transport, "/", 400, 10)
				if most := alone + alone/10; took > most {
					t.Errorf("400 requests took %v, want at most %v", took, most)
				}
				for ctx.Err() == nil { // ordinary requests go on
					apply(t, transport, "/", 1, 1)
					time.Sleep(time.Second)
				}
				wg.Wait()
				if refused == 0 || refused > 10 {
					t.Errorf("%d responses 429 in two minutes, want 1 to 10", refused)
				}
			})
		})
	}
}

// A 429 to an ordinary request holds all requests.
func TestOrdinary429HoldsResults(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	ask := askOf(1, 1, keyWindows)
	l.ledger.acquire(ask)
	l.ledger.release(ask, Outcome{Result: Refused, RetryAfter: 20 * time.Second})
	for _, windows := range [][]Window{keyWindows, resultsWindows} {
		if answer := l.ledger.acquire(askOf(1, 1, windows)); !answer.Held || answer.Wait != 20*time.Second {
			t.Errorf("%+v, want to be held for 20s", answer)
		}
	}
}

// A slot that is released again, because the reply was lost, counts once.
func TestReleasedAgain(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	ask := askOf(1, 1, keyWindows)
	l.ledger.acquire(ask)
	for range 5 {
		l.ledger.release(ask, Outcome{})
	}
	l.wantTaken(19, 1, 25, keyWindows)
}
