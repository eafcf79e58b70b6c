// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// The required closeness to the floor, by number of requests, callers and jitter.
func TestFloor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, callers int
		jitter     float64
		most       float64
	}{
		{300, 300, 0, 1.06},
		{1000, 10, 0.5, 1.08},
		{5000, 5000, 0, 1.06},
	} {
		t.Run(fmt.Sprintf("n=%d,callers=%d,jitter=%v", c.n, c.callers, c.jitter), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &service{roundTrip: 50 * time.Millisecond, jitter: c.jitter}
				took := apply(t, New(Config{Next: s, Windows: windowsOf}), "/positions", c.n, c.callers)
				s.check(t, c.n)
				part := float64(took) / float64(floor(c.n, s.roundTrip))
				t.Logf("%v, %.3f of the floor", took, part)
				if part > c.most || part < 1 {
					t.Errorf("%.3f of the floor, want between 1 and %v", part, c.most)
				}
			})
		})
	}
}

// Without latency, requests are sent exactly one window apart. Even a service whose
// sliding windows include both ends refuses none.
func TestNoLatency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{}
		apply(t, New(Config{Next: s, Windows: windowsOf}), "/positions", 600, 600)
		s.check(t, 600)
	})
}
