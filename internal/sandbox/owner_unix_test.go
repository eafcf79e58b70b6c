// SPDX-License-Identifier: MPL-2.0

//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In a folder that others can write to, another user's files and links are in the way: the store neither
// follows nor removes them, and names them.
func TestStateFileInAFolderOfOthers(t *testing.T) {
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
			err = storeOfAnother(t, dir, theirs).open(t.Context())
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

// storeOfAnother returns the store of a user to whom a file does not belong. Only an administrator can give
// a file to another user, so anyone else opens the store in the name of another user.
func storeOfAnother(t *testing.T, dir, theirs string) *file {
	t.Helper()
	f := &file{path: filepath.Join(dir, "state.json"), seed: Demo(), user: os.Geteuid()}
	if f.user != 0 {
		f.user++
	} else if err := os.Lchown(theirs, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	return f
}

// A link that replaces a file after the store was opened is not followed, whoever made it.
func TestLinksThatAppearLaterAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"state.json", "state.json.lock"} {
		dir := t.TempDir()
		f, err := openFile(t.Context(), filepath.Join(dir, "state.json"), Demo())
		if err != nil {
			t.Fatal(err)
		}
		at, victim := filepath.Join(dir, name), filepath.Join(dir, "victim.json")
		if err := os.Rename(at, victim); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, at); err != nil {
			t.Fatal(err)
		}
		err = f.transact(t.Context(), func(*State) error { return errUnchanged })
		if err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
