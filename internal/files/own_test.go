// SPDX-License-Identifier: MPL-2.0

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func belongsToUs(fs.FileInfo) bool { return true }

func belongsToOthers(fs.FileInfo) bool { return false }

// In a folder that others can write to, nothing of theirs is followed, removed or waited for, and the error names it. What
// a killed process of ours has left is removed.
func TestFilesOfOthers(t *testing.T) {
	t.Parallel()
	write := func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) }
	folder := func(path string) error { return os.Mkdir(path, 0o700) }
	link := func(path string) error { return os.Symlink("victim.json", path) }
	for name, row := range map[string]struct {
		planted string // beside state.json
		make    func(path string) error
		owns    func(fs.FileInfo) bool
		goes    bool
	}{
		"our temporary file":             {".assess-tmp", write, belongsToUs, true},
		"another user's temporary file":  {".assess-tmp", write, belongsToOthers, false},
		"a folder as the temporary file": {".assess-tmp", folder, belongsToUs, false},
		"a link as the temporary file":   {".assess-tmp", link, belongsToUs, false},
		"a link as the file":             {"", link, belongsToUs, false},
		"a link as the lock":             {".lock", link, belongsToUs, false},
		"a pipe as the file":             {"", pipe, belongsToUs, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			f := Shared(filepath.Join(dir, "state.json"))
			f.owns = row.owns
			planted := f.Path + row.planted
			if err := row.make(planted); errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			err := f.Change(t.Context(), func(_ []byte, err error) ([]byte, error) {
				if errors.Is(err, fs.ErrNotExist) {
					err = nil
				}
				return []byte("text"), err
			})
			if row.goes {
				if err != nil {
					t.Error(err)
				}
				want(t, f.Path, "text")
				return
			}
			if err == nil || !strings.Contains(err.Error(), planted) {
				t.Errorf("error %v, want one that names %s", err, planted)
			}
			_, stays := os.Lstat(planted)
			if _, err := os.Lstat(filepath.Join(dir, "victim.json")); stays != nil || err == nil {
				t.Errorf("what others have made: %v; the target of the link: %v", stays, err)
			}
		})
	}
}

// A folder of our own is created. It is rejected if it is a link, a file or another user's, or if others can write to
// it or to the one above it. Nothing in it is touched then.
func TestOwnFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("folders have other permissions on Windows, and not every user may make a link")
	}
	notOurs := func(info fs.FileInfo) bool { return info.Name() != "ours" }
	folder := func(mode os.FileMode) func(path, victim string) error {
		return func(path, _ string) error { // the umask does not limit the mode
			return errors.Join(os.MkdirAll(path, 0o700), os.Chmod(path, mode))
		}
	}
	file := func(path, _ string) error { return os.WriteFile(path, nil, 0o600) }
	link := func(path, victim string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(victim, path))
	}
	for name, row := range map[string]struct {
		at    string // what is made
		make  func(path, victim string) error
		owns  func(fs.FileInfo) bool
		fails string // the end of the path that the error names
	}{
		"nothing":              {"other", folder(0o700), isOwn, ""},
		"readable for all":     {"ours/below", folder(0o755), isOwn, ""},
		"a file":               {"ours", file, isOwn, "/ours"},
		"a link to a folder":   {"ours", link, isOwn, "/ours"},
		"a link below":         {"ours/below", link, isOwn, "/below"},
		"writable for a group": {"ours", folder(0o770), isOwn, "/ours"},
		"writable for others":  {"ours/below", folder(0o702), isOwn, "/below"},
		"another user's":       {"ours/below", folder(0o700), notOurs, "/ours"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "dir")
			victim := filepath.Join(dir, "victim")
			if err := errors.Join(os.MkdirAll(victim, 0o700), row.make(filepath.Join(dir, row.at), victim)); err != nil {
				t.Fatal(err)
			}
			f := Private(filepath.Join(dir, "ours"), "below", "file")
			f.open = func() (*os.Root, error) { return ownFolder(filepath.Join(dir, "ours"), "below", row.owns) }
			err := f.Change(t.Context(), to("text"))
			if row.fails == "" {
				if err != nil {
					t.Fatal(err)
				}
				want(t, filepath.Join(dir, "ours", "below", "file"), "text")
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.fails+" is not a folder that belongs to this user") {
				t.Errorf("error %v, want one about %s", err, row.fails)
			}
			if left, err := os.ReadDir(victim); err != nil || len(left) != 0 {
				t.Errorf("the target of the link has %v, error %v, want nothing", left, err)
			}
		})
	}
}
