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

// CheckedFolder is a folder that exists. If another folder has replaced it, it cannot be opened.
type CheckedFolder struct {
	path string
	info fs.FileInfo
}

func (f CheckedFolder) open() (*os.Root, error) {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(opened, f.info) {
		return nil, errors.Join(fmt.Errorf("%s was replaced", f.path), err, root.Close())
	}
	return root, nil
}

// OwnFolder creates a folder below dir, which is created, too. Both must be folders of this user that nobody
// else can write to. Otherwise, another user could replace them by links to other folders.
func OwnFolder(dir, below string) (CheckedFolder, error) { return ownFolder(dir, below, isOwn) }

func ownFolder(dir, below string, owns func(fs.FileInfo) bool) (CheckedFolder, error) {
	path := filepath.Join(dir, below)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return CheckedFolder{}, err
	}
	own := CheckedFolder{path: path}
	for _, folder := range []string{dir, path} {
		if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return CheckedFolder{}, err
		}
		info, err := os.Lstat(folder)
		if err != nil {
			return CheckedFolder{}, err
		}
		writable := runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
		if !info.IsDir() || writable || !owns(info) {
			return CheckedFolder{}, fmt.Errorf(
				"%s is not a folder that belongs to this user and that only this user can write to", folder)
		}
		own.info = info
	}
	return own, nil
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
