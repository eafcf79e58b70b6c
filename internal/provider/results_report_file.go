// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// reportFile is where a report goes.
type reportFile struct {
	path      string
	overwrite bool
}

var errReportExists = errors.New("there is a file already. Choose another path, or say overwrite = true")

// check refuses what could not be written later.
func (f reportFile) check() error {
	if err := f.mayReplace(); err != nil {
		return err
	}
	dir := filepath.Dir(f.path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no directory %q. Create it first", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%q is no directory", dir)
	}
	return nil
}

// mayReplace refuses to replace what must not be.
func (f reportFile) mayReplace() error {
	switch info, err := os.Lstat(f.path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("that is a directory. Name a file in it")
	case !info.Mode().IsRegular():
		return errors.New("that is no regular file, and a report would take its place. Name another path")
	case !f.overwrite:
		return errReportExists
	}
	return nil
}

// write makes the file appear whole or not at all, for nobody but its owner.
func (f reportFile) write(render func(io.Writer) error) error {
	draft, err := os.CreateTemp(filepath.Dir(f.path), ".assess-report-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft.Name()) }() // gone by then, if all went well
	err = render(draft)
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

// place gives a draft its name. A link, unlike a rename, never replaces a file
// that has appeared since it was checked.
func (f reportFile) place(draft string) error {
	if !f.overwrite {
		err := os.Link(draft, f.path)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return errReportExists
		}
		if err := f.mayReplace(); err != nil { // a file system without links
			return err
		}
	}
	return os.Rename(draft, f.path)
}
