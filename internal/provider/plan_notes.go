// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// planNotes carry from a plan to its apply what the apply walk cannot see, which
// is a process of its own and is shown no prior state:
//
//   - which creations the plan has compared with what their positions held: after
//     a lost answer only these may be recognised there;
//   - which position assessments it is about to replace: they are no doubles of
//     what replaces them.
//
// A note is a line with a hash in a file of the user's cache directory, a file a
// day for each working directory, workspace and budget, good for a week. Where
// there are none, because nothing can be written or the apply runs elsewhere, the
// apply recognises nothing, and refuses what looks like a double.
type planNotes struct {
	dir   string // "" where there is none
	scope string

	mu    sync.Mutex
	notes map[string]bool // whether each is one of today's; nil before they were read
}

const (
	notesSuffix = ".plan-notes"
	noteDays    = 7 // is how long a saved plan may wait for its apply
	dayFormat   = "20060102"
)

// compared notes that a creation is none of what its position held.
func (n *planNotes) compared(c creation) error { return n.write(c.note()) }

func (n *planNotes) wasCompared(c creation) bool { return n.holds(c.note()) }

// replaces notes what is about to be replaced, or may be.
func (n *planNotes) replaces(a attachment) error { return n.write(a.note()) }

func (n *planNotes) wasReplaced(a attachment) bool { return n.holds(a.note()) }

func (c creation) note() string {
	return hashOf("compared", c.position, c.assessment, c.metadata.Key())
}

func (a attachment) note() string { return hashOf("replaced", a.position, a.id) }

func hashOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

func (n *planNotes) holds(note string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read()
	_, ok := n.notes[note]
	return ok
}

func (n *planNotes) write(note string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read()
	if n.notes[note] {
		return nil
	}
	n.notes[note] = true
	if n.dir == "" {
		return errors.New("there is none")
	}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(n.file(time.Now()), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(note + "\n")
	return cmp.Or(err, file.Close())
}

// read reads the notes of the last days, and removes older ones, whoever's.
func (n *planNotes) read() {
	if n.notes != nil {
		return
	}
	n.notes = map[string]bool{}
	if n.dir == "" {
		return
	}
	today := time.Now()
	for age := noteDays; age >= -1; age-- { // tomorrow's, where the clock was set back
		text, _ := os.ReadFile(n.file(today.AddDate(0, 0, -age)))
		for note := range strings.Lines(string(text)) {
			n.notes[strings.TrimSuffix(note, "\n")] = age == 0
		}
	}
	oldest := today.AddDate(0, 0, -noteDays).UTC().Format(dayFormat)
	all, _ := filepath.Glob(filepath.Join(n.dir, "*"+notesSuffix))
	for _, file := range all {
		_, day, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), notesSuffix), ".")
		if day < oldest {
			_ = os.Remove(file)
		}
	}
}

func (n *planNotes) file(day time.Time) string {
	return filepath.Join(n.dir, hashOf(n.scope)+"."+day.UTC().Format(dayFormat)+notesSuffix)
}

// planPlace names where a plan and its apply both run: the working directory
// and its workspace.
func planPlace(getenv func(string) string) string {
	dir, _ := os.Getwd() // unknown, it is the same for both
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	workspace := getenv("TF_WORKSPACE")
	if workspace == "" {
		selected, _ := os.ReadFile(filepath.Join(cmp.Or(getenv("TF_DATA_DIR"), ".terraform"), "environment"))
		workspace = cmp.Or(strings.TrimSpace(string(selected)), "default")
	}
	return dir + "\x00" + workspace
}
