// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"net/http"
	"slices"
	"strings"
	"sync"
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
	synctest.Test(t, func(t *testing.T) {
		s, store := &service{answer: refusals(9, nil), roundTrip: time.Millisecond}, NewMemory()
		one := New(Config{Next: s, Windows: windowsOf, Store: store})
		two := New(Config{Next: s, Windows: windowsOf, Store: store})
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
			synctest.Test(t, func(t *testing.T) {
				s := &service{answer: refusals(2, http.Header{"Retry-After": {header}}), roundTrip: time.Millisecond}
				untilAnswered(t, New(Config{Next: s, Windows: windowsOf}), "/")
				if got := s.seconds(); !slices.Equal(got, want) {
					t.Errorf("arrivals at seconds %v, want %v", got, want)
				}
			})
		})
	}
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
	early, bad, second := granted(), granted(), granted()
	l.ledger.release(bad, Outcome{Result: Refused})
	held(time.Second)
	l.ledger.release(second, Outcome{Result: Refused}) // refused at the same time: the pause does not become longer
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
			synctest.Test(t, func(t *testing.T) {
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
				transport := New(Config{Next: next, Windows: windowsOf, Share: 0.999})
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
