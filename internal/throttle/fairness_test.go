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

// Beside a run with 1,300 requests, a run with 20 takes at most twice as long as without it, plus two seconds. Until a
// run was seen beside it, a run with many requests reserves nothing, so it may use up its first minute within 25
// seconds. The first short run then waits for the end of that minute, but no longer than 40 seconds.
func TestShortRunsBesideALongOne(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		callers int // of the long run
		trip    time.Duration
	}{
		{10, trip},
		{1300, trip},
		{8, 700 * time.Millisecond}, // the long run's queue is empty again and again
	} {
		for _, seconds := range []int{0, 8, 16, 24, 25, 32, 40, 41, 48} { // at 24 and 41, runs without the reserve wait
			start := time.Duration(seconds) * time.Second
			throttletest.Virtual(t, fmt.Sprintf("%d callers, %v, from %v", row.callers, row.trip, start), func(t *testing.T) {
				store, service := throttle.NewMemory(), &throttletest.Service{Trip: row.trip} // files use the same rules
				run := func(by string, n, callers int) time.Duration {
					l := throttle.New(throttle.Config{Store: store})
					return throttletest.Apply(t, l, service, by, throttletest.Key, n, callers)
				}
				var all sync.WaitGroup
				all.Go(func() { run("long", 1300, row.callers) })
				time.Sleep(start)
				if first := run("first", 20, 10); first > 40*time.Second {
					t.Errorf("the first short run took %v, want at most 40 s", first)
				}
				time.Sleep(time.Minute)
				alone := 2 * row.trip // ten callers send two requests each
				if second := run("second", 20, 10); second > 2*alone+2*time.Second {
					t.Errorf("the second short run took %v, want at most twice %v and two seconds", second, alone)
				}
				all.Wait()
				service.Check(t, 1340)
			})
		}
	}
}

// Runs one after the other share nothing, so the second one takes no longer.
func TestRunsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
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
	})
}

// Requests for results begin at once beside many others, because their queue holds the fewest slots. They take as
// long as their own limits demand.
func TestResultsBesideManyOthers(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
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
	})
}
