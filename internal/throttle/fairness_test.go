// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// A run with few requests that starts beside a run with 1,300 takes at most twice as long as without that run, plus
// two seconds. But until a run was seen beside it, a run with many requests reserves nothing. It has then used up the
// minute after 25 seconds, so whoever starts before its first minute is over waits until then, 40 seconds at most,
// and two runs that wait for that take turns.
func TestShortRunsBesideALongOne(t *testing.T) {
	t.Parallel()
	step := 2500 * time.Millisecond
	if testing.Short() {
		step *= 4
	}
	for _, callers := range []int{10, 1300} {
		for first := time.Duration(0); first < 56*time.Second; first += step {
			throttletest.Virtual(t, fmt.Sprintf("%d callers, from %v", callers, first), func(t *testing.T) {
				memory := throttle.NewMemory() // the files use the same rules
				starts := []time.Duration{first, first + 30*time.Second, first + 60*time.Second}
				took, alone := throttletest.ShortRuns(t, callers, starts, 0, func() throttle.Store { return memory })
				for i, start := range starts {
					most := 2*alone + 2*time.Second
					if start <= time.Minute+trip {
						most = min(time.Minute+trip-start+2*most, 40*time.Second)
					}
					if took[i] > most {
						t.Errorf("the run that started after %v took %v, want at most %v", start, took[i], most)
					}
				}
			})
		}
	}
}

// Runs one after the other share nothing, so the second one takes no longer.
func TestRunsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, service := throttle.NewMemory(), &throttletest.Service{Trip: trip}
		for _, by := range []string{"plan", "apply"} {
			l := throttle.New(throttle.Config{Store: memory})
			took := throttletest.Apply(t, l, service, by, throttletest.Key, 500, 10)
			if most := throttletest.Floor(500, trip) + 2*time.Second; took > most {
				t.Errorf("the %s of 500 requests took %v, want at most %v", by, took, most)
			}
			time.Sleep(time.Minute)
		}
		service.Check(t, 1000)
		time.Sleep(5 * time.Minute)
	})
}

// Requests for results begin at once beside many others, because their queue holds the fewest slots. They take as
// long as their own limits demand.
func TestResultsBesideManyOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, l := &throttletest.Service{Trip: trip}, throttle.New(throttle.Config{})
		var all sync.WaitGroup
		all.Go(func() { throttletest.Apply(t, l, service, "run", throttletest.Key, 240, 10) })
		all.Go(func() {
			took := throttletest.Apply(t, l, service, "run", throttletest.Results, 28, 10)
			if took > 16*time.Second {
				t.Errorf("28 results took %v, want at most 16 s", took)
			}
		})
		all.Wait()
		service.Check(t, 268)
		time.Sleep(5 * time.Minute)
	})
}
