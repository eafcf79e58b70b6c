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

// versions are the files of one ledger in a directory of its own, BOOT.NUMBER.budget. The
// highest number is the valid version. A version gets its name when it is complete, and
// only if the name is free (a hard link). If two processes change the same version, one of
// them fails and starts again. There is no lock, so a process that is stopped or killed at
// any point blocks no other process.
//
// Files of an earlier start of the machine have another BOOT. Their instants mean nothing
// now.
type versions struct{ dir, boot string }

// errConflict means that another process has published a version in the meantime.
var errConflict = errors.New("another process changed it in the meantime")

const (
	suffix      = ".budget"
	draft       = ".draft"       // of a version that is not published yet
	abandonedIn = 24 * time.Hour // then a draft, or a file of an earlier start, is removed
)

func (v versions) path(version uint64) string {
	return filepath.Join(v.dir, fmt.Sprintf("%s.%d%s", v.boot, version, suffix))
}

// newest returns the highest version, or zero if there is none. earlier reports that a
// budget of an earlier start of the machine exists.
func (v versions) newest() (newest uint64, earlier bool, err error) {
	err = v.each(func(version uint64, path string) {
		newest = max(newest, version)
		earlier = earlier || version == 0 && strings.HasSuffix(path, suffix)
	})
	return newest, earlier, err
}

// each calls the function for every file in the directory. Drafts and files of an earlier
// start have version 0.
func (v versions) each(file func(version uint64, path string)) error {
	entries, err := os.ReadDir(v.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		number, published := strings.CutSuffix(strings.TrimPrefix(entry.Name(), v.boot+"."), suffix)
		version, err := strconv.ParseUint(number, 10, 64)
		if err != nil || !published {
			version = 0
		}
		file(version, filepath.Join(v.dir, entry.Name()))
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
		return nil, nil // decode reports it as damaged
	}
	return b, err
}

// publish writes the bytes as the given version, which must be the next one.
func (v versions) publish(version uint64, b []byte) (err error) {
	path := filepath.Join(v.dir, rand.Text()+draft)
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
	// The name is also free if this process was stopped for so long that another
	// process published and removed the version. Then a higher version exists. It also exists
	// if another process has already based a version on this one.
	newest := uint64(0)
	var old []string
	err = v.each(func(other uint64, path string) {
		newest = max(newest, other)
		// The previous version stays for processes that are about to read it.
		if other == 0 && abandoned(path) || other != 0 && other+1 < version {
			old = append(old, path)
		}
	})
	if err != nil {
		return err
	}
	if newest > version {
		return errConflict
	}
	for _, path := range old {
		_ = os.Remove(path) // the next process removes it
	}
	return nil
}

func abandoned(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) > abandonedIn
}
