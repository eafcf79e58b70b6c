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
	"time"
)

// File is the file that a report is written to.
type File struct {
	Path string
	// Overwrite is whether a file that exists is replaced.
	Overwrite bool
}

var errReportExists = errors.New("a file with this path exists already. Choose another path, or set overwrite = true")

// Check returns an error if the path could not be written later.
func (f File) Check() error {
	if err := f.MayReplace(); err != nil {
		return err
	}
	dir := filepath.Dir(f.Path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the directory %q does not exist. Create it first", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%q is not a directory", dir)
	}
	return nil
}

// MayReplace returns an error if there is a file that must not be replaced.
func (f File) MayReplace() error {
	switch info, err := os.Lstat(f.Path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("the path is a directory. Add the name of a file to it")
	case !info.Mode().IsRegular():
		return errors.New("the path is not a regular file, and the report would replace it. Choose another path")
	case !f.Overwrite:
		return errReportExists
	}
	return nil
}

// Names of drafts. Reports that are written at the same time have different
// drafts in one directory.
const draftPattern = ".assess-report-*"

// abandoned is the age from which on a draft belongs to a run that was killed:
// to write one takes seconds.
const abandoned = 10 * time.Minute

// Write makes the file appear complete or not at all, readable only by its
// owner. The report is rendered before there is a draft, so that a run that is
// killed hardly ever leaves one behind, and drafts of such runs are removed.
func (f File) Write(render func(io.Writer) error) error {
	var text bytes.Buffer
	if err := render(&text); err != nil {
		return err
	}
	dir := filepath.Dir(f.Path)
	removeAbandoned(dir, time.Now())
	draft, err := os.CreateTemp(dir, draftPattern) // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft.Name()) }() // after a failure; otherwise it has its new name
	_, err = draft.Write(text.Bytes())
	if err == nil {
		err = draft.Sync()
	}
	if e := draft.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return f.place(draft.Name())
}

// removeAbandoned removes the drafts that runs have left in a directory when
// they were killed: they contain personal data.
func removeAbandoned(dir string, now time.Time) {
	entries, _ := os.ReadDir(dir) // a directory that cannot be listed keeps them
	for _, entry := range entries {
		if draft, _ := filepath.Match(draftPattern, entry.Name()); !draft || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

// place gives a draft its name. A link, unlike a rename, never replaces a file
// that has appeared since it was checked.
func (f File) place(draft string) error {
	if !f.Overwrite {
		err := os.Link(draft, f.Path)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return errReportExists
		}
		if err := f.MayReplace(); err != nil { // a file system without links
			return err
		}
	}
	return os.Rename(draft, f.Path)
}
