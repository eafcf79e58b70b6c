// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

const trip = 50 * time.Millisecond

// solo returns how long the requests take without other runs.
func solo(t *testing.T, n, callers int) (took time.Duration) {
	t.Helper()
	return throttletest.Apply(t, (&throttletest.Service{Trip: trip}).Transport(throttle.Config{}), "/solo", n, callers)
}

// A run with few requests that starts beside a run with 1,300 takes at most twice as
// long as without that run, plus two seconds. The long run loses at most a twentieth.
func TestShortRunsBesideALongOne(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		callers int             // of the long run
		starts  []time.Duration // of the short runs
	}{
		"early":             {1300, []time.Duration{5 * time.Second}},
		"in the pause":      {1300, []time.Duration{35 * time.Second}},
		"one in each pause": {1300, []time.Duration{30 * time.Second, 95 * time.Second}},
		"ten callers":       {10, []time.Duration{5 * time.Second, 40 * time.Second, 70 * time.Second, 100 * time.Second}},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			const short = 20              // requests of each short run
			store := throttle.NewMemory() // the files use the same rules
			alone, long := solo(t, short, 10), solo(t, 1300, row.callers)
			s := &throttletest.Service{Trip: trip}
			run := func() *throttle.Transport { return s.Transport(throttle.Config{Store: store}) }
			var wg sync.WaitGroup
			wg.Go(func() {
				took := throttletest.Apply(t, run(), "/long", 1300, row.callers)
				// The requests of the short runs take time as well.
				extra := time.Duration(short*len(row.starts)/20+1) * (time.Second + trip)
				if took > long+long/20+extra {
					t.Errorf("the long run took %v, want at most a twentieth more than %v, and %v", took, long, extra)
				}
			})
			for _, start := range row.starts {
				wg.Go(func() {
					time.Sleep(start)
					took := throttletest.Apply(t, run(), "/short", short, 10)
					if took > 2*alone+2*time.Second {
						t.Errorf("%d requests from %v took %v, want at most twice %v and two seconds", short, start, took, alone)
					}
				})
			}
			wg.Wait()
			s.Check(t, 1300+short*len(row.starts))
		})
	}
}

// A hundred queues ask at most three times for each slot.
func TestQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const queues, each = 100, 3
		var questions atomic.Int64
		store := hookedStore{throttle.NewMemory(), func(context.Context) error { questions.Add(1); return nil }}
		s := &throttletest.Service{Trip: trip, Jitter: 0.5}
		var wg sync.WaitGroup
		for range queues {
			wg.Go(func() { throttletest.Apply(t, s.Transport(throttle.Config{Store: store}), "/", each, each) })
		}
		wg.Wait()
		s.Check(t, queues*each)
		if n := questions.Load(); n > 3*queues*each {
			t.Errorf("%d questions for %d slots", n, queues*each)
		}
	})
}
