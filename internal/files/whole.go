// SPDX-License-Identifier: MPL-2.0

package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file to write.
type File struct {
	Path string
	// Overwrite allows replacing an existing file.
	Overwrite bool
}

// ErrExists is returned for a file that exists and must not be replaced.
var ErrExists = errors.New("a file with this path exists already")

// Check returns an error if the folder of the path does not exist, or the error of [File.MayReplace]. It does not check
// whether this user may write to the folder.
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

// MayReplace returns nil if the path does not exist, or is a regular file and Overwrite is set. Without Overwrite, it
// returns [ErrExists] for a regular file. In all other cases, such as a folder or a link, it returns another error.
func (f File) MayReplace() error {
	info, err := os.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("the path is a folder, not a file")
	case !info.Mode().IsRegular():
		return errors.New("the path is a link or another special file, not a regular file")
	case !f.Overwrite:
		return ErrExists
	}
	return nil
}

// draftPattern is the pattern of the names of drafts. Each write has a directory of its own for its drafts.
const draftPattern = ".assess-report-*"

// Write writes the file, which only its owner can read. The file appears complete or not at all.
func (f File) Write(render func(io.Writer) error) error {
	return withDrafts(filepath.Dir(f.Path), func(drafts string) error {
		part := Part{Name: filepath.Base(f.Path), Render: render}
		if err := part.write(drafts); err != nil {
			return err
		}
		return f.publish(filepath.Join(drafts, part.Name))
	})
}

// withDrafts creates a directory for drafts in dir, calls write with the new directory, and returns write's error. At
// the end, it removes the new directory, unless write has renamed it.
func withDrafts(dir string, write func(drafts string) error) error {
	drafts, err := os.MkdirTemp(dir, draftPattern) // mode 0700
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(drafts) }()
	return write(drafts)
}

// publish makes a draft appear at the path of the file. With Overwrite, it replaces a file that exists. Without
// Overwrite, it returns [ErrExists] if there is a file, even a file that has appeared since the check. For this
// purpose, it creates a hard link, because a rename would replace the file. In a file system without hard links, it
// checks again and then renames the draft. A file that appears between the check and the rename is replaced.
func (f File) publish(draft string) error {
	if f.Overwrite {
		return os.Rename(draft, f.Path)
	}
	if os.Link(draft, f.Path) == nil {
		return nil
	}
	if err := f.MayReplace(); err != nil {
		return err
	}
	return os.Rename(draft, f.Path)
}
