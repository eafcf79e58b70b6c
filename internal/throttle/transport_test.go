// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// The closeness to the floor: at most 1.02 of it up to 500 requests, and 1.06 beyond. The
// reserve for other runs must cost a single run no more than that. Round trips that vary cost
// little more.
func TestFloor(t *testing.T) {
	t.Parallel()
	check := func(roundTrip time.Duration, jitter float64, n, callers int, most float64) {
		t.Run(fmt.Sprintf("trip=%v,jitter=%v,n=%d,callers=%d", roundTrip, jitter, n, callers), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &service{roundTrip: roundTrip, jitter: jitter}
				took := apply(t, New(Config{Next: s, Windows: windowsOf}), "/positions", n, callers)
				s.check(t, n)
				part := float64(took) / float64(floor(n, roundTrip))
				if t.Logf("%v, %.3f of the floor", took, part); part < 1 || part > most {
					t.Errorf("%.3f of the floor, want between 1 and %v", part, most)
				}
			})
		})
	}
	check(trip, 0.5, 1000, 10, 1.08)
	check(trip, 0, 5000, 10, 1.06)
	check(trip, 0, 5000, 5000, 1.06)
	for _, trip := range []time.Duration{0, 5, 50, 300, 2000} {
		for n, most := range map[int]float64{
			300: 1.02, 480: 1.02, 500: 1.02, 501: 1.06, 520: 1.06, 580: 1.06, 600: 1.06, 860: 1.06, 1000: 1.06, 1200: 1.06,
			1300: 1.06,
		} {
			check(trip*time.Millisecond, 0, n, n, most)
			if trip < 2000 { // otherwise ten callers cannot use up the limit
				check(trip*time.Millisecond, 0, n, 10, most)
			}
		}
	}
}
