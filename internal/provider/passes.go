// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"
)

// passes carry from the plan to its apply what a plan has let through because
// it knew better: that a position assessment found in the service is the very
// one that is about to be replaced. The apply walk plans a replacement once
// more, in a new process that is shown no prior state, and would refuse it.
//
// A pass is an empty file in the user's cache directory, named by a hash, and
// good for one apply from the same working directory. Where
// it cannot be written, or the apply runs on another machine, the apply refuses
// what looks like a double: nothing is lost.
type passes struct {
	dir   string // "" where there is none
	scope string // whose ids they are, and the configuration that holds them
}

// passValid is how long a saved plan may wait for its apply.
const passValid = 7 * 24 * time.Hour

func (p passes) file(a attachment) string {
	sum := sha256.Sum256([]byte(p.scope + "\x00" + a.position + "\x00" + a.id))
	return filepath.Join(p.dir, "replaced-"+hex.EncodeToString(sum[:16]))
}

// leave lets the apply of this plan through.
func (p passes) leave(a attachment) {
	if p.dir == "" || os.MkdirAll(p.dir, 0o700) != nil {
		return // best effort, as said above
	}
	left, _ := filepath.Glob(filepath.Join(p.dir, "replaced-*"))
	for _, file := range left { // of plans that nobody applied
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > passValid {
			_ = os.Remove(file)
		}
	}
	_ = os.WriteFile(p.file(a), nil, 0o600)
}

// take reports whether a plan has let this through, once.
func (p passes) take(a attachment) bool {
	if p.dir == "" {
		return false
	}
	info, err := os.Stat(p.file(a))
	return err == nil && os.Remove(p.file(a)) == nil && time.Since(info.ModTime()) < passValid
}
