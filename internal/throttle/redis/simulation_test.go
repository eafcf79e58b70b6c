// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

var seeds = flag.Uint64("seeds", 20, "number of seeds of each randomized test")

// Together, four runs that share a server are as fast as the limits allow, even if its answers are slow.
func TestRunsTogetherAreFast(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond} {
		throttletest.Virtual(t, delay.String(), func(t *testing.T) {
			const runs, requests, trip = 4, 114, 50 * time.Millisecond
			server, service := newFakeRedis(t), &throttletest.Service{Trip: trip}
			server.delay.Store(int64(delay))
			start := time.Now()
			var all sync.WaitGroup
			for range runs {
				run := service.Transport(throttle.Config{Store: opens(t, server, Config{Key: "key"})})
				all.Go(func() { throttletest.Apply(t, run, "/", requests, 60) })
			}
			all.Wait()
			service.Check(t, runs*requests)
			part := float64(time.Since(start)) / float64(throttletest.Floor(runs*requests, trip))
			if t.Logf("%.3f of the shortest time", part); part > 1.03 {
				t.Errorf("%.3f of the shortest time, want at most 1.03", part)
			}
		})
	}
}

// Runs share a budget on a server that is away or slow, and fails over to an outdated
// replica. It also loses replies and data, and its clock is set.
func TestSimulation(t *testing.T) {
	t.Parallel()
	throttletest.Simulate(t, *seeds, func(t *testing.T, _ uint64) throttletest.Budget {
		s, snapshot := newFakeRedis(t), ""
		return throttletest.Budget{
			Open: func() throttle.Store { return opens(t, s, Config{Key: "key", RetryFor: 5 * time.Minute}) },
			Fault: func(random *rand.Rand) {
				aWhile := time.Duration(random.Int64N(int64(4 * time.Second)))
				switch random.IntN(7) {
				case 0:
					s.lose.Store(int64(1 + random.IntN(6)))
				case 1:
					s.failing.Store([]string{
						"LOADING", "READONLY", "OOM", "ERR max number of clients reached", "ERR Error running script: -READONLY",
					}[random.IntN(5)])
					time.Sleep(aWhile)
					s.failing.Store("")
				case 2:
					s.skew.Add(int64([]time.Duration{-time.Hour, 300 * time.Millisecond, time.Hour}[random.IntN(3)]))
				case 3:
					snapshot, _ = s.Get(keyOf("key"))
				case 4:
					if snapshot != "" {
						_ = s.Set(keyOf("key"), snapshot)
						s.identity.Add(1)
						s.promoted.Store(1)
						snapshot = ""
					}
				case 5:
					if random.IntN(3) == 0 {
						s.FlushAll()
					}
				case 6:
					s.delay.Store(random.Int64N(int64(3 * time.Second)))
					time.Sleep(aWhile)
					s.delay.Store(0)
				}
			},
		}
	})
}
