// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Whatever the network, the callers, the clocks and other runs do, the service
// never has to refuse, and whoever is patient gets through.
func TestNeverRefused(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			for name, store := range stores {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { weather(t, rand.New(rand.NewPCG(seed, 0)), store(t)) })
				})
			}
		})
	}
}

// weather is one run of TestNeverRefused.
func weather(t *testing.T, random *rand.Rand, open func() Store) {
	t.Helper()
	failed := errors.New("connection reset")
	slow := time.Duration(random.Int64N(int64(3 * time.Second)))
	failing, giveUp := random.Float64()/3, random.Float64()/2
	var mu sync.Mutex // guards random once there are several callers
	chance := func(p float64) bool {
		mu.Lock()
		defer mu.Unlock()
		return random.Float64() < p
	}
	within := func(d time.Duration) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return time.Duration(random.Int64N(int64(d)))
	}
	s := &service{roundTrip: time.Duration(random.Int64N(int64(300 * time.Millisecond))), jitter: random.Float64()}
	s.answer = func(int) *response {
		switch { // with the service's mutex held
		case chance(failing):
			return &response{err: failed}
		case chance(0.05):
			return &response{status: http.StatusOK, delay: slow}
		}
		return nil
	}
	var skew time.Duration
	share := []float64{1, 0.7, 0.3}
	var wg sync.WaitGroup
	for i := range 3 {
		store := open()
		if f, ok := store.(*file); ok {
			clock := f.clock
			f.clock = func() (wall, monotonic int64) {
				wall, monotonic = clock()
				mu.Lock()
				defer mu.Unlock()
				return wall + int64(skew), monotonic
			}
		}
		transport := New(Config{Next: s, Windows: windowsOf, Store: store, Share: share[i], MaxInFlight: 10 * time.Second})
		for j := range 5 {
			wg.Go(func() {
				for k := range 20 {
					path := "/positions"
					if (j+k)%7 == 0 {
						path += "/1/results"
					}
					time.Sleep(within(100 * time.Millisecond))
					ctx, cancel := context.WithCancel(t.Context())
					if chance(giveUp) {
						time.AfterFunc(within(3*time.Second), cancel)
					}
					status, err := get(ctx, transport, path)
					if err == nil && status != http.StatusOK || err != nil && ctx.Err() == nil && !errors.Is(err, failed) {
						t.Errorf("status %d, error %v", status, err)
					}
					cancel()
				}
			})
		}
	}
	// Clocks are set while all runs are under way and have used the store.
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Second + within(5*time.Second)):
				d := within(2*time.Hour) - time.Hour
				mu.Lock()
				skew += d
				mu.Unlock()
			}
		}
	}()
	wg.Wait()
	close(stop)
	if s.refused != 0 {
		t.Errorf("%d of %d were refused", s.refused, len(s.arrivals))
	}
	if least := 100; len(s.arrivals) < least {
		t.Errorf("only %d requests got through, want %d at least", len(s.arrivals), least)
	}
}
