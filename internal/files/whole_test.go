// SPDX-License-Identifier: MPL-2.0

package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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

// After any failure, the file does not exist or is unchanged.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("link", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		err := files.File{Path: link, Overwrite: true}.Check()
		if err == nil || !strings.Contains(err.Error(), "the path is a link or a device") {
			t.Error(err)
		}
	})
	for _, row := range []struct {
		file files.File
		says string
	}{
		{files.File{Path: path}, "a file with this path exists already"},
		{files.File{Path: dir, Overwrite: true}, "the path is a folder"},
		{files.File{Path: filepath.Join(dir, "none", "report")}, `none" does not exist`},
		{files.File{Path: filepath.Join(path, "report")}, "is not a folder"},
	} {
		if err := row.file.Check(); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%+v: %v, want %q", row.file, err, row.says)
		}
	}
	if err := (files.File{Path: path}).Write(prints("other")); err == nil {
		t.Error("a file that appeared after the check was replaced")
	}
	broken := errors.New("broken")
	file := files.File{Path: path, Overwrite: true}
	if err := file.Write(func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a report that cannot be rendered: %v", err)
	}
	if text, err := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("the file contains %q, %v", text, err)
	}
	onlyFiles(t, dir, "report")

	if err := file.Write(prints("other")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); string(text) != "other" {
		t.Errorf("the file contains %q, %v", text, err)
	}
	sandboxtest.AssertPrivate(t, path)
	onlyFiles(t, dir, "report")
}

// If several reports are written to the same path at the same time, one succeeds.
func TestFileIsWrittenOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var group sync.WaitGroup
	written := make(chan error, 8)
	for range cap(written) {
		group.Go(func() { written <- files.File{Path: filepath.Join(dir, "report")}.Write(prints("x")) })
	}
	group.Wait()
	close(written)
	won := 0
	for err := range written {
		if err == nil {
			won++
		}
	}
	if won != 1 {
		t.Errorf("%d reports were written to one path", won)
	}
	onlyFiles(t, dir, "report")
}

// A run that is killed while it writes leaves drafts with personal data. The next report in that directory removes
// them, and nothing else.
func TestFileRemovesAbandonedDrafts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, age := range map[string]time.Duration{
		".assess-report-killed": time.Hour, ".assess-report-running": time.Minute, "assess-report-mine": time.Hour,
		".other": time.Hour, ".assess-report-tree/folder": time.Hour,
	} {
		top := filepath.Join(dir, strings.Split(path, "/")[0])
		err := os.MkdirAll(filepath.Join(dir, path), 0o700)
		err = errors.Join(err, os.WriteFile(filepath.Join(top, "draft"), nil, 0o600))
		old := time.Now().Add(-age) // differs from the limit by far more than this test takes
		if err = errors.Join(err, os.Chtimes(top, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	if err := (files.File{Path: filepath.Join(dir, "report")}).Write(prints("x")); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, dir, ".assess-report-running", ".assess-report-tree", ".other", "assess-report-mine", "report")
}
