// SPDX-License-Identifier: MPL-2.0

package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// parts returns files whose text is their name.
func parts(names ...string) (all []files.Part) {
	for _, name := range names {
		all = append(all, files.Part{Name: name, Render: prints(name)})
	}
	return all
}

func noPage([]byte) bool { return false }

// If one file cannot be rendered, nothing is published.
func TestFolderIsCompleteOrNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	failing := append(parts("a.html"), files.Part{Name: "b.html", Render: func(io.Writer) error { return broken }})
	parent := t.TempDir()
	isNew, exists := filepath.Join(parent, "new"), filepath.Join(parent, "exists")
	if err := os.Mkdir(exists, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{isNew, exists} {
		if err := (files.Folder{Path: path, IsPage: noPage}).Write(failing); !errors.Is(err, broken) {
			t.Errorf("%s: %v", path, err)
		}
	}
	onlyFiles(t, parent, "exists")
	onlyFiles(t, exists)
}

// A report replaces an earlier one, also the pages of positions that it does not contain, and nothing else.
func TestFolderReplacesAnEarlierReport(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "out")
	pages := func(names ...string) (all []files.Part) {
		for _, name := range names {
			all = append(all, files.Part{Name: name, Render: prints("<title>a report")})
		}
		return append(all, files.Part{Name: "results.csv", Render: prints("candidate_id")})
	}
	isPage := func(beginning []byte) bool { return strings.HasPrefix(string(beginning), "<title>a report") }
	write := func(overwrite bool, all []files.Part) {
		t.Helper()
		if err := (files.Folder{Path: path, Overwrite: overwrite, IsPage: isPage}).Write(all); err != nil {
			t.Fatal(err)
		}
	}
	write(false, pages("closed.html", "open.html", "index.html"))
	for name, text := range map[string]string{"mine.html": "<html>mine</html>", "notes.txt": "mine"} {
		if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(true, pages("open.html", "other.html", "index.html"))
	onlyFiles(t, path, "index.html", "mine.html", "notes.txt", "open.html", "other.html", "results.csv")
}

// A folder is new, or empty, or may be overwritten. Its files are private.
func TestFolder(t *testing.T) {
	t.Parallel()
	folder := func(path string) error { return os.Mkdir(path, 0o755) } // it becomes private
	notes := func(path string) error { return os.CopyFS(path, fstest.MapFS{"notes.txt": {}}) }
	for name, row := range map[string]struct {
		prepare   func(path string) error
		overwrite bool
		says      string // "" if the folder is written
	}{
		"new":                               {prepare: func(string) error { return nil }},
		"empty":                             {prepare: folder},
		"a file":                            {prepare: func(path string) error { return os.WriteFile(path, nil, 0o600) }, says: "a file, not a folder"},
		"without a parent":                  {prepare: func(path string) error { return os.Remove(filepath.Dir(path)) }, says: "does not exist"},
		"not empty":                         {prepare: notes, says: "the folder is not empty"},
		"not empty, but may be overwritten": {prepare: notes, overwrite: true},
	} {
		path := filepath.Join(t.TempDir(), "parent", "out")
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), row.prepare(path)); err != nil {
			t.Fatal(err)
		}
		folder := files.Folder{Path: path, Overwrite: row.overwrite, IsPage: noPage}
		for _, err := range []error{folder.Check(), folder.Write(parts("a.html", "index.html"))} {
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: %v, want %q", name, err, row.says)
			}
		}
		if row.says != "" {
			continue
		}
		for _, part := range []string{"a.html", "index.html"} {
			if text, err := os.ReadFile(filepath.Join(path, part)); err != nil || string(text) != part {
				t.Errorf("%s: %s contains %q, %v", name, part, text, err)
			}
			sandboxtest.AssertPrivate(t, filepath.Join(path, part))
		}
		info, err := os.Stat(path)
		if !row.overwrite && (err != nil || runtime.GOOS != "windows" && info.Mode() != os.ModeDir|0o700) {
			t.Errorf("%s: the directory has mode %v, %v", name, info.Mode(), err)
		}
		onlyFiles(t, filepath.Dir(path), "out")
	}
}

// If a file cannot be replaced, no other file is replaced either. If an error follows after the first file, the error
// says which files were published.
func TestFolderSaysWhatWasPublished(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	folder := files.Folder{Path: path, Overwrite: true, IsPage: noPage}
	if err := os.Mkdir(filepath.Join(path, "index.html"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := folder.Write(parts("a.html", "index.html"))
	if err == nil || errors.As(err, new(*files.PartialError)) || !strings.Contains(err.Error(), "index.html") {
		t.Error(err)
	}
	onlyFiles(t, path, "index.html")
	err = folder.Write(append(parts("a.html", "b.html"), files.Part{Name: "c.html", Render: func(io.Writer) error {
		drafts, err := filepath.Glob(filepath.Join(path, ".assess-report-*", "b.html"))
		if err != nil || len(drafts) != 1 {
			t.Fatalf("the drafts are %q, %v", drafts, err)
		}
		return os.Remove(drafts[0])
	}}))
	var partial *files.PartialError
	if !errors.As(err, &partial) || !slices.Equal(partial.Published, []string{"a.html"}) {
		t.Errorf("%v, %v", err, partial)
	}
}
