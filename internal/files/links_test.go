// SPDX-License-Identifier: MPL-2.0

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Other users' links are not followed, wherever they are in a chain of links. What is behind the
// link does not change.
func TestLinksOfOthersAreNotFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for link, target := range map[string]string{"ours.json": "theirs.json", "theirs.json": "victim.json"} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	trusted := func(info fs.FileInfo) bool { return info.Name() != "theirs.json" }
	for _, link := range []string{"ours.json", "theirs.json"} {
		_, err := followLinks(at(link), trusted)
		if err == nil || !strings.Contains(err.Error(), "theirs.json is a symbolic link that belongs to another user") {
			t.Errorf("%s: %v", link, err)
		}
	}
	all := func(fs.FileInfo) bool { return true }
	if got, err := followLinks(at("ours.json"), all); err != nil || filepath.Base(got) != "victim.json" {
		t.Errorf("with own links only: %s, %v", got, err)
	}
}

// A file is removed only if the same user can have written it here.
func TestFilesOfOthersAreNotRemoved(t *testing.T) {
	t.Parallel()
	own, foreign := func(fs.FileInfo) bool { return true }, func(fs.FileInfo) bool { return false }
	for name, row := range map[string]struct {
		make  func(path string) error
		own   func(fs.FileInfo) bool
		stays bool
	}{
		"a temporary file":    {func(p string) error { return os.WriteFile(p, []byte("{"), 0o600) }, own, false},
		"another user's file": {func(p string) error { return os.WriteFile(p, []byte("{"), 0o600) }, foreign, true},
		"a shared file":       {func(p string) error { return os.WriteFile(p, []byte("{"), 0o644) }, own, runtime.GOOS != "windows"},
		"a folder":            {func(p string) error { return os.Mkdir(p, 0o700) }, own, true},
		"a link":              {func(p string) error { return os.Symlink("elsewhere", p) }, own, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.json.tmp")
			if err := row.make(path); err != nil {
				t.Fatal(err)
			}
			err := removeOwn(path, row.own)
			_, left := os.Lstat(path)
			if (err != nil) != row.stays || (left == nil) != row.stays {
				t.Errorf("error %v, left %v, want it to stay: %t", err, left, row.stays)
			}
			if err != nil && !strings.Contains(err.Error(), path) {
				t.Errorf("the error does not name the file: %v", err)
			}
		})
	}
}
