// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// checkShare fails the test if more requests of a run arrived than its share of the limits allows.
func checkShare(t *testing.T, service *throttletest.Service, by string, share float64) {
	t.Helper()
	for _, w := range throttletest.Key {
		limit := int(share * float64(w.Limit))
		var at []time.Time
		for _, a := range service.Arrivals() {
			if a.By == by {
				at = append(at, a.At)
			}
		}
		for i := limit; i < len(at); i++ {
			if at[i].Sub(at[i-limit]) <= w.Per {
				t.Errorf("request %d of the run %s is above %v of %v", i, by, share, w)
			}
		}
	}
}

// The requests of a run stay within its share of each limit, also after a 429 has held all of them, and those of all
// runs within the limits.
func TestShare(t *testing.T) {
	t.Parallel()
	throttletest.Virtual(t, "runs", func(t *testing.T) {
		memory, service := throttle.NewMemory(), &throttletest.Service{Trip: trip, Jitter: 0.5}
		var all sync.WaitGroup
		for by, share := range map[string]float64{"half": 0.5, "quarter": 0.25, "whole": 1} {
			l := throttle.New(throttle.Config{Store: memory, Share: share})
			all.Go(func() {
				throttletest.Apply(t, l, service, by, throttletest.Key, 400, 10)
				checkShare(t, service, by, share)
			})
		}
		all.Wait()
		service.Check(t, 1200)
	})
	throttletest.Virtual(t, "after a 429", func(t *testing.T) {
		memory, service := throttle.NewMemory(), &throttletest.Service{Trip: trip}
		wants(t, throttle.New(throttle.Config{Store: memory}), throttletest.Key, 0, 3*time.Minute)
		l := throttle.New(throttle.Config{Store: memory, Share: 0.5})
		if took := throttletest.Apply(t, l, service, "half", throttletest.Key, 60, 60); took < 3*time.Minute {
			t.Errorf("60 requests took %v, want at least the three minutes of the hold", took)
		}
		checkShare(t, service, "half", 0.5)
	})
}

// A share of less than one request is one request in a longer time: here, 0.4 requests in a second.
func TestShareBelowOneRequest(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
		l := throttle.New(throttle.Config{Share: 0.2})
		wants(t, l, throttletest.Results, 0, 0)
		wants(t, l, throttletest.Results, 2500*time.Millisecond+time.Millisecond, 0)
	})
}
