// SPDX-License-Identifier: MPL-2.0

package throttle

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
)

// The service's limits (x-rate-limits of the contract).
var (
	keyWindows = []Window{
		{Name: "20 a second", Limit: 20, Per: time.Second},
		{Name: "500 a minute", Limit: 500, Per: time.Minute},
	}
	resultsWindows = append([]Window{
		{Name: "2 results a second", Limit: 2, Per: time.Second},
		{Name: "30 results a minute", Limit: 30, Per: time.Minute},
	}, keyWindows...)
)

func windowsOf(req *http.Request) []Window {
	if strings.HasSuffix(req.URL.Path, "/results") {
		return resultsWindows
	}
	return keyWindows
}

// service is a strict model of a service with limits. It counts arrivals, including
// refused ones, in sliding windows that include both ends and in fixed windows. It
// refuses requests that exceed either.
type service struct {
	roundTrip time.Duration
	jitter    float64               // the round trip varies by this part, evenly distributed
	answer    func(n int) *response // answers the n-th arrival, counted from 1 (nil: only the limits decide)
	windows   []Window              // the limits (nil: those of windowsOf)

	mu       sync.Mutex
	arrivals []arrival
	refused  int
}

type arrival struct {
	at      time.Time
	path    string
	windows []Window
}

type response struct {
	status int
	header http.Header
	err    error
}

func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	trip := s.roundTrip
	if s.jitter > 0 {
		trip = time.Duration(float64(trip) * (1 + s.jitter*(2*rand.Float64()-1)))
	}
	there := time.Duration(rand.Float64() * float64(trip))
	if err := pause(req.Context(), there); err != nil {
		return nil, err
	}
	r := s.arrive(req)
	if err := pause(req.Context(), trip-there); err != nil {
		return nil, err
	}
	if r.err != nil {
		return nil, r.err
	}
	return &http.Response{StatusCode: r.status, Header: r.header, Body: http.NoBody, Request: req}, nil
}

func (s *service) arrive(req *http.Request) *response {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	a := arrival{now, req.URL.Path, s.windows}
	if a.windows == nil {
		a.windows = windowsOf(req)
	}
	breach := false
	for _, w := range a.windows {
		sliding, fixed := 1, 1
		for i := len(s.arrivals) - 1; i >= 0; i-- {
			b := s.arrivals[i]
			if now.Sub(b.at) > w.Per {
				break
			}
			if !slices.Contains(b.windows, w) {
				continue
			}
			sliding++
			if b.at.Truncate(w.Per).Equal(now.Truncate(w.Per)) {
				fixed++
			}
		}
		breach = breach || sliding > w.Limit || fixed > w.Limit
	}
	s.arrivals = append(s.arrivals, a)
	if s.answer != nil {
		if r := s.answer(len(s.arrivals)); r != nil {
			return r
		}
	}
	if breach {
		s.refused++
		return &response{status: http.StatusTooManyRequests}
	}
	return &response{status: http.StatusOK}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// check fails the test if the service refused a request, or did not get n requests.
func (s *service) check(t *testing.T, n int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused != 0 || len(s.arrivals) != n {
		t.Errorf("%d of %d requests were refused, want 0 of %d", s.refused, len(s.arrivals), n)
	}
}

// get sends one request through rt and returns its status.
func get(ctx context.Context, rt http.RoundTripper, path string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://service.test"+path, nil)
	if err != nil {
		return 0, err
	}
	return do(rt, req)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func do(rt http.RoundTripper, req *http.Request) (int, error) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// apply sends n requests from several callers and returns how long that took. Any
// answer except 200 fails the test.
func apply(t *testing.T, rt http.RoundTripper, path string, n, callers int) time.Duration {
	t.Helper()
	start := time.Now()
	ctx, stop := context.WithTimeout(t.Context(), 24*time.Hour) // so that the test ends
	defer stop()
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if status, err := get(ctx, rt, path); err != nil || status != http.StatusOK {
					t.Errorf("status %d, error %v", status, err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// floor returns the shortest safe time for n requests, if it is only known that each
// request arrives between its sending and its response. The 501st request must be sent a
// minute after the first response. With long round trips, the limit per second takes longer
// than the limit per minute.
func floor(n int, roundTrip time.Duration) time.Duration {
	n--
	minute, second := time.Minute+roundTrip, time.Second+roundTrip
	return max(time.Duration(n/500)*minute+time.Duration(n%500/20)*second, time.Duration(n/20)*second) + roundTrip
}

// paths returns the paths of the requests in the order of their arrival.
func (s *service) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	paths := make([]string, len(s.arrivals))
	for i, a := range s.arrivals {
		paths[i] = a.path
	}
	return paths
}
