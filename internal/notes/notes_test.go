// SPDX-License-Identifier: MPL-2.0

package notes

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"
	"time"
)

var (
	noted    = content("pos-1", "asm-1")
	replaced = Object("pos-1", "pas-1")
)

func content(position, assessment string) Content {
	return Content{Position: position, Assessment: assessment, Metadata: "{}"}
}

func notesIn(dir, place, service string) *Notes {
	return New(Config{CacheDir: dir, Place: place, Service: service})
}

func write(t *testing.T, n *Notes, c Content, value Note) {
	t.Helper()
	if err := n.Write(c, value); err != nil {
		t.Fatal(err)
	}
}

// An apply finds the notes of its plan for a week. Other places and services do not find
// them. A plan with settings that are not known yet writes notes for all services.
func TestNotes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		write(t, notesIn(dir, "here", "service"), noted, Note{Compared: true, Beside: []string{replaced}})
		unknown := content("pos-2", "asm-1")
		write(t, notesIn(dir, "here", ""), unknown, Note{Enables: true})
		for range 2 {
			apply := notesIn(dir, "here", "service")
			if n := apply.Of(noted); !n.Compared || !n.Accepts("pos-1", "pas-1") || n.Accepts("pos-1", "pas-2") {
				t.Errorf("the apply finds %+v", n)
			}
			if !apply.Of(unknown).Enables {
				t.Error("the apply does not find the note of a plan with unknown settings")
			}
			if other := content("pos-1", "asm-2"); !reflect.DeepEqual(apply.Of(other), Note{}) {
				t.Error("the apply finds a note that the plan did not write")
			}
		}
		for _, elsewhere := range []*Notes{notesIn(dir, "there", "service"), notesIn(dir, "here", "other")} {
			if elsewhere.Of(noted).Compared {
				t.Errorf("%s, %s finds the note", elsewhere.Place, elsewhere.Service)
			}
		}
		time.Sleep((noteDays + 2) * 24 * time.Hour)
		if notesIn(dir, "here", "service").Of(noted).Compared {
			t.Error("the note is still found after nine days")
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "plans", "*")); len(left) != 0 {
			t.Errorf("files left: %v", left)
		}
	})
}

// A later plan takes back what earlier plans have noted: about the same creation, and about
// all creations that one with unknown parts may be.
func TestLaterPlansTakeNotesBack(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		later Content
		value Note
		want  bool
	}{
		"the same creation, accepted again": {noted, Note{Compared: true}, true},
		"the same creation, not accepted":   {noted, Note{}, false},
		"another creation":                  {content("pos-1", "asm-2"), Note{}, true},
		"unknown on the same position":      {Content{Position: "pos-1"}, Note{}, false},
		"unknown on another position":       {Content{Position: "pos-2"}, Note{}, true},
		"nothing known":                     {Content{}, Note{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, notesIn(dir, "here", "service"), noted, Note{Compared: true})
			later := notesIn(dir, "here", "service")
			write(t, later, row.later, row.value)
			if !later.Of(noted).Compared {
				t.Error("the run that takes the note back does not find it any more, but it may be the apply")
			}
			if got := notesIn(dir, "here", "service").Of(noted).Compared; got != row.want {
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
	write(t, one, noted, Note{Compared: true})
	write(t, other, Content{}, Note{Beside: []string{replaced}})
	apply := notesIn(dir, "here", "service")
	if !apply.Of(noted).Compared ||
		!apply.Of(Content{Position: "pos-1", Assessment: "asm-1", Metadata: "other"}).Accepts("pos-1", "pas-1") {
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
		if n.Write(noted, Note{Compared: true}) == nil || n.Of(noted).Compared {
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
