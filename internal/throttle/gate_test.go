// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// refusals answers 429 to the first n arrivals, with the header.
func refusals(n int, header http.Header) func(int) *response {
	return func(i int) *response {
		if i > n {
			return nil
		}
		return &response{status: http.StatusTooManyRequests, header: header}
	}
}

// insist repeats a request until it is not answered 429.
func insist(t *testing.T, rt http.RoundTripper, path string) {
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

// seconds are the arrivals' times since the first, rounded.
func (s *service) seconds() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	seconds := make([]int, len(s.arrivals))
	for i, a := range s.arrivals {
		seconds[i] = int(a.at.Sub(s.arrivals[0].at).Round(time.Second).Seconds())
	}
	return seconds
}

// Without Retry-After single probes go ahead after pauses that double up to a
// minute; the first that is not refused opens the gate for all, and the next
// pause starts from a second again.
func TestProbes(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{answer: refusals(9, nil), roundTrip: time.Millisecond}
		one := New(Config{Next: s, Windows: windowsOf, Store: open()})
		two := New(Config{Next: s, Windows: windowsOf, Store: open()})
		var wg sync.WaitGroup
		wg.Go(func() { insist(t, one, "/") })
		time.Sleep(10 * time.Millisecond)
		for range 5 {
			wg.Go(func() { insist(t, one, "/") })
			wg.Go(func() { insist(t, two, "/") })
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

// Retry-After is obeyed, in seconds and as a date, by everybody.
func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for name, header := range map[string]http.Header{
		"seconds": {"Retry-After": {"17"}},
		"date":    {"Retry-After": {start.Add(17 * time.Second).Format(http.TimeFormat)}, "Date": {start.Format(http.TimeFormat)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overStores(t, func(t *testing.T, open func() Store) {
				s := &service{answer: refusals(2, header), roundTrip: time.Millisecond}
				one := New(Config{Next: s, Windows: windowsOf, Store: open()})
				insist(t, one, "/")
				if got, want := s.seconds(), []int{0, 17, 34}; !slices.Equal(got, want) {
					t.Errorf("arrivals at seconds %v, want %v", got, want)
				}
			})
		})
	}
}

// One run's 429 closes the gate for another that opens the store later.
func TestGateIsShared(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{answer: refusals(1, http.Header{"Retry-After": {"20"}}), roundTrip: time.Millisecond}
		if status, err := get(t.Context(), New(Config{Next: s, Windows: windowsOf, Store: open()}), "/"); status != 429 {
			t.Fatalf("status %d, error %v, want 429", status, err)
		}
		start := time.Now()
		insist(t, New(Config{Next: s, Windows: windowsOf, Store: open()}), "/")
		if took := time.Since(start).Round(time.Second); took != 20*time.Second {
			t.Errorf("the next run waited %v, want 20s", took)
		}
	})
}

// The herd: of many that are refused at once none makes the pause longer, and
// while the probe is under way nobody else is sent.
func TestNeverAHerd(t *testing.T) {
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
				insist(t, transport, "/")
				select {
				case <-probed:
				default:
					close(probed)
					if n := most.Load(); n != 1 {
						t.Errorf("%d requests were under way with the probe, want it alone", n)
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

// start is when the first request arrived; now, where none has.
func start(s *service) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.arrivals) == 0 {
		return time.Now()
	}
	return s.arrivals[0].at
}

// A probe that fails leaves the gate closed for the next probe; what was sent
// before the gate closed does not open it.
func TestOnlyTheProbeOpensTheGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		ask := Ask{Line: 1, Waiting: 1, Windows: keyWindows, MaxInFlight: time.Minute}
		at := func(d time.Duration) { l.advance(int64(time.Hour + d)) }
		granted := func() Place {
			t.Helper()
			answer := l.acquire(ask)
			if answer.Place == 0 {
				t.Fatalf("refused: %+v", answer)
			}
			return answer.Place
		}
		refused := func(wait time.Duration) {
			t.Helper()
			if answer := l.acquire(ask); answer.Place != 0 || !answer.Gate || answer.Wait != wait {
				t.Fatalf("%+v, want to wait %v for the gate", answer, wait)
			}
		}
		at(0)
		early, bad := granted(), granted()
		l.release(bad, keyWindows, Outcome{Result: Refused})
		refused(time.Second)
		l.release(early, keyWindows, Outcome{Result: Answered})
		refused(time.Second)
		at(time.Second)
		probe := granted()
		refused(time.Second)
		l.release(probe, keyWindows, Outcome{Result: Failed})
		probe = granted()
		at(2 * time.Second)
		refused(time.Second)
		l.release(probe, keyWindows, Outcome{Result: Refused})
		refused(2 * time.Second)
		at(4 * time.Second)
		lost := granted()
		at(4*time.Second + time.Minute + 1)
		probe = granted() // the last one's process is dead
		l.release(lost, keyWindows, Outcome{Result: Answered})
		refused(time.Second)
		l.release(probe, keyWindows, Outcome{Result: Answered})
		granted()
		granted()
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              0,
		"12":                            12 * time.Second,
		" 12 ":                          12 * time.Second,
		"0.5":                           500 * time.Millisecond,
		"-3":                            0,
		"NaN":                           0,
		"soon":                          0,
		"1e300":                         longest,
		"Sat, 21 Nov 2026 08:00:09 GMT": 9 * time.Second,
		"Sat, 21 Nov 2026 07:00:00 GMT": 0,
		"Sun, 21 Nov 2027 08:00:00 GMT": longest,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
