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

// planNotes carry from a plan to its apply what the apply cannot see, because it
// is another process and core shows it no prior state:
//
//   - which creations the plan has compared with what their positions held. After
//     a lost response only these may be recovered;
//   - which position assessments the plan replaces. They are no duplicates of
//     what replaces them;
//   - which position assessments a creation was let through beside;
//   - which creations may be duplicates, because the plan could not refuse them.
//
// A note is a line with a hash, in a file of the user's cache directory. There is
// one file per day, working directory, workspace and budget. Files are removed
// after a week. Without notes (no directory, or an apply on another machine) the
// apply recovers nothing.
type planNotes struct {
	dir   string // empty if there is none
	scope string

	mu    sync.Mutex
	notes map[string]bool // whether each was written today; nil before they were read
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

func (c Creation) beside(existing Ref) string {
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
		n.notes[note] = false // the run itself knows it in any case
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

// read reads the notes of the last days, and removes older files of any scope.
func (n *planNotes) read() {
	if n.notes != nil {
		return
	}
	n.notes = map[string]bool{}
	if n.dir == "" {
		return
	}
	today := time.Now()
	for age := noteDays; age >= -1; age-- { // tomorrow's too, in case the clock was set back
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

// Place names the working directory and its workspace, for [Config.Place].
func Place(getenv func(string) string) string {
	dir, _ := os.Getwd() // if it fails, it fails for the plan and its apply alike
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
