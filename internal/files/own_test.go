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

// What a killed process has left is removed, unless another user has written it.
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
		"a folder":            {func(p string) error { return os.Mkdir(p, 0o700) }, own, true},
		"a link":              {func(p string) error { return os.Symlink("elsewhere", p) }, own, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.json")
			if err := row.make(path + ".assess-tmp"); err != nil {
				t.Fatal(err)
			}
			f := Shared(path)
			f.owns = row.own
			err := f.Change(t.Context(), to("text"))
			_, left := os.Lstat(path + ".assess-tmp")
			if (err != nil) != row.stays || (left == nil) != row.stays {
				t.Errorf("error %v, left %v, want it to stay: %t", err, left, row.stays)
			}
			if err != nil && !strings.Contains(err.Error(), path+".assess-tmp") {
				t.Errorf("the error does not name the file: %v", err)
			}
		})
	}
}

// A folder of our own is created. It is rejected if it is a link, a file or another user's, or if others can write to
// it or to the one above it. Nothing in it is touched then.
func TestOwnFolder(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		make  func(dir string) error
		owns  func(fs.FileInfo) bool
		fails string // the end of the path that the error names
	}{
		"nothing":            {make: func(string) error { return nil }},
		"ours":               {make: func(dir string) error { return os.MkdirAll(dir+"/ours/below", 0o700) }},
		"readable for all":   {make: func(dir string) error { return os.MkdirAll(dir+"/ours/below", 0o755) }},
		"a file":             {make: func(dir string) error { return os.WriteFile(dir+"/ours", nil, 0o600) }, fails: "/ours"},
		"a link to a folder": {make: func(dir string) error { return os.Symlink(victim(dir), dir+"/ours") }, fails: "/ours"},
		"a link below": {
			make: func(dir string) error {
				if err := os.Mkdir(dir+"/ours", 0o700); err != nil {
					return err
				}
				return os.Symlink(victim(dir), dir+"/ours/below")
			},
			fails: "/below",
		},
		"writable for a group": {make: func(dir string) error { return shared(dir+"/ours", 0o770) }, fails: "/ours"},
		"writable for others": {
			make: func(dir string) error {
				if err := os.Mkdir(dir+"/ours", 0o700); err != nil {
					return err
				}
				return shared(dir+"/ours/below", 0o702)
			},
			fails: "/below",
		},
		"another user's": {
			make: func(dir string) error { return os.MkdirAll(dir+"/ours/below", 0o700) },
			owns: func(info fs.FileInfo) bool { return info.Name() != "ours" }, fails: "/ours",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && (strings.Contains(name, "writable") || strings.Contains(name, "link")) {
				t.Skip("folders have other permissions on Windows, and not every user may make a link")
			}
			dir := t.TempDir()
			if err := row.make(dir); err != nil {
				t.Fatal(err)
			}
			owns := row.owns
			if owns == nil {
				owns = isOwn
			}
			f := Private(filepath.Join(dir, "ours"), "below", "file")
			f.open = func() (*os.Root, error) { return ownFolder(filepath.Join(dir, "ours"), "below", owns) }
			err := f.Change(t.Context(), to("text"))
			if row.fails == "" {
				if err != nil {
					t.Fatal(err)
				}
				want(t, filepath.Join(dir, "ours", "below", "file"), "text")
				return
			}
			if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), row.fails+" is not a folder that belongs to this user") {
				t.Errorf("error %v, want one about %s", err, row.fails)
			}
			if left, err := os.ReadDir(victim(dir)); err != nil || len(left) != 1 {
				t.Errorf("the other folder has %v, error %v, want its file", left, err)
			}
		})
	}
}

// victim returns another folder, with a file.
func victim(dir string) string {
	path := filepath.Join(filepath.Dir(dir), "victim of "+filepath.Base(dir))
	_ = os.Mkdir(path, 0o700) // it may exist
	_ = os.WriteFile(filepath.Join(path, "old.json.tmp"), nil, 0o600)
	return path
}

// shared creates a folder with permissions that the umask does not limit.
func shared(path string, mode os.FileMode) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
