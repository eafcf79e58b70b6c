// SPDX-License-Identifier: MPL-2.0

package files

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
)

// Folder is a directory to which several files are written together. Only its owner can read the files.
type Folder struct {
	Path string // as filepath.Clean returns it
	// Overwrite allows a directory that is not empty. Files with the same names are replaced, and pages of an earlier
	// report are removed. Other files stay.
	Overwrite bool
	// IsPage recognizes a page of an earlier report by its beginning. It is required.
	IsPage func(beginning []byte) bool
}

// Part is a file of a folder.
type Part struct {
	Name   string
	Render func(io.Writer) error
}

// ErrNotEmpty is returned for a directory that is not empty and must not be changed.
var ErrNotEmpty = errors.New("the folder is not empty")

// PartialError is returned if some files were published, and then there was an error.
type PartialError struct {
	Published []string
	Err       error
}

func (e *PartialError) Error() string { return e.Err.Error() }

func (e *PartialError) Unwrap() error { return e.Err }

// Check returns [ErrNotEmpty] if the folder contains anything but drafts and Overwrite is not set. It returns another
// error if the path is not a folder that can be read, or if both the folder and its parent are missing. It does not
// check whether Write can create or replace the files.
func (f Folder) Check() error {
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{Path: f.Path}.Check() // its parent must exist
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("the path is a file, not a folder")
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
	isOther := func(e fs.DirEntry) bool {
		isDraft, _ := filepath.Match(draftPattern, e.Name()) // the pattern is valid
		return !isDraft
	}
	return !slices.ContainsFunc(entries, isOther), err
}

// Write checks the folder as [Folder.Check] does, writes all files, and publishes them in their order when all are
// complete. A directory that does not exist appears with all files, or not at all. In a directory that exists, an error
// after the first file was published is a [*PartialError]. An empty directory of this user becomes private.
func (f Folder) Write(parts []Part) error {
	if err := f.Check(); err != nil {
		return err
	}
	_, err := os.Stat(f.Path)
	isNew := errors.Is(err, fs.ErrNotExist)
	parent := f.Path // of the drafts, in the same file system as the folder, so that a rename can publish them
	if isNew {
		parent = filepath.Dir(f.Path)
	}
	return withDrafts(parent, func(drafts string) error {
		for _, part := range parts {
			if err := part.write(drafts); err != nil {
				return fmt.Errorf("%s: %w", part.Name, err)
			}
		}
		if isNew {
			return os.Rename(drafts, f.Path)
		}
		return f.publish(drafts, parts)
	})
}

// write renders the file before it creates it, so that a run that is killed rarely leaves a part of a draft.
func (p Part) write(dir string) error {
	var text bytes.Buffer
	if err := p.Render(&text); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(dir, p.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return fill(file, text.Bytes(), true)
}

// fill writes a text to a new file, and closes the file, also after an error. If lasts is true, the text is on the disk
// before fill returns, so that a power failure cannot leave an incomplete text.
func fill(file *os.File, text []byte, lasts bool) error {
	_, err := file.Write(text)
	if err == nil && lasts {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// publish moves the drafts into a directory that exists, in their order, and removes the pages of an earlier report. A
// directory of this user that contains nothing but drafts becomes private. If one file may not be replaced, publish
// moves none. An error after the first file was moved is a *PartialError.
func (f Folder) publish(drafts string, parts []Part) error {
	if empty, err := f.empty(); err == nil && empty {
		_ = os.Chmod(f.Path, 0o700) // fails if the directory belongs to another user. The files are private anyway
	}
	if err := f.mayReplace(parts); err != nil {
		return err
	}
	published, err := f.move(drafts, parts)
	if err == nil {
		err = f.removeEarlier(published)
	}
	if err != nil && len(published) > 0 {
		return &PartialError{published, err}
	}
	return err
}

// mayReplace returns an error if a file of the directory may not be replaced (see [File.MayReplace]).
func (f Folder) mayReplace(parts []Part) error {
	for _, part := range parts {
		file := File{Path: filepath.Join(f.Path, part.Name), Overwrite: f.Overwrite}
		if err := file.MayReplace(); err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	return nil
}

// move moves the drafts into the directory, and returns the names of the moved files, also with an error.
func (f Folder) move(drafts string, parts []Part) (moved []string, err error) {
	for _, part := range parts {
		err := os.Rename(filepath.Join(drafts, part.Name), filepath.Join(f.Path, part.Name))
		if err != nil {
			return moved, err
		}
		moved = append(moved, part.Name)
	}
	return moved, nil
}

// removeEarlier removes the pages of an earlier report, except for pages with these names. The removed pages contain
// personal data, and no page of the new report links to them.
func (f Folder) removeEarlier(except []string) error {
	entries, err := os.ReadDir(f.Path)
	for _, entry := range entries {
		name, path := entry.Name(), filepath.Join(f.Path, entry.Name())
		isPage := entry.Type().IsRegular() && strings.HasSuffix(name, ".html") && f.isPage(path)
		if isPage && !slices.Contains(except, name) {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// isPage reports whether a file is a page of an earlier report.
func (f Folder) isPage(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	beginning := make([]byte, 4096)
	n, _ := io.ReadFull(file, beginning) // a shorter file is no error
	return f.IsPage(beginning[:n])
}
