// SPDX-License-Identifier: MPL-2.0

// Package files writes files that appear complete or not at all, and that only their owner can read. [File] is one
// file, [Folder] is several files in a directory, and [Locked] is a file that several processes change under a lock,
// one after the other. If the path of a file is a link, the package does not follow the link. On Windows, files have
// the permissions of their folder, and the package checks neither owners nor permissions.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// lockPoll is the time between two attempts to take a lock.
const lockPoll = 2 * time.Millisecond

// Locked is a file that several processes may share. Its folder also contains the lock file NAME.lock and, during a
// write, the temporary file NAME.assess-tmp.
type Locked struct {
	Path string
	// Volatile means that a power failure may leave an incomplete text.
	Volatile bool

	open func() (*os.Root, error) // the folder
	owns func(fs.FileInfo) bool
}

// Shared returns a file in an existing folder. It does not access the file system.
func Shared(path string) *Locked {
	open := func() (*os.Root, error) { return os.OpenRoot(filepath.Dir(path)) }
	return &Locked{Path: path, open: open, owns: isOwn}
}

// Private returns a file in a folder below dir. It does not access the file system. Each change creates both folders if
// they are missing. A change fails unless both belong to this user and nobody else can write to them.
func Private(dir, folder, name string) *Locked {
	open := func() (*os.Root, error) { return ownFolder(dir, folder, isOwn) }
	return &Locked{Path: filepath.Join(dir, folder, name), open: open, owns: isOwn}
}

// Change waits for the lock, at most until ctx ends. With the lock, it calls change with the text of the file, or with
// the error of reading the file, such as [fs.ErrNotExist]. If change returns a text (not nil) and no error, Change
// replaces the file with this text. Otherwise, the file stays as it is, and Change returns the error of change, or nil.
// The file also stays as it is after any other error, such as the cause of the end of ctx.
func (f *Locked) Change(ctx context.Context, change func(text []byte, err error) ([]byte, error)) error {
	root, err := f.open()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	defer func() { _ = root.Close() }()
	lock, err := openRegular(root, filepath.Base(f.Path)+".lock", os.O_CREATE|os.O_RDWR) // the lock file stays
	if err != nil {
		return fmt.Errorf("locking %s: %w", f.Path, err)
	}
	defer func() { _ = lock.Close() }() // unlocks
	if err := waitFor(ctx, lock); err != nil {
		return fmt.Errorf("locking %s: %w", f.Path, err)
	}
	after, err := change(f.read(root))
	if after == nil || err != nil {
		return err
	}
	if err := f.write(root, after); err != nil {
		return fmt.Errorf("writing %s: %w", f.Path, err)
	}
	return nil
}

// waitFor locks an open file. It waits until no other process has locked the file, or until ctx ends.
func waitFor(ctx context.Context, lock *os.File) error {
	for {
		if locked, err := tryLock(lock); locked || err != nil {
			return err
		}
		timer := time.NewTimer(lockPoll)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// openRegular opens a file in a folder, or creates it if flag says so. It rejects a link, which could lead to another
// file, and a pipe, which would wait for its other end.
func openRegular(root *os.Root, name string, flag int) (*os.File, error) {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", filepath.Join(root.Name(), name))
	}
	return root.OpenFile(name, flag, 0o600)
}

func (f *Locked) read(root *os.Root) ([]byte, error) {
	opened, err := openRegular(root, filepath.Base(f.Path), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	return io.ReadAll(opened)
}

// write writes the temporary file, and replaces the file with it in one step. So the file is never incomplete, even
// after the process was killed. Unless the file is volatile, this is also true after a power failure. After an error,
// the file is unchanged. The caller must hold the lock.
func (f *Locked) write(root *os.Root, text []byte) error {
	name := filepath.Base(f.Path)
	temporary := name + ".assess-tmp"
	if err := f.removeTemporary(root, temporary); err != nil {
		return err
	}
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = fill(file, text, !f.Volatile)
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return nil
}

// removeTemporary removes the temporary file that a killed process has left. It returns an error if something else has
// this name, such as a link or another user's file.
func (f *Locked) removeTemporary(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (!info.Mode().IsRegular() || !f.owns(info)) {
		return fmt.Errorf("%s is in the way. Remove it, or use another file", filepath.Join(root.Name(), name))
	}
	return errors.Join(err, root.Remove(name))
}
