// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const trip = 50 * time.Millisecond

// solo returns how long the requests take without other runs.
func solo(t *testing.T, n, callers int) (took time.Duration) {
	t.Helper()
	return apply(t, New(Config{Next: &service{roundTrip: trip}, Windows: windowsOf}), "/solo", n, callers)
}

// A run with few requests that starts beside a run with 1,300 takes at most twice as
// long as without that run, plus two seconds. The long run loses at most a twentieth.
func TestShortRunsBesideALongOne(t *testing.T) {
	t.Parallel()
	longAlone := map[int]time.Duration{} // how long it takes without other runs, by number of callers
	for _, callers := range []int{10, 1300} {
		synctest.Test(t, func(t *testing.T) { longAlone[callers] = solo(t, 1300, callers) })
	}
	for name, row := range map[string]struct {
		callers int             // of the long run
		starts  []time.Duration // of the short runs
		short   int             // requests of each short run
	}{
		"early":                       {1300, []time.Duration{5 * time.Second}, 20},
		"in the pause":                {1300, []time.Duration{35 * time.Second}, 20},
		"one in each pause":           {1300, []time.Duration{30 * time.Second, 95 * time.Second}, 20},
		"three at once, early":        {1300, []time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second}, 20},
		"three at once, in the pause": {1300, []time.Duration{35 * time.Second, 35 * time.Second, 35 * time.Second}, 8},
		"ten callers": {
			10, []time.Duration{5 * time.Second, 40 * time.Second, 70 * time.Second, 100 * time.Second}, 20,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over := overStores
			if name != "ten callers" { // the files use the same rules
				over = overMemory
			}
			over(t, func(t *testing.T, open func() Store) {
				// Short runs that start together can only be compared with the time
				// that they take together.
				together := 1
				for together < len(row.starts) && row.starts[together] == row.starts[0] {
					together++
				}
				alone, long := solo(t, row.short*together, 10*together), longAlone[row.callers]
				s := &service{roundTrip: trip}
				run := func() *Transport { return New(Config{Next: s, Windows: windowsOf, Store: open()}) }
				var wg sync.WaitGroup
				wg.Go(func() {
					took := apply(t, run(), "/long", 1300, row.callers)
					// The requests of the short runs take time as well.
					extra := time.Duration(row.short*len(row.starts)/20+1) * (time.Second + trip)
					t.Logf("the long run took %v, and %v without other runs", took, long)
					if took > long+long/20+extra {
						t.Errorf("the long run took %v, want at most a twentieth more than %v, and %v", took, long, extra)
					}
				})
				for _, start := range row.starts {
					wg.Go(func() {
						time.Sleep(start)
						took := apply(t, run(), "/short", row.short, 10)
						t.Logf("%d requests from second %v took %v, and %v without other runs", row.short, start.Seconds(), took, alone)
						if took > 2*alone+2*time.Second {
							t.Errorf("%d requests took %v, want at most twice %v and two seconds", row.short, took, alone)
						}
					})
				}
				wg.Wait()
				s.check(t, 1300+row.short*len(row.starts))
			})
		})
	}
}

// Three runs of 20 requests, one after the other, beside a run with 1,300: each takes at
// most twice as long as alone, plus two seconds. Runs of a CLI have ten callers, so it is
// not known how many requests will follow. A run that uses the budget alone may then take
// all slots of a minute, so the first short run starts before that.
func TestShortRunsInTurn(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		for _, callers := range []int{10, 1300} {
			t.Run(fmt.Sprintf("seed=%d,callers=%d", seed, callers), func(t *testing.T) {
				t.Parallel()
				overMemory(t, func(t *testing.T, open func() Store) {
					random := rand.New(rand.NewPCG(seed, 0))
					first := time.Duration(random.Int64N(int64(20 * time.Second)))
					if callers == 1300 {
						first = time.Duration(random.Int64N(int64(110 * time.Second)))
					}
					s := &service{roundTrip: trip, jitter: 0.5}
					run := func() *Transport { return New(Config{Next: s, Windows: windowsOf, Store: open()}) }
					var wg sync.WaitGroup
					wg.Go(func() { apply(t, run(), "/long", 1300, callers) })
					time.Sleep(first)
					for i := range 3 {
						alone := solo(t, 20, 10)
						took := apply(t, run(), "/short", 20, 10)
						t.Logf("run %d took %v, and %v alone, from %v", i+1, took, alone, first)
						if took > 2*alone+2*time.Second {
							t.Errorf("run %d took %v, want at most twice %v and two seconds", i+1, took, alone)
						}
					}
					wg.Wait()
					s.check(t, 1360)
				})
			})
		}
	}
}

// asked is a store that reports each question.
type asked struct {
	Store
	tell func()
}

func (a asked) Acquire(ctx context.Context, ask Ask) (Answer, error) {
	a.tell()
	return a.Store.Acquire(ctx, ask)
}

// A hundred queues ask at most three times for each slot.
func TestQuestions(t *testing.T) {
	t.Parallel()
	for name, each := range map[string]int{"one request": 1, "three requests": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const queues = 100
				var mu sync.Mutex
				store, questions := NewMemory(), 0
				s := &service{roundTrip: trip, jitter: 0.5}
				var wg sync.WaitGroup
				for range queues {
					ask := func() { mu.Lock(); questions++; mu.Unlock() }
					transport := New(Config{Next: s, Windows: windowsOf, Store: asked{store, ask}})
					wg.Go(func() { apply(t, transport, "/", each, each) })
				}
				wg.Wait()
				s.check(t, queues*each)
				if per := float64(questions) / float64(queues*each); per > 3 {
					t.Errorf("%.2f questions for each slot, want 3 at most", per)
				} else {
					t.Logf("%.2f questions for each slot", per)
				}
			})
		})
	}
}

// While several runs wait, no run is served more than its equal share. At the service,
// a run may be ahead by the window that it filled before the others came. Its requests
// in flight may also overtake those of other runs.
func TestRunsShareEqually(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, open func() Store) {
		s := &service{roundTrip: 50 * time.Millisecond, jitter: 0.5}
		const runs, each = 3, 100
		var wg sync.WaitGroup
		for i := range runs {
			wg.Go(func() {
				apply(t, New(Config{Next: s, Windows: windowsOf, Store: open()}), fmt.Sprintf("/%d", i), each, each)
			})
		}
		wg.Wait()
		s.check(t, runs*each)
		served := map[string]int{}
		for _, path := range s.paths() {
			served[path]++
			counts := []int{served["/0"], served["/1"], served["/2"]}
			if slices.Max(counts) < each && slices.Max(counts)-slices.Min(counts) > 40 {
				t.Fatalf("served %v, want them no more than two windows apart", counts)
			}
		}
	})
}
