// SPDX-License-Identifier: MPL-2.0

package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Folder is a directory to which several files are written together. Only its owner can read
// the files.
type Folder struct {
	Path string
	// Overwrite allows a directory that is not empty. Files with the same names are replaced, and pages
	// of an earlier report are removed. Other files stay.
	Overwrite bool
}

// Part is a file of a folder.
type Part struct {
	Name   string
	Render func(io.Writer) error
}

// ErrNotEmpty is returned for a directory that is not empty and must not be changed.
var ErrNotEmpty = errors.New("the directory is not empty")

// generator is in the first part of each page, so that pages of an earlier report can be recognized.
const generator = `<meta name="generator" content="terraform-provider-assess">`

// Check returns an error if the folder cannot be written.
func (f Folder) Check() error {
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{Path: f.Path}.Check() // its parent must exist
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("the path is a file, not a directory")
	}
	empty, err := f.empty()
	if err == nil && !empty && !f.Overwrite {
		return ErrNotEmpty
	}
	return err
}

// empty reports whether the directory contains nothing but drafts.
func (f Folder) empty() (bool, error) {
	entries, err := os.ReadDir(f.Path)
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !isDraft(e.Name()) }), err
}

// Write writes all files, and publishes them in their order when all are complete. A directory
// that does not exist appears with all files, or not at all.
func (f Folder) Write(parts []Part) error {
	if err := f.Check(); err != nil {
		return err
	}
	_, err := os.Stat(f.Path)
	isNew := errors.Is(err, fs.ErrNotExist)
	home := f.Path
	if isNew {
		home = filepath.Dir(f.Path)
	}
	removeAbandoned(home, time.Now())
	drafts, err := os.MkdirTemp(home, draftPattern) // mode 0700
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(drafts) }() // has no effect after the directory got its name
	for _, part := range parts {
		if err := part.write(drafts); err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	if isNew {
		return os.Rename(drafts, f.Path)
	}
	return f.publish(drafts, parts)
}

// write renders the file before it creates it, so that a run that is killed rarely leaves a part
// of a draft.
func (p Part) write(dir string) error {
	var text bytes.Buffer
	if err := p.Render(&text); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(dir, p.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text.Bytes())
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// publish moves the drafts into a directory that exists.
func (f Folder) publish(drafts string, parts []Part) error {
	if empty, err := f.empty(); err == nil && empty {
		_ = os.Chmod(f.Path, 0o700) //nolint:gosec // a directory. It may belong to another user, and the files are private
	}
	names := map[string]bool{}
	for _, part := range parts {
		names[part.Name] = true
		to := File{Path: filepath.Join(f.Path, part.Name), Overwrite: f.Overwrite}
		if err := to.MayReplace(); err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
		if err := os.Rename(filepath.Join(drafts, part.Name), to.Path); err != nil {
			return err
		}
	}
	return f.removeEarlier(names)
}

// removeEarlier removes the pages of an earlier report, except for those with these names. They contain personal
// data that nothing refers to any more.
func (f Folder) removeEarlier(except map[string]bool) error {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		path := filepath.Join(f.Path, entry.Name())
		if !except[entry.Name()] && entry.Type().IsRegular() && strings.HasSuffix(entry.Name(), ".html") && isPage(path) {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// isPage reports whether a file is a page that this package has written.
func isPage(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	start := make([]byte, 4096)
	n, _ := io.ReadFull(file, start) // a page is longer, and a shorter file is none
	return bytes.Contains(start[:n], []byte(generator))
}
