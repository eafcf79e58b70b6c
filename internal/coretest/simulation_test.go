// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// simulate runs operations in the workspace of a seed and returns the workspace.
func simulate(t *testing.T, dir string, seed uint64, ops []operation, c circumstances) *workspace {
	t.Helper()
	w := newWorkspace(t, seed, dir, c)
	for _, op := range ops {
		if w.violation != nil {
			return w
		}
		kinds[op.kind].do(w, rand.New(rand.NewPCG(op.seed, 3))) //nolint:gosec // a simulation
		w.distinguish(rand.New(rand.NewPCG(op.seed, 7)))        //nolint:gosec // a simulation
	}
	if r := rand.New(rand.NewPCG(seed, 4)); w.violation == nil { //nolint:gosec // a simulation
		w.destroy(r)
	}
	return w
}

// inVirtualTime runs simulate in virtual time.
func inVirtualTime(t *testing.T, seed uint64, ops []operation, c circumstances) (w *workspace) {
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
	defer func() {
		if left := filesIn(t, dir); w != nil && !slices.Equal(left, []string{leftover}) && w.violation == nil {
			w.failf("the cache directories contain %q", left) // only the shared budget may be there, which is off
		}
	}()
	synctest.Test(t, func(t *testing.T) { w = simulate(t, dir, seed, ops, c) })
	return w
}

// filesIn returns the names of all files in a directory.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, entry.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestSimulation simulates the workspaces of SEEDS seeds, starting with seed FIRST, and
// checks the invariants in each. It reports the shortest history that still fails.
func TestSimulation(t *testing.T) {
	t.Parallel()
	sandboxtest.EachSeed(t, 200, 50, func(t *testing.T, seed uint64) (failed string) {
		if w := inVirtualTime(t, seed, operationsOf(seed), circumstances{}); w.violation != nil {
			failed = strings.Join(minimize(t, seed, w).history, "\n")
		}
		return failed
	})
}

// TestNothingIsCarried simulates the same life with an empty, a full and no cache directory, and beside
// plans that are never applied. It must send the same requests and say the same (invariant 7).
func TestNothingIsCarried(t *testing.T) {
	t.Parallel()
	sandboxtest.EachSeed(t, 300, 15, func(t *testing.T, seed uint64) string {
		ops := operationsOf(seed)
		empty := circumstances{cache: emptyCache, faultless: true}
		for name, c := range map[string]circumstances{
			"without a cache directory":                              {cache: noCache, faultless: true},
			"with a full one, beside two plans that are not applied": {cache: fullCache, faultless: true, abandons: 2},
		} {
			if d := differs(t, seed, ops, empty, c); d != "" {
				return name + ", " + d
			}
		}
		return ""
	})
}

// differs describes how a life differs in two circumstances. Calls at the same time can go either way, such as which
// of two creations gets the first ID. So the same life is repeated until one outcome occurs in both circumstances.
func differs(t *testing.T, seed uint64, ops []operation, a, b circumstances) (found string) {
	t.Helper()
	var before, after [][]string
	for range 20 {
		before = append(before, inVirtualTime(t, seed, ops, a).observed)
		life := inVirtualTime(t, seed, ops, b)
		after = append(after, life.observed)
		for _, x := range before {
			for _, y := range after {
				d := firstDifference(x, y)
				if d == "" {
					return ""
				}
				found = d + "\n" + strings.Join(life.history, "\n")
			}
		}
	}
	return found
}

// firstDifference describes the first difference of two lists of events.
func firstDifference(a, b []string) string {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return "there is also: " + b[i]
		case i >= len(b):
			return "there is no: " + a[i]
		case a[i] != b[i]:
			return fmt.Sprintf("there is:\n%s\ninstead of:\n%s", b[i], a[i])
		}
	}
	return ""
}

// minimize removes operations as long as an invariant is still violated.
func minimize(t *testing.T, seed uint64, w *workspace) *workspace {
	t.Helper()
	ops := operationsOf(seed)
	for size := len(ops) / 2; size > 0; {
		shorter := false
		for i := 0; i+size <= len(ops); {
			tried := slices.Delete(slices.Clone(ops), i, i+size)
			if again := inVirtualTime(t, seed, tried, circumstances{}); again.violation != nil {
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
