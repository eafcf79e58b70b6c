// SPDX-License-Identifier: MPL-2.0

//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The same with real users, which requires an administrator to create their files.
func TestStateFileInAFolderOfOthers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only an administrator can create files of other users")
	}
	const other = 65534
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
			file := filepath.Join(dir, entries[0].Name())
			if err := os.Lchown(file, other, other); err != nil {
				t.Fatal(err)
			}
			_, err = New(Options{StateFile: filepath.Join(dir, "state.json")})
			if err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("opened: %v", err)
			}
			if _, err := os.Lstat(file); err != nil {
				t.Errorf("the file is gone: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "victim.json")); err == nil {
				t.Error("the target of the link was written")
			}
		})
	}
}
