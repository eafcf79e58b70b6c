// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// virtual is the clock of budgets in tests with virtual time.
var virtual = Clock{Now: func() time.Duration { return time.Duration(time.Now().UnixNano()) }}

// stores are the stores that every test of a shared budget uses. Each call of the inner
// function opens another run of the same budget.
var stores = map[string]func(t *testing.T) func() Store{
	"memory": func(*testing.T) func() Store {
		s := NewMemory()
		return func() Store { return s }
	},
	"file": func(t *testing.T) func() Store {
		dir := t.TempDir()
		return func() Store { return OpenFile(dir, "key", virtual) }
	},
}

// overStores runs the test with each kind of store, in virtual time.
func overStores(t *testing.T, test func(t *testing.T, open func() Store)) {
	t.Helper()
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, store(t)) })
		})
	}
}

// overMemory runs the test with only the store in memory, in virtual time.
func overMemory(t *testing.T, test func(t *testing.T, open func() Store)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, stores["memory"](t)) })
}

// Several runs with the same key are together as fast as one run.
func TestRunsShareFairly(t *testing.T) {
	t.Parallel()
	const each = 150
	for _, c := range []struct {
		runs, callers int
		jitter        float64
	}{{2, 150, 0}, {4, 10, 0.5}} {
		t.Run(fmt.Sprintf("runs=%d,callers=%d,jitter=%v", c.runs, c.callers, c.jitter), func(t *testing.T) {
			t.Parallel()
			overStores(t, func(t *testing.T, open func() Store) {
				s := &service{roundTrip: 50 * time.Millisecond, jitter: c.jitter}
				start := time.Now()
				first, last := time.Duration(0), time.Duration(0)
				var mu sync.Mutex
				var wg sync.WaitGroup
				for range c.runs {
					wg.Go(func() {
						took := apply(t, New(Config{Next: s, Windows: windowsOf, Store: open()}), "/positions", each, c.callers)
						mu.Lock()
						defer mu.Unlock()
						if last = took; first == 0 {
							first = took
						}
					})
				}
				wg.Wait()
				s.check(t, c.runs*each)
				part := float64(time.Since(start)) / float64(floor(c.runs*each, s.roundTrip))
				t.Logf("%v, %.3f of the joint floor, and the first run ended after %v", last, part, first)
				if part > 1.10 {
					t.Errorf("%.3f of the joint floor, want at most 1.10", part)
				}
			})
		})
	}
}
