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

// Three runs with 20 requests start 30 seconds apart beside a run with 1,300. The first takes at most 40 seconds, and
// the next two take at most twice as long as without that run, plus two seconds.
//
// The second run can be an exception. Until a run was seen beside it, a run with many requests reserves nothing, so it
// may use up its first minute within 25 seconds. If the first short run starts after that, the second one may start
// before the minute is over. No rule can give it a slot then. At the end of the minute, two runs need 40 slots of 20 in
// a second, so the second run has them a second and a half later.
func TestShortRunsBesideALongOne(t *testing.T) {
	t.Parallel()
	step := 2500 * time.Millisecond
	if testing.Short() {
		step *= 4
	}
	for _, row := range []struct {
		callers int
		trip    time.Duration
	}{
		{10, trip},
		{1300, trip},
		{8, 700 * time.Millisecond}, // the long run's queue is empty again and again
	} {
		for first := time.Duration(0); first < 56*time.Second; first += step {
			throttletest.Virtual(t, fmt.Sprintf("%d callers, %v, from %v", row.callers, row.trip, first), func(t *testing.T) {
				memory := throttle.NewMemory() // the files use the same rules
				starts := []time.Duration{first, first + 30*time.Second, first + 60*time.Second}
				took := besideALongRun(t, memory, row.callers, row.trip, starts)
				alone := row.trip * 2 // for a short run without the long one
				for i, start := range starts {
					most, over := 2*alone+2*time.Second, time.Minute+row.trip // the first minute of the long run
					switch {
					case i > 0:
						most = max(most, over+1600*time.Millisecond+alone-start)
					case start <= over:
						most = min(over-start+2*most, 40*time.Second)
					}
					if took[i] > most {
						t.Errorf("the run that started after %v took %v, want at most %v", start, took[i], most)
					}
				}
			})
		}
	}
}

// besideALongRun starts runs with 20 requests beside a run with 1,300. It returns how long each takes.
func besideALongRun(
	t *testing.T, store throttle.Store, callers int, trip time.Duration, starts []time.Duration,
) (took []time.Duration) {
	t.Helper()
	service := &throttletest.Service{Trip: trip}
	took = make([]time.Duration, len(starts))
	var all sync.WaitGroup
	long := throttle.New(throttle.Config{Store: store})
	all.Go(func() { throttletest.Apply(t, long, service, "long", throttletest.Key, 1300, callers) })
	for i, start := range starts {
		all.Go(func() {
			time.Sleep(start)
			short := throttle.New(throttle.Config{Store: store})
			took[i] = throttletest.Apply(t, short, service, fmt.Sprint("short ", i), throttletest.Key, 20, 10)
		})
	}
	all.Wait()
	service.Check(t, 1300+20*len(starts))
	return took
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
