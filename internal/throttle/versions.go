// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// versions are the files of one ledger: NAME.NUMBER.budget, of which the highest
// number is the valid one. A version gets its name complete and only if the name
// is free (a hard link), so of two processes that change the same version one
// fails and begins again. There is no lock: a process that is stopped or killed
// at any point holds up no other.
type versions struct{ dir, name string }

var (
	// errConflict says that another process has published in between.
	errConflict = errors.New("changed in between")
	// errOvertaken says so of a version that was published. Either other processes
	// went on from it, or it was too late, and the name was free again.
	errOvertaken = fmt.Errorf("%w: a higher version exists", errConflict)
)

const (
	suffix   = ".budget"
	draft    = ".draft"    // of a version that is not published yet
	draftFor = time.Minute // older ones are a dead process's
)

func (v versions) path(version uint64) string {
	return filepath.Join(v.dir, fmt.Sprintf("%s.%d%s", v.name, version, suffix))
}

// newest returns the highest version, zero if there is none.
func (v versions) newest() (newest uint64, err error) {
	err = v.each(func(version uint64, _ string) { newest = max(newest, version) })
	return newest, err
}

// each calls the function for every file of the ledger; a draft has version 0.
func (v versions) each(file func(version uint64, path string)) error {
	dir, err := os.Open(v.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return err
	}
	for _, name := range names {
		rest, ours := strings.CutPrefix(name, v.name+".")
		if !ours {
			continue
		}
		path := filepath.Join(v.dir, name)
		number, published := strings.CutSuffix(rest, suffix)
		if version, err := strconv.ParseUint(number, 10, 64); published && err == nil {
			file(version, path)
		} else if strings.HasSuffix(name, draft) {
			file(0, path)
		}
	}
	return nil
}

// read reads a version. If it is gone, the error is errConflict.
func (v versions) read(version uint64) ([]byte, error) {
	b, err := os.ReadFile(v.path(version))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errConflict
	}
	if len(b) > tooBig {
		return nil, nil // decode says that it is damaged
	}
	return b, err
}

// publish makes the bytes the given version, which must be the next one.
func (v versions) publish(version uint64, b []byte) (err error) {
	path := filepath.Join(v.dir, v.name+"."+rand.Text()+draft)
	if err = os.WriteFile(path, b, 0o600); errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(v.dir, 0o700); err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
	}
	defer func() { _ = os.Remove(path) }()
	if err != nil {
		return err
	}
	err = os.Link(path, v.path(version))
	if errors.Is(err, fs.ErrExist) {
		return errConflict
	}
	if err != nil {
		return err
	}
	// The name was also free if this process was stopped for so long that the
	// version has come and gone. Then a higher one exists.
	newest := uint64(0)
	var old []string
	err = v.each(func(other uint64, path string) {
		newest = max(newest, other)
		// The version before stays for those that are about to read it.
		if other == 0 && abandoned(path) || other != 0 && other+1 < version {
			old = append(old, path)
		}
	})
	if err != nil {
		return err
	}
	if newest > version {
		return errOvertaken
	}
	for _, path := range old {
		_ = os.Remove(path) // the next process tries again
	}
	return nil
}

func abandoned(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) > draftFor
}
