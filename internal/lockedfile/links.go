// SPDX-License-Identifier: MPL-2.0

package lockedfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

func (f *File) owns(info fs.FileInfo) bool { return ownerOf(info) == f.user }

// trusts reports whether a link belongs to the user or to the administrator.
func (f *File) trusts(info fs.FileInfo) bool { return ownerOf(info) == 0 || f.owns(info) }

// followLinks resolves symbolic links that are trusted. The file does not have to exist.
func followLinks(path string, trusted func(fs.FileInfo) bool) (string, error) {
	for range 40 { // the same maximum as in Linux
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Type() != fs.ModeSymlink {
			return path, nil //nolint:nilerr // it does not exist, or an error of its use says more
		}
		if !trusted(info) {
			return "", fmt.Errorf("%s is a symbolic link that belongs to another user, so it is not followed", path)
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			directory, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			target = filepath.Join(directory, target)
		}
		path = target
	}
	return "", errors.New("too many symbolic links")
}

// removeOwn removes a file if it exists. It refuses to remove what a store cannot have
// written: another user's file, or something other than a private file.
func removeOwn(path string, own func(fs.FileInfo) bool) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	private := runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
	if !private || !info.Mode().IsRegular() || !own(info) {
		return fmt.Errorf("%s is in the way, and is not a temporary file of this user. Remove it, or use another file",
			path)
	}
	return os.Remove(path)
}
