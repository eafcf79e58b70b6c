// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

var (
	noted    = Creation{Position: "pos-1", Assessment: "asm-1"}
	replaced = Ref{"pos-1", "pas-1"}
)

// An apply finds the notes of its plan for a week. Other scopes do not find them.
func TestPlanNotes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		run := func(scope string) *planNotes { return &planNotes{dir: dir, scope: scope} }
		plan := run("here")
		for range 3 {
			if err := plan.write(noted.note()); err != nil {
				t.Fatal(err)
			}
			if err := plan.write(replaced.note()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep((noteDays*24 - 1) * time.Hour)
		if err := run("here").write(noted.note()); err != nil { // renews the note
			t.Fatal(err)
		}
		for range 2 {
			apply := run("here")
			if !apply.contains(noted.note()) || !apply.contains(replaced.note()) {
				t.Error("the apply does not find the notes of its plan")
			}
		}
		if elsewhere := run("elsewhere"); elsewhere.contains(noted.note()) || elsewhere.contains(replaced.note()) {
			t.Error("another scope finds the notes")
		}
		other := Creation{Position: "pos-1", Assessment: "asm-2"}
		if apply := run("here"); apply.contains(other.note()) || apply.contains(Ref{"pos-1", "pas-2"}.note()) {
			t.Error("the apply finds a note that the plan did not write")
		}

		time.Sleep(49 * time.Hour)
		if late := run("here"); late.contains(replaced.note()) || !late.contains(noted.note()) {
			t.Error("a note of nine days ago is still found, or a note of two days ago is not")
		}
		time.Sleep(noteDays * 24 * time.Hour)
		if late := run("here"); late.contains(noted.note()) {
			t.Error("the note is still found after nine days")
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
			t.Errorf("files left: %v", left)
		}
	})
}

// Without a directory for notes, the run still finds its own notes, and the caller gets
// an error.
func TestPlanNotesWithoutADirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(file, "below")} {
		n := &planNotes{dir: dir}
		if n.write(noted.note()) == nil || n.write(replaced.note()) == nil {
			t.Errorf("%q: no error", dir)
		}
		if !n.contains(noted.note()) || !n.contains(replaced.note()) {
			t.Errorf("%q: the run does not find its own notes", dir)
		}
	}
}

// A plan and its apply have the same place: the same working directory and workspace.
func TestPlace(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "environment"), []byte("selected\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	place := func(env map[string]string) string { return Place(func(name string) string { return env[name] }) }
	base := place(nil)
	for name, other := range map[string]string{
		"TF_WORKSPACE":                        place(map[string]string{"TF_WORKSPACE": "named"}),
		"selected workspace":                  place(map[string]string{"TF_DATA_DIR": data}),
		"selected workspace and TF_WORKSPACE": place(map[string]string{"TF_DATA_DIR": data, "TF_WORKSPACE": "third"}),
	} {
		if other == base {
			t.Errorf("%s: has the same place as the default workspace", name)
		}
	}
	if place(map[string]string{"TF_DATA_DIR": data}) != place(map[string]string{"TF_WORKSPACE": "selected"}) {
		t.Error("TF_WORKSPACE and the selected workspace of the same name have different places")
	}
	if place(map[string]string{"TF_WORKSPACE": "default"}) != base {
		t.Error("TF_WORKSPACE=default has a different place than no workspace")
	}
}
