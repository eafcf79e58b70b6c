// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// The closeness to the floor: at most 1.02 of it up to 500 requests, and 1.06 beyond. The
// reserve for other runs must cost a single run no more than that.
func TestFloor(t *testing.T) {
	t.Parallel()
	for _, trip := range []time.Duration{0, 5, 50, 300, 2000} {
		for _, n := range []int{300, 480, 500, 501, 520, 580, 600, 860, 1000, 1200, 1300, 5000} {
			for _, callers := range []int{10, n} {
				if callers == 10 && trip == 2000 {
					continue // ten callers cannot use up the limit
				}
				t.Run(fmt.Sprintf("trip=%dms,n=%d,callers=%d", trip, n, callers), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						s := &service{roundTrip: trip * time.Millisecond}
						took := apply(t, New(Config{Next: s, Windows: windowsOf}), "/positions", n, callers)
						s.check(t, n)
						part := float64(took) / float64(floor(n, s.roundTrip))
						t.Logf("%v, %.3f of the floor", took, part)
						if part < 1 || part > 1.06 || part > 1.02 && n <= 500 {
							t.Errorf("%.3f of the floor", part)
						}
					})
				})
			}
		}
	}
}

// Varying round trips cost little.
func TestFloorWithJitter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{roundTrip: trip, jitter: 0.5}
		took := apply(t, New(Config{Next: s, Windows: windowsOf}), "/positions", 1000, 10)
		s.check(t, 1000)
		if part := float64(took) / float64(floor(1000, s.roundTrip)); part < 1 || part > 1.08 {
			t.Errorf("%.3f of the floor, want between 1 and 1.08", part)
		}
	})
}
