// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// EachSeed checks SEEDS seeds of a simulation, starting with seed FIRST, in parallel. It ends when FAILURES of them
// have failed. most is the number of seeds if SEEDS is not set, and short that with -short. check returns what is wrong
// with a seed.
func EachSeed(t *testing.T, most, short uint64, check func(t *testing.T, seed uint64) (wrong string)) {
	t.Helper()
	const workers = 4
	if testing.Short() {
		most = short
	}
	first, seeds, failures := envNumber(t, "FIRST", 1), envNumber(t, "SEEDS", most), envNumber(t, "FAILURES", 5)
	start := time.Now()
	var next, checked, failed atomic.Uint64
	next.Store(first)
	t.Cleanup(func() {
		speed := float64(checked.Load()) / time.Since(start).Seconds()
		t.Logf("%d seeds from %d: %.1f seeds/s, %d failed", checked.Load(), first, speed, failed.Load())
	})
	for worker := range workers {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			for failed.Load() < failures {
				seed := next.Add(1) - 1
				if seed >= first+seeds {
					return
				}
				checked.Add(1)
				if wrong := check(t, seed); wrong != "" {
					failed.Add(1)
					t.Errorf("seed %d (FIRST=%[1]d SEEDS=1): %s", seed, wrong)
				}
			}
		})
	}
}

// envNumber returns a number from an environment variable, or fallback if the variable is not set. It fails the test if
// the value is not a number.
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
