// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

var (
	noted    = creation{position: "pos-1", assessment: "asm-1"}
	replaced = attachment{"pos-1", "pas-1"}
)

// What a plan has noted, its apply knows for a week, as often as it asks; and
// nobody elsewhere.
func TestPlanNotes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		walk := func(scope string) *planNotes { return &planNotes{dir: dir, scope: scope} }
		plan := walk("here")
		for range 3 {
			if err := plan.compared(noted); err != nil {
				t.Fatal(err)
			}
			if err := plan.replaces(replaced); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep((noteDays*24 - 1) * time.Hour)
		if err := walk("here").compared(noted); err != nil { // which makes it new
			t.Fatal(err)
		}
		for range 2 {
			apply := walk("here")
			if !apply.wasCompared(noted) || !apply.wasReplaced(replaced) {
				t.Error("the apply does not know what the plan has noted")
			}
		}
		if elsewhere := walk("elsewhere"); elsewhere.wasCompared(noted) || elsewhere.wasReplaced(replaced) {
			t.Error("it is known elsewhere, too")
		}
		other := creation{position: "pos-1", assessment: "asm-2"}
		if apply := walk("here"); apply.wasCompared(other) || apply.wasReplaced(attachment{"pos-1", "pas-2"}) {
			t.Error("what was not noted is known")
		}

		time.Sleep(49 * time.Hour)
		if late := walk("here"); late.wasReplaced(replaced) || !late.wasCompared(noted) {
			t.Error("what was noted nine days ago is still known, or what was noted two days ago is not")
		}
		time.Sleep(noteDays * 24 * time.Hour)
		if late := walk("here"); late.wasCompared(noted) {
			t.Error("it is still known after nine days")
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// Without a place for notes the walk itself still knows, and the caller is told.
func TestPlanNotesWithoutAPlace(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(file, "below")} {
		n := &planNotes{dir: dir}
		if n.compared(noted) == nil || n.replaces(replaced) == nil {
			t.Errorf("%q: no error", dir)
		}
		if !n.wasCompared(noted) || !n.wasReplaced(replaced) {
			t.Errorf("%q: the walk does not know what it has seen", dir)
		}
	}
}

// A plan and its apply share a working directory and a workspace.
func TestPlanPlace(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "environment"), []byte("selected\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	place := func(env map[string]string) string { return planPlace(func(name string) string { return env[name] }) }
	base := place(nil)
	for name, other := range map[string]string{
		"TF_WORKSPACE":        place(map[string]string{"TF_WORKSPACE": "named"}),
		"a selected one":      place(map[string]string{"TF_DATA_DIR": data}),
		"both, the name wins": place(map[string]string{"TF_DATA_DIR": data, "TF_WORKSPACE": "third"}),
	} {
		if other == base {
			t.Errorf("%s: the same place as the default workspace", name)
		}
	}
	if place(map[string]string{"TF_DATA_DIR": data}) != place(map[string]string{"TF_WORKSPACE": "selected"}) {
		t.Error("a workspace is another place where its name is in the environment")
	}
	if place(map[string]string{"TF_WORKSPACE": "default"}) != base {
		t.Error("the default workspace is another place where it is named")
	}
}
