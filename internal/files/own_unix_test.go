// SPDX-License-Identifier: MPL-2.0

//go:build unix

package files

import (
	"errors"
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
	err := New(path).Change(t.Context(), func(_ []byte, err error) ([]byte, error) { return nil, err })
	if err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
		t.Errorf("error %v", err)
	}
}

// In a folder that others can write to, another user's files and links are in the way: Open neither
// follows nor removes them, and names them.
func TestFileInAFolderOfOthers(t *testing.T) {
	t.Parallel()
	for name, planted := range map[string]func(dir string) error{
		"a link to a file": func(dir string) error { return os.Symlink("victim.json", filepath.Join(dir, "state.json")) },
		"a link as the lock": func(dir string) error {
			return os.Symlink("victim.json", filepath.Join(dir, "state.json.lock"))
		},
		"a temporary file": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "state.json.tmp"), []byte("theirs"), 0o600)
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
			err = fileOfAnother(t, dir, theirs).Open(t.Context())
			if err == nil || !strings.Contains(err.Error(), theirs) {
				t.Errorf("opened: %v", err)
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

// fileOfAnother returns the file of a user to whom another file does not belong. Only an administrator can give
// a file to another user, so anyone else opens the file in the name of another user.
func fileOfAnother(t *testing.T, dir, theirs string) *File {
	t.Helper()
	f := New(filepath.Join(dir, "state.json"))
	if f.user != 0 {
		f.user++
	} else if err := os.Lchown(theirs, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	return f
}

// A link that replaces a file after it was opened is not followed, whoever made it.
func TestLinksThatAppearLaterAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"state.json", "state.json.lock"} {
		dir := t.TempDir()
		f := New(filepath.Join(dir, "state.json"))
		if err := errors.Join(f.Open(t.Context()), f.Change(t.Context(), to("text"))); err != nil {
			t.Fatal(err)
		}
		at, victim := filepath.Join(dir, name), filepath.Join(dir, "victim.json")
		if err := os.Rename(at, victim); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, at); err != nil {
			t.Fatal(err)
		}
		err := f.Change(t.Context(), func(_ []byte, err error) ([]byte, error) { return nil, err })
		if err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
