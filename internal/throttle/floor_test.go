// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

const trip = 50 * time.Millisecond

// together lets several runs send n requests in all, and returns how much longer than the floor that takes.
func together(t *testing.T, service *throttletest.Service, n, callers int, stores ...throttle.Store) float64 {
	t.Helper()
	start := time.Now()
	var all sync.WaitGroup
	for i, store := range stores {
		l := throttle.New(throttle.Config{Store: store})
		all.Go(func() {
			throttletest.Apply(t, l, service, fmt.Sprint("run ", i), throttletest.Key, n/len(stores), callers)
		})
	}
	all.Wait()
	took := time.Since(start)
	n = n / len(stores) * len(stores)
	service.Check(t, n)
	if b := service.Breaches(throttletest.Key, throttletest.All); b != 0 {
		t.Errorf("%d requests arrived above the limits", b)
	}
	return float64(took) / float64(throttletest.Floor(n, trip))
}

// A run needs hardly longer than the shortest safe time, and no request is rejected, however the service counts. The
// same applies to three runs on one machine.
func TestFloor(t *testing.T) {
	t.Parallel()
	for _, n := range []int{450, 500, 600, 1300} {
		for _, callers := range []int{10, n} {
			for _, fixed := range []bool{false, true} {
				throttletest.Virtual(t, fmt.Sprintf("%d requests, %d callers, fixed %t", n, callers, fixed), func(t *testing.T) {
					service := &throttletest.Service{Trip: trip, Jitter: 0.5, Fixed: fixed}
					if got := together(t, service, n, callers, throttle.NewMemory()); got > 1.05 {
						t.Errorf("%.3f of the floor, want at most 1.05", got)
					} else {
						t.Logf("%.4f of the floor", got)
					}
				})
			}
		}
	}
	for _, n := range []int{600, 1300} {
		throttletest.Virtual(t, fmt.Sprintf("%d requests of three runs on one machine", n), func(t *testing.T) {
			service, dir := &throttletest.Service{Trip: trip, Jitter: 0.5}, t.TempDir()
			if got := together(t, service, n, 10, opened(dir), opened(dir), opened(dir)); got > 1.05 {
				t.Errorf("%.3f of the floor, want at most 1.05", got)
			} else {
				t.Logf("%.4f of the floor", got)
			}
		})
	}
}
