// SPDX-License-Identifier: MPL-2.0

// Package throttletest has what the tests of every store of a shared budget need: a model of the service, and runs that
// send requests to it. It waits in virtual time, except for the test with processes, whose verdict does not depend on
// time.
package throttletest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// The service's limits (x-rate-limits of the contract).
var (
	Key = throttle.Operation{
		{Name: "requests a second", Limit: 20, Per: time.Second},
		{Name: "requests a minute", Limit: 500, Per: time.Minute, Reserve: 40},
	}
	Results = append(Key[:2:2],
		throttle.Window{Name: "results a second", Limit: 2, Per: time.Second},
		throttle.Window{Name: "results a minute", Limit: 30, Per: time.Minute},
	)
)

// Service is a strict model of a service with limits. It counts all arrivals, rejected ones too, in windows that begin
// at any instant. So it rejects whatever a service with fixed windows rejects.
type Service struct {
	Trip   time.Duration
	Jitter float64 // the round trip varies by this part, evenly distributed

	mu       sync.Mutex
	arrivals []Arrival
	rejected int
}

// Arrival is a request that reached the service, and whose it is.
type Arrival struct {
	At time.Time
	By string
	Op throttle.Operation
}

// Send sends a request that arrives at any moment of its round trip, and returns the status of the response.
func (s *Service) Send(ctx context.Context, by string, op throttle.Operation) (status int, err error) {
	trip := time.Duration(float64(s.Trip) * (1 + s.Jitter*(2*rand.Float64()-1)))
	there := time.Duration(rand.Float64() * float64(trip))
	if err := pause(ctx, there); err != nil {
		return 0, err
	}
	status = s.arrive(Arrival{time.Now(), by, op})
	return status, pause(ctx, trip-there)
}

func (s *Service) arrive(a Arrival) (status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	breach := slices.ContainsFunc(a.Op, func(w throttle.Window) bool { return s.within(a, w) >= w.Limit })
	s.arrivals = append(s.arrivals, a)
	if breach {
		s.rejected++
		return http.StatusTooManyRequests
	}
	return http.StatusOK
}

// within counts the arrivals in the window that ends with an arrival.
func (s *Service) within(a Arrival, w throttle.Window) (n int) {
	for _, earlier := range slices.Backward(s.arrivals) {
		if a.At.Sub(earlier.At) > w.Per {
			break
		}
		if slices.ContainsFunc(earlier.Op, func(of throttle.Window) bool { return of.Name == w.Name }) {
			n++
		}
	}
	return n
}

// Arrivals returns the requests that arrived, in their order.
func (s *Service) Arrivals() []Arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.arrivals)
}

// Check fails the test if the service rejected a request, or did not get n requests.
func (s *Service) Check(t testing.TB, n int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rejected != 0 || len(s.arrivals) != n {
		t.Errorf("%d of %d requests were rejected, want 0 of %d", s.rejected, len(s.arrivals), n)
	}
}

// pause waits, and fails if the context ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Apply sends n requests from several callers and returns how long that took. Any answer except 200 fails the test.
func Apply(
	t *testing.T, l *throttle.Limiter, s *Service, by string, op throttle.Operation, n, callers int,
) time.Duration {
	t.Helper()
	start := time.Now()
	var left atomic.Int64
	left.Store(int64(n))
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				release, err := l.Acquire(t.Context(), op)
				if err != nil {
					t.Errorf("%s: %v", by, err)
					continue
				}
				status, err := s.Send(t.Context(), by, op)
				if err != nil || status != http.StatusOK {
					t.Errorf("%s: status %d, error %v", by, status, err)
				}
				release(0)
			}
		})
	}
	all.Wait()
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

// Virtual runs a parallel subtest in virtual time.
func Virtual(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		InVirtualTime(t, test)
	})
}

// InVirtualTime runs a test in virtual time. Afterwards, it waits for what goes on in the background.
func InVirtualTime(t *testing.T, test func(*testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t)
		time.Sleep(5 * time.Minute)
	})
}
