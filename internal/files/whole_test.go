// SPDX-License-Identifier: MPL-2.0

package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// prints renders a report with this text.
func prints(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// onlyFiles fails if a directory has other files, such as a draft.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	if got, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || !slices.Equal(got, names) {
		t.Errorf("the directory has %q, want %q; %v", got, names, err)
	}
}

// A file is written only to a path where nothing else is. With Overwrite, it may replace a file.
func TestFileCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "report"), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.WriteFile(path, []byte("mine"), 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		file files.File
		says string
	}{
		"link":               {files.File{Path: link, Overwrite: true}, "the path is a link or another special file"},
		"exists":             {files.File{Path: path}, "a file with this path exists already"},
		"folder":             {files.File{Path: dir, Overwrite: true}, "the path is a folder"},
		"no folder":          {files.File{Path: filepath.Join(dir, "none", "report")}, `none" does not exist`},
		"a file as a folder": {files.File{Path: filepath.Join(path, "report")}, "is not a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := row.file.Check(); err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("%+v: %v, want %q", row.file, err, row.says)
			}
		})
	}
}

// After any failure, the file does not exist or is unchanged.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (files.File{Path: path}).Write(prints("other")); !errors.Is(err, files.ErrExists) {
		t.Errorf("a file that appeared after the check: %v", err)
	}
	broken, file := errors.New("broken"), files.File{Path: path, Overwrite: true}
	if err := file.Write(func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a report that cannot be rendered: %v", err)
	}
	for _, text := range []string{"mine", "other"} {
		if got, err := os.ReadFile(path); string(got) != text {
			t.Errorf("the file contains %q, want %q: %v", got, text, err)
		}
		onlyFiles(t, dir, "report")
		if err := file.Write(prints("other")); err != nil {
			t.Fatal(err)
		}
		sandboxtest.AssertPrivate(t, path)
	}
}
