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

// simulate runs operations in the workspace of a seed and returns the workspace.
func simulate(ctx context.Context, dir string, seed uint64, ops []operation) *workspace {
	w := newWorkspace(ctx, seed, dir)
	for _, op := range ops {
		if w.violation != nil {
			return w
		}
		kinds[op.kind].do(w, rand.New(rand.NewPCG(op.seed, 3))) //nolint:gosec // a simulation
	}
	if r := rand.New(rand.NewPCG(seed, 4)); w.violation == nil { //nolint:gosec // a simulation
		w.destroy(r) //nolint:contextcheck // reading the service's state takes no context
	}
	return w
}

// inVirtualTime runs simulate in virtual time.
func inVirtualTime(t *testing.T, seed uint64, ops []operation) (w *workspace) {
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
	synctest.Test(t, func(t *testing.T) { w = simulate(t.Context(), dir, seed, ops) })
	return w
}

// envNumber returns a number from an environment variable.
func envNumber(t *testing.T, name string, fallback uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestSimulation simulates the workspaces of SEEDS seeds, starting with seed FIRST, and
// checks the invariants in each. It reports the shortest history that still fails.
func TestSimulation(t *testing.T) {
	t.Parallel()
	const workers = 4
	most := uint64(200)
	if testing.Short() {
		most = 50
	}
	first, seeds := envNumber(t, "FIRST", 1), envNumber(t, "SEEDS", most)
	// real time: only for the log
	start := time.Now()
	var next, simulated, failures atomic.Uint64
	next.Store(first)
	t.Cleanup(func() {
		// real time: only for the log
		took := time.Since(start)
		t.Logf(
			"%d seeds from %d: %.1f seeds/s, %d failed",
			simulated.Load(),
			first,
			float64(simulated.Load())/took.Seconds(),
			failures.Load(),
		)
	})
	for worker := range workers {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			most := envNumber(t, "FAILURES", 5)
			for failures.Load() < most {
				seed := next.Add(1) - 1
				if seed >= first+seeds {
					break
				}
				simulated.Add(1)
				if w := inVirtualTime(t, seed, operationsOf(seed)); w.violation != nil {
					failures.Add(1)
					t.Errorf("seed %d (FIRST=%d SEEDS=1):\n%s", seed, seed, strings.Join(minimize(t, seed, w).history, "\n"))
				}
			}
		})
	}
}

// minimize removes operations as long as an invariant is still violated.
func minimize(t *testing.T, seed uint64, w *workspace) *workspace {
	t.Helper()
	ops := operationsOf(seed)
	for size := len(ops) / 2; size > 0; {
		shorter := false
		for i := 0; i+size <= len(ops); {
			tried := slices.Delete(slices.Clone(ops), i, i+size)
			if again := inVirtualTime(t, seed, tried); again.violation != nil {
				ops, w, shorter = tried, again, true
			} else {
				i += size
			}
		}
		if !shorter || size > 1 {
			size /= 2
		}
	}
	return w
}
