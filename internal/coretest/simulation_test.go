// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// live runs operations in a life of a seed and returns what it became.
func live(ctx context.Context, dir string, seed uint64, ops []operation) *life {
	l := newLife(ctx, seed, dir)
	for _, op := range ops {
		if l.broken != nil {
			return l
		}
		kinds[op.kind].do(l, rand.New(rand.NewPCG(op.seed, 3))) //nolint:gosec // a simulation
	}
	if r := rand.New(rand.NewPCG(seed, 4)); l.broken == nil { //nolint:gosec // a simulation
		l.destroy(r) //nolint:contextcheck // looking at the service takes no context
	}
	return l
}

// liveInBubble is live in virtual time.
func liveInBubble(t *testing.T, seed uint64, ops []operation) (l *life) {
	t.Helper()
	dir, err := os.MkdirTemp("", "simulation")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}()
	synctest.Test(t, func(t *testing.T) { l = live(t.Context(), dir, seed, ops) })
	return l
}

// number is a setting of the environment.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestSimulation lives SEEDS lives, from FIRST on, and requires that the
// invariants hold in each. A failure is printed as the smallest history that
// still fails.
func TestSimulation(t *testing.T) {
	t.Parallel()
	const workers = 4
	first, seeds := number(t, "FIRST", 1), number(t, "SEEDS", 300)
	start := time.Now()
	var next, lived, failures atomic.Uint64
	next.Store(first)
	t.Cleanup(func() {
		took := time.Since(start)
		t.Logf(
			"%d seeds from %d: %.1f seeds/s, %d failed",
			lived.Load(),
			first,
			float64(lived.Load())/took.Seconds(),
			failures.Load(),
		)
	})
	for worker := range workers {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			most := number(t, "FAILURES", 5)
			for failures.Load() < most {
				seed := next.Add(1) - 1
				if seed >= first+seeds {
					break
				}
				lived.Add(1)
				if l := liveInBubble(t, seed, operationsOf(seed)); l.broken != nil {
					failures.Add(1)
					t.Errorf("seed %d (FIRST=%d SEEDS=1):\n%s", seed, seed, strings.Join(smallest(t, seed, l).history, "\n"))
				}
			}
		})
	}
}

// smallest leaves out operations for as long as an invariant still breaks.
func smallest(t *testing.T, seed uint64, l *life) *life {
	t.Helper()
	ops := operationsOf(seed)
	for size := len(ops) / 2; size > 0; {
		shorter := false
		for i := 0; i+size <= len(ops); {
			tried := slices.Delete(slices.Clone(ops), i, i+size)
			if again := liveInBubble(t, seed, tried); again.broken != nil {
				ops, l, shorter = tried, again, true
			} else {
				i += size
			}
		}
		if !shorter || size > 1 {
			size /= 2
		}
	}
	return l
}
