// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A call waits until it knows what it waits for, or until the CLI is silent, but not forever.
func TestAwait(t *testing.T) {
	t.Parallel()
	const most = time.Minute
	for name, row := range map[string]struct {
		done       time.Duration   // when it holds what the call waits for; 0 means never
		updates    []time.Duration // when the run learns something else
		other, end time.Duration   // when another call begins and ends
		want       time.Duration
	}{
		"done already":                   {done: -1, want: 0},
		"done during the silence":        {done: silence / 2, want: silence / 2},
		"silence":                        {want: silence},
		"silence after news":             {updates: []time.Duration{silence / 2, silence}, want: 2 * silence},
		"silence after another call":     {other: silence / 2, end: 5 * silence, want: 6 * silence},
		"another call that does not end": {other: silence / 2, end: 2 * most, want: most},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, start := newCalls(), time.Now()
				defer c.begin()()
				for _, at := range slices.Concat(row.updates, []time.Duration{row.done}) {
					time.AfterFunc(at, c.changed)
				}
				if row.other > 0 {
					time.AfterFunc(row.other, func() { time.AfterFunc(row.end-row.other, c.begin()) })
				}
				holds := func() bool { return row.done != 0 && time.Since(start) >= row.done }
				if got := c.await(t.Context(), most, holds); got != (row.done != 0) || time.Since(start) != row.want {
					t.Errorf("returns %t after %s, want %s", got, time.Since(start), row.want)
				}
				time.Sleep(2 * most) // until the other call has ended
			})
		})
	}
}

// Each of several callers waits for a silence of its own, because the return of the one before
// lets the CLI go on.
func TestAwaitOneCallerForEachSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, start := newCalls(), time.Now()
		var (
			all  sync.WaitGroup
			mu   sync.Mutex
			took []time.Duration
		)
		for range 3 {
			all.Go(func() {
				defer c.begin()()
				c.await(t.Context(), time.Minute, func() bool { return false })
				mu.Lock()
				defer mu.Unlock()
				took = append(took, time.Since(start))
			})
		}
		all.Wait()
		if !slices.Equal(took, []time.Duration{silence, 2 * silence, 3 * silence}) {
			t.Errorf("the callers waited %v", took)
		}
	})
}
