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

// ownFolder opens the folder name in dir. It creates both folders, and the parents of dir, if they are missing. It
// returns an error unless both belong to this user and nobody else can write to them, because another user could
// replace them with links. owns is [isOwn], or its replacement in tests.
func ownFolder(dir, name string, owns func(fs.FileInfo) bool) (*os.Root, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
	if _, err := makeOwn(dir, owns); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name)
	info, err := makeOwn(path, owns)
	if err != nil {
		return nil, err
	}
	return openSame(path, info)
}

// openSame opens a folder that was checked. It returns an error if another folder or a link has replaced it since info
// was read.
func openSame(path string, info fs.FileInfo) (*os.Root, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(opened, info) {
		return nil, errors.Join(fmt.Errorf("%s was replaced", path), err, root.Close())
	}
	return root, nil
}

// makeOwn makes a folder unless it exists. It returns an error unless the folder belongs to this user and nobody else
// can write to it.
func makeOwn(folder string, owns func(fs.FileInfo) bool) (fs.FileInfo, error) {
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return nil, err
	}
	othersCanWrite := runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
	if !info.IsDir() || othersCanWrite || !owns(info) {
		return nil, fmt.Errorf("%s is not a folder that belongs to this user and that only this user can write to", folder)
	}
	return info, nil
}
