// SPDX-License-Identifier: MPL-2.0

// Package throttletest has what the tests of every store of a shared budget need: a model of
// the service, what a store grants, and simulated runs.
package throttletest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// The service's limits (x-rate-limits of the contract).
var (
	KeyWindows = []throttle.Window{
		{Name: "20 a second", Limit: 20, Per: time.Second},
		{Name: "500 a minute", Limit: 500, Per: time.Minute},
	}
	ResultsWindows = append([]throttle.Window{
		{Name: "2 results a second", Limit: 2, Per: time.Second},
		{Name: "30 results a minute", Limit: 30, Per: time.Minute},
	}, KeyWindows...)
)

// Service is a strict model of a service with limits. It counts arrivals, including
// refused ones, in sliding windows that include both ends.
type Service struct {
	Trip    time.Duration
	Jitter  float64                            // the round trip varies by this part, evenly distributed
	Answer  func(n int, path string) *Response // answers the n-th arrival, counted from 1 (nil: only the limits decide)
	Windows []throttle.Window                  // the limits (nil: those of the contract)

	mu       sync.Mutex
	arrivals []Arrival
	refused  int
}

// Arrival is a request that reached the service.
type Arrival struct {
	At      time.Time
	Path    string
	windows []throttle.Window
}

// Response is the answer to a request, or its error.
type Response struct {
	Status int
	Header http.Header
	Err    error
}

// Transport returns a new run that sends requests to the service.
func (s *Service) Transport(cfg throttle.Config) *throttle.Transport {
	cfg.Next, cfg.Windows = s, s.windowsOf
	return throttle.New(cfg)
}

func (s *Service) windowsOf(req *http.Request) []throttle.Window {
	switch {
	case s.Windows != nil:
		return s.Windows
	case strings.HasSuffix(req.URL.Path, "/results"):
		return ResultsWindows
	default:
		return KeyWindows
	}
}

// RoundTrip answers a request, which arrives at any moment of its round trip.
func (s *Service) RoundTrip(req *http.Request) (*http.Response, error) {
	trip := time.Duration(float64(s.Trip) * (1 + s.Jitter*(2*rand.Float64()-1)))
	there := time.Duration(rand.Float64() * float64(trip))
	if err := Pause(req.Context(), there); err != nil {
		return nil, err
	}
	r := s.arrive(req)
	if err := Pause(req.Context(), trip-there); err != nil {
		return nil, err
	}
	if r.Err != nil {
		return nil, r.Err
	}
	return &http.Response{StatusCode: r.Status, Header: r.Header, Body: http.NoBody, Request: req}, nil
}

// arrive counts a request that arrives now, and returns its answer.
func (s *Service) arrive(req *http.Request) *Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	// real time: one test has real processes, whose time is no verdict
	a := Arrival{time.Now(), req.URL.Path, s.windowsOf(req)}
	breach := false
	for _, w := range a.windows {
		n := 0
		for _, earlier := range slices.Backward(s.arrivals) {
			if a.At.Sub(earlier.At) > w.Per {
				break
			}
			if slices.Contains(earlier.windows, w) {
				n++
			}
		}
		breach = breach || n >= w.Limit
	}
	s.arrivals = append(s.arrivals, a)
	if s.Answer != nil {
		if r := s.Answer(len(s.arrivals), a.Path); r != nil {
			return r
		}
	}
	if breach {
		s.refused++
		return &Response{Status: http.StatusTooManyRequests}
	}
	return &Response{Status: http.StatusOK}
}

// Arrivals returns the requests that arrived, in their order.
func (s *Service) Arrivals() []Arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.arrivals)
}

// Check fails the test if the service refused a request, or did not get n requests.
func (s *Service) Check(t testing.TB, n int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused != 0 || len(s.arrivals) != n {
		t.Errorf("%d of %d requests were refused, want 0 of %d", s.refused, len(s.arrivals), n)
	}
}

// Pause waits, and fails if the context ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	// real time: one test has real processes, whose time is no verdict
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Get sends a request to a path of the service or to a URL, and returns its status.
func Get(ctx context.Context, rt http.RoundTripper, path string) (int, error) {
	if strings.HasPrefix(path, "/") {
		path = "http://service.test" + path
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return 0, err
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// Apply sends n requests from several callers and returns how long that took. Any answer
// except 200 fails the test.
func Apply(t *testing.T, rt http.RoundTripper, path string, n, callers int) time.Duration {
	t.Helper()
	// real time: one test has real processes, whose time is no verdict
	start := time.Now()
	// real time: ends a test that hangs
	ctx, stop := context.WithTimeout(t.Context(), 24*time.Hour) // so that the test ends
	defer stop()
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if status, err := Get(ctx, rt, path); err != nil || status != http.StatusOK {
					t.Errorf("status %d, error %v", status, err)
				}
			}
		})
	}
	wg.Wait()
	// real time: one test has real processes, whose time is no verdict
	return time.Since(start)
}

// Floor returns the shortest safe time for n requests, if it is only known that each
// request arrives between its sending and its response. The 501st request must be sent a
// minute after the first response. With long round trips, the limit per second takes longer
// than the limit per minute.
func Floor(n int, trip time.Duration) time.Duration {
	n--
	minute, second := time.Minute+trip, time.Second+trip
	return max(time.Duration(n/500)*minute+time.Duration(n%500/20)*second, time.Duration(n/20)*second) + trip
}
