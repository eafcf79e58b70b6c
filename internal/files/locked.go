// SPDX-License-Identifier: MPL-2.0

// Package files writes files that appear complete or not at all, and that only their owner can read: one, several in a
// folder, or one that several processes change, one after the other, under a lock. It follows no link of another user,
// and removes nothing that another program can have written.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// lockPoll is the time between two attempts to take a lock that another process holds.
const lockPoll = 2 * time.Millisecond

// Locked is a file that several processes may share. Beside it are NAME.lock, and for moments NAME.tmp.
type Locked struct {
	// Most is the largest size that is read, in bytes. Zero is no limit.
	Most int64
	// Volatile means that the text does not have to survive a power failure.
	Volatile bool

	folder CheckedFolder
	name   string
	turn   chan struct{} // has a token, so that goroutines of this process do not poll the lock
	root   *os.Root      // the folder during a change. Windows could not remove it if it were always open
	owns   func(fs.FileInfo) bool
}

// In returns the file of a name in a folder. It accesses nothing.
func In(folder CheckedFolder, name string) *Locked {
	return &Locked{folder: folder, name: name, turn: make(chan struct{}, 1), owns: isOwn}
}

// Open returns the file of a path. It follows symbolic links of the user and of the administrator, because a rename
// would replace a link. Then it removes the temporary file that a killed process has left.
func Open(ctx context.Context, path string) (*Locked, error) { return open(ctx, path, isOwn) }

func open(ctx context.Context, path string, owns func(fs.FileInfo) bool) (*Locked, error) {
	linked, err := followLinks(path, func(info fs.FileInfo) bool { return ownerOf(info) == 0 || owns(info) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	folder := filepath.Dir(linked)
	info, err := os.Stat(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := In(CheckedFolder{folder, info}, filepath.Base(linked))
	f.owns = owns
	return f, f.Change(ctx, func([]byte, error) ([]byte, error) { return nil, f.removeTemporary() })
}

// Path returns the path of the file.
func (f *Locked) Path() string { return filepath.Join(f.folder.path, f.name) }

// Change calls change under the lock, with the text of the file, or with an error like that of [os.ReadFile]. It
// replaces the file by what change returns, unless that is nil or an error. It waits for the lock until the context
// ends.
func (f *Locked) Change(ctx context.Context, change func(text []byte, err error) ([]byte, error)) error {
	lock, err := f.lock(ctx)
	if err != nil {
		return fmt.Errorf("locking %s: %w", f.Path(), err)
	}
	defer func() {
		_, _ = lock.Close(), f.root.Close() // unlocks
		<-f.turn
	}()
	after, err := change(f.read())
	if after == nil || err != nil {
		return err
	}
	if err := f.write(after); err != nil {
		return fmt.Errorf("writing %s: %w", f.Path(), err)
	}
	return nil
}

// lock opens the folder, and returns the locked file NAME.lock. It is never removed, because that would be safe only
// for a moment. If somebody else has removed it while lock waited, lock waits for the new one.
func (f *Locked) lock(ctx context.Context) (lock *os.File, err error) {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	f.root, err = f.folder.open()
	if err != nil {
		<-f.turn
		return nil, err
	}
	for current := false; err == nil && !current; {
		lock, err = f.openRegular(lockName(f.name), os.O_CREATE|os.O_RDWR)
		if err == nil {
			current, err = f.waitFor(ctx, lock)
		}
		if err == nil && !current {
			err = lock.Close()
		}
	}
	if err != nil {
		_, _ = lock.Close(), f.root.Close() // lock may be nil
		<-f.turn
		return nil, err
	}
	return lock, nil
}

// waitFor locks an open file, and reports whether it is still the one in the folder.
func (f *Locked) waitFor(ctx context.Context, lock *os.File) (current bool, err error) {
	for {
		if locked, err := tryLock(lock); err != nil {
			return false, err
		} else if locked {
			break
		}
		timer := time.NewTimer(lockPoll)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false, context.Cause(ctx)
		}
	}
	mine, err := lock.Stat()
	if err != nil {
		return false, err
	}
	now, err := f.root.Lstat(lockName(f.name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, now), err
}

func lockName(name string) string { return name + ".lock" }

// openRegular opens a file of this folder. It follows no link, and does not wait for the other end of a pipe.
func (f *Locked) openRegular(name string, flag int) (*os.File, error) {
	path := filepath.Join(f.folder.path, name)
	if info, err := f.root.Lstat(name); err == nil && info.Mode().Type() == fs.ModeSymlink {
		return nil, fmt.Errorf("%s is a link", path) // opening it could create its target
	}
	opened, err := f.root.OpenFile(name, flag|nonblock, 0o600)
	if err != nil {
		return nil, err
	}
	now, err := f.root.Lstat(name)
	is, errOpened := opened.Stat()
	err = errors.Join(err, errOpened)
	switch {
	case err != nil:
	case !os.SameFile(now, is):
		err = fmt.Errorf("%s was replaced", path)
	case !is.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

func (f *Locked) read() ([]byte, error) {
	opened, err := f.openRegular(f.name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	if f.Most == 0 {
		return io.ReadAll(opened)
	}
	text, err := io.ReadAll(io.LimitReader(opened, f.Most+1))
	if err == nil && int64(len(text)) > f.Most {
		err = fmt.Errorf("%s is larger than %d bytes", f.Path(), f.Most)
	}
	return text, err
}

// write replaces the file in one step. Other processes never read an incomplete file, and a killed process does not
// leave one. Neither does a power failure, unless the file is volatile.
func (f *Locked) write(text []byte) error {
	if err := f.removeTemporary(); err != nil {
		return err
	}
	temporary, err := f.root.OpenFile(f.temporary(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	if err == nil && !f.Volatile {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = f.root.Rename(f.temporary(), f.name)
	}
	if err != nil {
		return errors.Join(err, f.root.Remove(f.temporary()))
	}
	return nil
}

func (f *Locked) temporary() string { return f.name + ".tmp" }

// removeTemporary removes NAME.tmp, unless another program or another user has written it.
func (f *Locked) removeTemporary() error {
	info, err := f.root.Lstat(f.temporary())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	private := runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
	if !private || !info.Mode().IsRegular() || !f.owns(info) {
		return fmt.Errorf("%s.tmp is in the way, and is not a temporary file of this user. Remove it, or use another file",
			f.Path())
	}
	return f.root.Remove(f.temporary())
}
