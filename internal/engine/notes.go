// SPDX-License-Identifier: MPL-2.0

package engine

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

// planNotes passes information from a plan to its apply. The apply is another process, and
// the CLI does not show it the prior state of replaced resources. The notes say:
//
//   - which creations the plan has compared with the assessments of their positions. Only
//     these may be recovered after a lost response.
//   - which position assessments the plan replaces. They are not duplicates of their
//     replacements.
//   - which existing position assessments the plan has accepted next to a creation.
//   - which creations may be duplicates that the plan could not refuse. The apply checks
//     them again.
//
// A note is a line with a hash, in a file of the user's cache directory. There is one file
// for each day, working directory, workspace and budget. Files are removed after a week.
// Without notes (without a directory, or in an apply on another machine) the apply recovers
// nothing.
type planNotes struct {
	dir   string // empty if there is no directory
	scope string

	mu    sync.Mutex
	notes map[string]bool // whether each note was written today, nil before they are read
}

const (
	notesSuffix = ".plan-notes"
	noteDays    = 7 // how long a saved plan may wait for its apply
	dayFormat   = "20060102"
)

var errNoCacheDirectory = errors.New("there is no cache directory")

func (c Creation) note() string {
	return hash("compared", c.Position, c.Assessment, c.Metadata.Key())
}

func (c Creation) guard() string {
	return hash("guarded", c.Position, c.Assessment, c.Metadata.Key())
}

func (c Creation) nextTo(existing Ref) string {
	return hash("beside", existing.ID, c.Position, c.Assessment, c.Metadata.Key())
}

func (r Ref) note() string { return hash("replaced", r.Position, r.ID) }

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

func (n *planNotes) contains(note string) bool {
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
	if _, noted := n.notes[note]; !noted {
		n.notes[note] = false // the run itself knows the note in any case
	}
	if n.dir == "" {
		return errNoCacheDirectory
	}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(n.file(time.Now()), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(note + "\n")
	err = cmp.Or(err, file.Close())
	n.notes[note] = err == nil
	return err
}

// read reads the notes of the last week, and removes older files of all scopes.
func (n *planNotes) read() {
	if n.notes != nil {
		return
	}
	n.notes = map[string]bool{}
	if n.dir == "" {
		return
	}
	today := time.Now()
	for age := noteDays; age >= -1; age-- { // including tomorrow's, in case the clock was set back
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
	return filepath.Join(n.dir, hash(n.scope)+"."+day.UTC().Format(dayFormat)+notesSuffix)
}

// Place returns the value of [Config.Place] for the current working directory and
// workspace.
func Place(getenv func(string) string) string {
	dir, _ := os.Getwd() // if it fails, it fails for the plan and for its apply
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	workspace := getenv("TF_WORKSPACE")
	if workspace == "" {
		selected, _ := os.ReadFile(filepath.Join(cmp.Or(getenv("TF_DATA_DIR"), ".terraform"), "environment"))
		workspace = cmp.Or(strings.TrimSpace(string(selected)), "default")
	}
	return dir + "\x00" + workspace
}
