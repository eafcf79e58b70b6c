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
			if _, err := os.Lstat(planted); err != nil {
				t.Errorf("what others have made is gone: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "victim.json")); err == nil {
				t.Error("the target of the link was written")
			}
		})
	}
}

// A draft of another user stays, and so does a folder that others may read, and what a link leads to.
func TestDraftsOfOthersStay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("folders have other permissions on Windows")
	}
	for name, row := range map[string]struct {
		mode  os.FileMode
		owns  func(fs.FileInfo) bool
		link  bool
		stays bool
	}{
		"ours":           {mode: 0o700, owns: belongsToUs},
		"another user's": {mode: 0o700, owns: belongsToOthers, stays: true},
		"another mode":   {mode: 0o755, owns: belongsToUs, stays: true},
		"a link":         {mode: 0o700, owns: belongsToUs, link: true, stays: true},
	} {
		path := filepath.Join(t.TempDir(), ".assess-report-1")
		file, removed := filepath.Join(path, "draft"), path
		if err := errors.Join(os.Mkdir(path, row.mode), os.WriteFile(file, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if row.link {
			removed = path + "2"
			if err := os.Symlink(path, removed); err != nil {
				t.Fatal(err)
			}
		}
		removeDrafts(removed, row.owns)
		if _, err := os.Lstat(file); (err == nil) != row.stays {
			t.Errorf("%s: the draft: error %v, want that it stays: %t", name, err, row.stays)
		}
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
