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
	noted    = Creation{Position: "pos-1", Assessment: "asm-1"}.content()
	replaced = Ref{"pos-1", "pas-1"}
)

func notesIn(dir, place, scope string) *notes {
	return &notes{dir: dir, place: place, scope: scope, start: time.Now()}
}

func write(t *testing.T, n *notes, c content, value note) {
	t.Helper()
	if err := n.write(c, value); err != nil {
		t.Fatal(err)
	}
}

// An apply finds the notes of its plan for a week. Other places and services do not find
// them. A plan with settings that are not known yet writes notes for all services.
func TestNotes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		write(t, notesIn(dir, "here", "service"), noted, note{Compared: true, Beside: []string{replaced.hash()}})
		unknown := Creation{Position: "pos-2", Assessment: "asm-1"}.content()
		write(t, notesIn(dir, "here", ""), unknown, note{Enables: true})
		for range 2 {
			apply := notesIn(dir, "here", "service")
			if n := apply.of(noted); !n.Compared || !n.accepts(replaced) || n.accepts(Ref{"pos-1", "pas-2"}) {
				t.Errorf("the apply finds %+v", n)
			}
			if !apply.of(unknown).Enables {
				t.Error("the apply does not find the note of a plan with unknown settings")
			}
			if other := (Creation{Position: "pos-1", Assessment: "asm-2"}).content(); !apply.of(other).equal(note{}) {
				t.Error("the apply finds a note that the plan did not write")
			}
		}
		for _, elsewhere := range []*notes{notesIn(dir, "there", "service"), notesIn(dir, "here", "other")} {
			if elsewhere.of(noted).Compared {
				t.Errorf("%s, %s finds the note", elsewhere.place, elsewhere.scope)
			}
		}
		time.Sleep((noteDays + 2) * 24 * time.Hour)
		if notesIn(dir, "here", "service").of(noted).Compared {
			t.Error("the note is still found after nine days")
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
			t.Errorf("files left: %v", left)
		}
	})
}

// A later plan takes back what earlier plans have noted: about the same creation, and about
// all creations that one with unknown parts may be.
func TestLaterPlansTakeNotesBack(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		later content
		value note
		want  bool
	}{
		"the same creation, accepted again": {noted, note{Compared: true}, true},
		"the same creation, not accepted":   {noted, note{}, false},
		"another creation":                  {Creation{Position: "pos-1", Assessment: "asm-2"}.content(), note{}, true},
		"unknown on the same position":      {content{position: "pos-1"}, note{}, false},
		"unknown on another position":       {content{position: "pos-2"}, note{}, true},
		"nothing known":                     {content{}, note{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, notesIn(dir, "here", "service"), noted, note{Compared: true})
			later := notesIn(dir, "here", "service")
			write(t, later, row.later, row.value)
			if !later.of(noted).Compared {
				t.Error("the run that takes the note back does not find it any more, but it may be the apply")
			}
			if got := notesIn(dir, "here", "service").of(noted).Compared; got != row.want {
				t.Errorf("the note is found: %t, want %t", got, row.want)
			}
		})
	}
}

// A process of the same plan, for another alias of the provider, takes nothing back that was
// noted after it began.
func TestAliasesTakeNothingBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, other := notesIn(dir, "here", "service"), notesIn(dir, "here", "service")
	write(t, one, noted, note{Compared: true})
	write(t, other, content{}, note{Beside: []string{replaced.hash()}})
	apply := notesIn(dir, "here", "service")
	if !apply.of(noted).Compared ||
		!apply.of(content{position: "pos-1", assessment: "asm-1", metadata: "other"}).accepts(replaced) {
		t.Error("a note of the plan is missing")
	}
}

// Without a directory, the caller gets an error, and there are no notes.
func TestNotesWithoutADirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(file, "below")} {
		n := notesIn(dir, "here", "service")
		if n.write(noted, note{Compared: true}) == nil || n.of(noted).Compared {
			t.Errorf("%q: no error, or a note", dir)
		}
	}
}

// A plan and its apply have the same place: the same working directory, workspace and
// backend.
func TestPlace(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "environment"), []byte("selected\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	backend := t.TempDir()
	state := []byte(`{"version": 3, "serial": 1, "backend": {"type": "s3", "config": {"key": "prod"}, "hash": 1}}`)
	if err := os.WriteFile(filepath.Join(backend, "terraform.tfstate"), state, 0o600); err != nil {
		t.Fatal(err)
	}
	place := func(env map[string]string) string { return Place(func(name string) string { return env[name] }) }
	base := place(nil)
	for name, other := range map[string]string{
		"TF_WORKSPACE":                        place(map[string]string{"TF_WORKSPACE": "named"}),
		"selected workspace":                  place(map[string]string{"TF_DATA_DIR": data}),
		"selected workspace and TF_WORKSPACE": place(map[string]string{"TF_DATA_DIR": data, "TF_WORKSPACE": "third"}),
		"backend":                             place(map[string]string{"TF_DATA_DIR": backend}),
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
