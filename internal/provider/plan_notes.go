// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// planNotes carry from a plan to its apply what the apply walk cannot see, which
// is a process of its own and is shown no prior state:
//
//   - that a position assessment found in the service is the very one that is
//     about to be replaced: it is no double of its replacement;
//   - that a creation was not compared with what its position held, because
//     something about it was not known yet.
//
// A note is an empty file in the user's cache directory, named by a hash, and
// good for applies from the same working directory. Where it cannot be written,
// or the apply runs on another machine, the apply refuses what looks like a
// double, and takes a plan's creations for compared.
type planNotes struct {
	dir        string // "" where there is none
	workingDir string
	budget     string // whose ids they are
	sweep      sync.Once
}

// noteValid is how long a saved plan may wait for its apply.
const noteValid = 7 * 24 * time.Hour

const noteSuffix = ".plan-note"

// replaces notes what is about to be replaced, or may be.
func (n *planNotes) replaces(a attachment) { n.write(n.file("replaced", n.budget, a.position, a.id)) }

// takeReplaced reports whether a plan has noted that, once.
func (n *planNotes) takeReplaced(a attachment) bool {
	file := n.file("replaced", n.budget, a.position, a.id)
	return n.holds(file) && os.Remove(file) == nil
}

// unchecked notes that a creation was not compared with what is there. What is
// not known of it is empty.
func (n *planNotes) unchecked(position, assessment string) {
	n.write(n.file("unchecked", position, assessment))
}

// wasUnchecked reports whether a plan has noted that of what may be this one.
func (n *planNotes) wasUnchecked(c creation) bool {
	for _, position := range []string{c.position, ""} {
		for _, assessment := range []string{c.assessment, ""} {
			if n.holds(n.file("unchecked", position, assessment)) {
				return true
			}
		}
	}
	return false
}

func (n *planNotes) file(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(append(parts, n.workingDir), "\x00")))
	return filepath.Join(n.dir, hex.EncodeToString(sum[:16])+noteSuffix)
}

func (n *planNotes) write(file string) {
	if n.dir == "" || os.MkdirAll(n.dir, 0o700) != nil {
		return // best effort, as said above
	}
	n.sweep.Do(func() {
		all, _ := filepath.Glob(filepath.Join(n.dir, "*"+noteSuffix))
		for _, old := range all { // of plans that nobody applied
			if info, err := os.Stat(old); err == nil && time.Since(info.ModTime()) > noteValid {
				_ = os.Remove(old)
			}
		}
	})
	_ = os.WriteFile(file, nil, 0o600)
}

func (n *planNotes) holds(file string) bool {
	if n.dir == "" {
		return false
	}
	info, err := os.Stat(file)
	return err == nil && time.Since(info.ModTime()) < noteValid
}
