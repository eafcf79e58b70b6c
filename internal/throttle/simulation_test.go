// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

var seeds = flag.Uint64("seeds", 100, "how many seeds TestSimulation runs")

// Runs share a budget in memory or, with each fourth seed, in files that are removed, on a
// machine whose clock goes back, because it was restored.
func TestSimulation(t *testing.T) {
	t.Parallel()
	throttletest.Simulate(t, *seeds, func(t *testing.T, seed uint64) throttletest.Budget {
		if seed%4 != 0 {
			memory := throttle.NewMemory()
			return throttletest.Budget{Open: func() throttle.Store { return memory }}
		}
		var back atomic.Int64
		dir, clock := t.TempDir(), func() time.Duration { return virtual.Now() - time.Duration(back.Load()) }
		return throttletest.Budget{
			Open: func() throttle.Store { return throttle.OpenFile(dir, "key", throttle.Clock{Boot: "boot", Now: clock}) },
			Fault: func(random *rand.Rand) {
				switch random.IntN(3) {
				case 0:
					back.Add(random.Int64N(int64(time.Hour)))
				case 1:
					_ = os.RemoveAll(dir)
				}
			},
		}
	})
}
