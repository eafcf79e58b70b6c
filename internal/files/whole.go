// SPDX-License-Identifier: MPL-2.0

package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// File is a file to write.
type File struct {
	Path string
	// Overwrite allows replacing an existing file.
	Overwrite bool
}

// ErrExists is returned for a file that exists and must not be replaced.
var ErrExists = errors.New("a file with this path exists already")

// Check returns an error if the path cannot be written.
func (f File) Check() error {
	dir := filepath.Dir(f.Path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %q does not exist", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%q is not a folder", dir)
	}
	return f.MayReplace()
}

// MayReplace returns an error if the path exists and must not be replaced.
func (f File) MayReplace() error {
	switch info, err := os.Lstat(f.Path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("the path is a folder, not a file")
	case !info.Mode().IsRegular():
		return errors.New("the path is a link or a device, not a regular file")
	case !f.Overwrite:
		return ErrExists
	}
	return nil
}

// Names of drafts. Files that are written to one directory at the same time have different drafts.
const draftPattern = ".assess-report-*"

// abandoned is the age from which a draft belongs to a run that was killed, because
// writing a draft takes seconds.
const abandoned = 10 * time.Minute

// Write writes the file, which only its owner can read. The file appears complete or not at all. Write also removes
// drafts that killed runs left behind.
func (f File) Write(render func(io.Writer) error) error {
	return withDrafts(filepath.Dir(f.Path), func(drafts string) error {
		part := Part{Name: filepath.Base(f.Path), Render: render}
		if err := part.write(drafts); err != nil {
			return err
		}
		return f.publish(filepath.Join(drafts, part.Name))
	})
}

// withDrafts calls write with a new directory for drafts in dir. First, it removes drafts that killed runs left there,
// because they contain personal data.
func withDrafts(dir string, write func(drafts string) error) error {
	entries, _ := os.ReadDir(dir) // if the directory cannot be listed, the drafts stay
	for _, entry := range entries {
		if !isDraft(entry.Name()) || !entry.Type().IsRegular() && !entry.IsDir() {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
	drafts, err := os.MkdirTemp(dir, draftPattern) // mode 0700
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(drafts) }() // has no effect if write has renamed it
	return write(drafts)
}

func isDraft(name string) bool {
	draft, _ := filepath.Match(draftPattern, name) // the pattern is valid
	return draft
}

// publish gives a draft its name. It creates a link, because a rename would replace a
// file that has appeared since the check.
func (f File) publish(draft string) error {
	if !f.Overwrite {
		err := os.Link(draft, f.Path)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return ErrExists
		}
		if err := f.MayReplace(); err != nil { // the file system has no links
			return err
		}
	}
	return os.Rename(draft, f.Path)
}
