// SPDX-License-Identifier: MPL-2.0

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// isOwn reports whether a file belongs to this user.
func isOwn(info fs.FileInfo) bool { return ownerOf(info) == os.Geteuid() }

// OwnFolder creates and opens a folder below dir, which is created, too. Both must be folders of this user that nobody
// else can write to. Otherwise, another user could replace them by links to other folders.
func OwnFolder(dir, below string) (*os.Root, error) { return ownFolder(dir, below, isOwn) }

func ownFolder(dir, below string, owns func(fs.FileInfo) bool) (*os.Root, error) {
	path := filepath.Join(dir, below)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
	var last fs.FileInfo
	for _, folder := range []string{dir, path} {
		if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		info, err := os.Lstat(folder)
		if err != nil {
			return nil, err
		}
		writable := runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
		if !info.IsDir() || writable || !owns(info) {
			return nil, fmt.Errorf("%s is not a folder that belongs to this user and that only this user can write to", folder)
		}
		last = info
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(opened, last) {
		return nil, errors.Join(fmt.Errorf("%s was replaced while it was opened", path), err, root.Close())
	}
	return root, nil
}

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
