// SPDX-License-Identifier: MPL-2.0

//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of the file is an error. Reading it would wait for a writer, and nothing could stop that.
func TestPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Shared(path).Change(t.Context(), func(_ []byte, err error) ([]byte, error) { return nil, err })
	if err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
		t.Errorf("error %v", err)
	}
}

// In a folder that others can write to, links and another user's files are in the way: they are neither followed nor
// removed, and the error names them.
func TestFileInAFolderOfOthers(t *testing.T) {
	t.Parallel()
	for name, planted := range map[string]func(dir string) error{
		"a link to a file": func(dir string) error { return os.Symlink("victim.json", filepath.Join(dir, "state.json")) },
		"a link as the lock": func(dir string) error {
			return os.Symlink("victim.json", filepath.Join(dir, "state.json.lock"))
		},
		"a temporary file": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "state.json.assess-tmp"), []byte("theirs"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := planted(dir); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 {
				t.Fatalf("%v, %v", entries, err)
			}
			theirs := filepath.Join(dir, entries[0].Name())
			f := Shared(filepath.Join(dir, "state.json"))
			f.owns = ownerIsNot(t, theirs)
			err = f.Change(t.Context(), func(_ []byte, err error) ([]byte, error) {
				if errors.Is(err, fs.ErrNotExist) {
					err = nil
				}
				return []byte("text"), err
			})
			if err == nil || !strings.Contains(err.Error(), theirs) {
				t.Errorf("changed: %v", err)
			}
			if _, err := os.Lstat(theirs); err != nil {
				t.Errorf("the file is gone: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "victim.json")); err == nil {
				t.Error("the target of the link was written")
			}
		})
	}
}

// ownerIsNot gives a file to another user. Only an administrator can do that, so anyone else looks at it as another
// user.
func ownerIsNot(t *testing.T, path string) func(fs.FileInfo) bool {
	t.Helper()
	if os.Geteuid() == 0 {
		if err := os.Lchown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		return isOwn
	}
	return func(info fs.FileInfo) bool { return ownerOf(info) == os.Geteuid()+1 }
}

// A link that replaces a file after it was opened is not followed, whoever made it.
func TestLinksThatAppearLaterAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"state.json", "state.json.lock"} {
		dir := t.TempDir()
		f := Shared(filepath.Join(dir, "state.json"))
		if err := f.Change(t.Context(), to("text")); err != nil {
			t.Fatal(err)
		}
		path, victim := filepath.Join(dir, name), filepath.Join(dir, "victim.json")
		if err := errors.Join(os.Rename(path, victim), os.Symlink("victim.json", path)); err != nil {
			t.Fatal(err)
		}
		err := f.Change(t.Context(), func(_ []byte, err error) ([]byte, error) { return nil, err })
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A draft of another user stays, and so does a folder that others may read, and what a link leads to.
func TestDraftsOfOthersStay(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		mode  os.FileMode
		other bool // user
		link  bool
		stays bool
	}{
		"ours":           {mode: 0o700},
		"another user's": {mode: 0o700, other: true, stays: true},
		"another mode":   {mode: 0o755, stays: true},
		"a link":         {mode: 0o700, link: true, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), ".assess-report-1")
			file := filepath.Join(path, "draft")
			if err := errors.Join(os.Mkdir(path, row.mode), os.WriteFile(file, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			owns, removed := isOwn, path
			if row.other {
				owns = ownerIsNot(t, path)
			}
			if row.link {
				removed = path + "2"
				if err := os.Symlink(path, removed); err != nil {
					t.Fatal(err)
				}
			}
			removeDrafts(removed, owns)
			_, err := os.Lstat(file)
			if (err == nil) != row.stays {
				t.Errorf("the draft: error %v, want that it stays: %t", err, row.stays)
			}
		})
	}
}
