// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckNew returns an error if [Create] could not write a file at the path. The error
// is [fs.ErrExist] if a file exists there.
func CheckNew(path string) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return fs.ErrExist
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	draft, err := draftOf(path, func(io.Writer) error { return nil })
	if err != nil {
		return err
	}
	return os.Remove(draft)
}

// Create writes a new state file that only its owner can read. The file appears
// complete or not at all. The errors are those of [CheckNew].
func Create(path string, st State) error {
	st.Version = stateVersion
	if err := st.check(); err != nil {
		return err
	}
	draft, err := draftOf(path, func(w io.Writer) error { return encodeTo(w, st) })
	if err != nil {
		return err
	}
	return publish(draft, path)
}

// draftOf writes a new file beside path, which only its owner can read.
func draftOf(path string, write func(io.Writer) error) (name string, err error) {
	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return "", err
	}
	err = write(draft)
	if err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err != nil {
		return "", errors.Join(err, os.Remove(draft.Name()))
	}
	return draft.Name(), nil
}

// publish gives a draft its name. It creates a link, because a rename would replace a
// file that has appeared in the meantime.
func publish(draft, path string) error {
	err := os.Link(draft, path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // the file system has no links
		if _, found := os.Lstat(path); !errors.Is(found, fs.ErrNotExist) {
			err = fs.ErrExist
		} else if err = os.Rename(draft, path); err == nil {
			return nil
		}
	}
	return errors.Join(err, os.Remove(draft))
}
