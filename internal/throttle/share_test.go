// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// part returns the limits of a run's share.
func part(op throttle.Operation, share float64) throttle.Operation {
	op = slices.Clone(op)
	for i := range op {
		op[i].Limit = int(share * float64(op[i].Limit))
	}
	return op
}

// The requests of a run stay within its share of each limit, and those of all runs within the limits.
func TestShare(t *testing.T) {
	t.Parallel()
	throttletest.Virtual(t, "runs", func(t *testing.T) {
		memory, service := throttle.NewMemory(), &throttletest.Service{Trip: trip, Jitter: 0.5}
		var all sync.WaitGroup
		for i, share := range []float64{0.5, 0.25, 1} {
			l, by := throttle.New(throttle.Config{Store: memory, Share: share}), fmt.Sprint(i)
			all.Go(func() {
				throttletest.Apply(t, l, service, by, throttletest.Key, 400, 10)
				own := func(a throttletest.Arrival) bool { return a.By == by }
				if b := service.Breaches(part(throttletest.Key, share), own); b > 0 {
					t.Errorf("the run with share %v sent %d requests too many", share, b)
				}
			})
		}
		all.Wait()
		service.Check(t, 1200)
	})
	throttletest.Virtual(t, "while a 429 holds all", func(t *testing.T) {
		memory, service := throttle.NewMemory(), &throttletest.Service{Trip: trip}
		wants(t, throttle.New(throttle.Config{Store: memory}), throttletest.Key, 0, 3*time.Minute)
		l := throttle.New(throttle.Config{Store: memory, Share: 0.5})
		took := throttletest.Apply(t, l, service, "run", throttletest.Key, 60, 60)
		if b := service.Breaches(part(throttletest.Key, 0.5), throttletest.All); b > 0 || took < 3*time.Minute {
			t.Errorf("%d requests too many, after %v", b, took)
		}
	})
}

// A share of less than one request is one request in a longer time.
func TestShareBelowOneRequest(t *testing.T) {
	t.Parallel()
	throttletest.Virtual(t, "results", func(t *testing.T) {
		const n = 6
		service := &throttletest.Service{Trip: trip}
		took := throttletest.Apply(t, throttle.New(throttle.Config{Share: 0.2}), service, "run", throttletest.Results, n, n)
		// 0.4 requests in a second
		if want := (n - 1) * (2500*time.Millisecond + trip); took < want || took > want+100*time.Millisecond {
			t.Errorf("%d requests took %v, want a little more than %v", n, took, want)
		}
	})
	throttletest.Virtual(t, "the smallest", func(t *testing.T) {
		l := throttle.New(throttle.Config{Share: 0.000001})
		wants(t, l, throttletest.Key, 0, 0)
		wants(t, l, throttletest.Key, 120_000*time.Second+time.Millisecond, 0) // a minute's 500 in a million minutes
	})
}
