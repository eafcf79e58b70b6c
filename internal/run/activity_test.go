// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// waits runs a call that waits for something that never happens, and returns how long it has waited.
func (a *activity) waits(ctx context.Context) time.Duration {
	end := a.BeginCall()
	defer end()
	start := time.Now()
	a.Await(ctx, start.Add(LongestWait), func() bool { return false })
	return time.Since(start)
}

func never() bool { return false }

// A wait lasts as long as other calls are in progress or recent. After a wait that found nothing new, a run waits less.
func TestWaitEndsWithSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &activity{}
		go func() { // another resource, after a provider that takes 15 s
			time.Sleep(15 * time.Second)
			end := a.BeginCall()
			time.Sleep(time.Minute)
			end()
		}()
		if took := a.waits(t.Context()); took != 95*time.Second {
			t.Errorf("waited %s, want 20 s after the other call", took)
		}
		a.InVain()
		if took := a.waits(t.Context()); took != laterSilence {
			t.Errorf("then waited %s, want %s", took, laterSilence)
		}
	})
}

// All that see the same silence give up together.
func TestWaitsEndTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &activity{}
		start := time.Now()
		var all sync.WaitGroup
		for n := range 10 {
			all.Go(func() {
				time.Sleep(time.Duration(n) * time.Second)
				a.waits(t.Context())
				time.Sleep(time.Second) // such as reading a list again
			})
		}
		all.Wait()
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("ten waits took %s, want 9 s, one silence and 1 s", took)
		}
	})
}

// A wait ends at once when its reason is gone, and when the run is stopped. It never exceeds its limit.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &activity{}
		defer a.BeginCall()() // the call that waits
		var ready atomic.Bool
		start := time.Now()
		time.AfterFunc(3*time.Second, func() { ready.Store(true); a.Changed() })
		over := a.Await(t.Context(), start.Add(LongestWait), ready.Load)
		if over || time.Since(start) != 3*time.Second {
			t.Errorf("over: %t, after %s", over, time.Since(start))
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		start = time.Now()
		if over := a.Await(ctx, start.Add(LongestWait), never); !over || time.Since(start) != time.Second {
			t.Errorf("stopped: over %t, after %s", over, time.Since(start))
		}
		end := a.BeginCall() // another call never ends
		start = time.Now()
		if over := a.Await(t.Context(), start.Add(LongestWait), never); !over || time.Since(start) != LongestWait {
			t.Errorf("over: %t, after %s", over, time.Since(start))
		}
		end()
	})
}
