// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A call waits until it knows what it waits for, or until the CLI is silent.
func TestAwait(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		done       time.Duration   // when it holds what the call waits for, or 0
		updates    []time.Duration // when the run learns something else
		other, end time.Duration   // when another call begins and ends
		want       time.Duration
	}{
		"done already":               {done: -1, want: 0},
		"done during the silence":    {done: silence / 2, want: silence / 2},
		"silence":                    {want: silence},
		"silence after news":         {updates: []time.Duration{silence / 2, silence}, want: 2 * silence},
		"silence after another call": {other: silence / 2, end: 5 * silence, want: 6 * silence},
		"silence after a long call":  {other: silence / 2, end: time.Hour, want: time.Hour + silence},
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
				if silent := c.await(t.Context(), holds); silent != (row.done == 0) || time.Since(start) != row.want {
					t.Errorf("returns %t after %s, want %s", silent, time.Since(start), row.want)
				}
			})
		})
	}
}

// A canceled call does not wait, and has seen no silence.
func TestAwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), silence/2)
		defer cancel()
		c, start := newCalls(), time.Now()
		if c.await(ctx, func() bool { return false }) || time.Since(start) != silence/2 {
			t.Errorf("silent, or returned after %s", time.Since(start))
		}
	})
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
				c.await(t.Context(), func() bool { return false })
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
