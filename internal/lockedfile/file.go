// SPDX-License-Identifier: MPL-2.0

// Package lockedfile lets several processes change one file, one after the other. Each
// change reads and replaces the file under an exclusive lock, so that no process ever sees
// an incomplete file, and no change is lost.
package lockedfile

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is the time between two attempts to take a lock that another process holds.
const lockPoll = 2 * time.Millisecond

// File is a file that several processes may share. It must be made with New.
type File struct {
	path string
	user int        // whose links are followed, and whose files are removed
	mu   sync.Mutex // so that goroutines of this process do not poll the lock

	// TakeOver is how long a process may hold the lock before another one takes it, because
	// the process must have been stopped. Zero means forever. A file with TakeOver must be
	// in a directory of its own.
	//
	// A process that continues after its lock was taken changes nothing: it repeats its
	// change (see write). On Windows, where no terminal stops a process, a lock that is held
	// cannot be taken, and the change fails.
	TakeOver time.Duration
	// Volatile means that the text does not have to survive a power failure.
	Volatile bool
}

// New returns the file of a path. It accesses nothing.
func New(path string) *File { return &File{path: path, user: os.Geteuid()} }

// Path returns the path of the file.
func (f *File) Path() string { return f.path }

// Open follows symbolic links, because a rename would replace a link. Then it removes what
// a killed process has left. In a folder that others can write to, another user could link to any file
// of this user, so Open refuses such links.
func (f *File) Open(ctx context.Context) error {
	linked, err := followLinks(f.path, f.trusts)
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	f.path = linked
	return f.Change(ctx, func([]byte, error) ([]byte, error) { return nil, removeOwn(f.temporary(), f.owns) })
}

// errTaken means that another process has taken the lock.
var errTaken = errors.New("another process has taken the lock")

// Change calls change under the lock, with the text of the file, or with an error like
// that of [os.ReadFile]. It replaces the file by what change returns, unless that is nil or an
// error. It may call change several times, but only the last result counts.
func (f *File) Change(ctx context.Context, change func(text []byte, err error) ([]byte, error)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		if err := f.change(ctx, change); !errors.Is(err, errTaken) {
			return err
		}
	}
}

func (f *File) change(ctx context.Context, change func([]byte, error) ([]byte, error)) (err error) {
	lock, err := f.lock(ctx)
	if err != nil {
		return fmt.Errorf("locking %s: %w", f.path, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	after, err := change(readFile(f.path))
	if after == nil || err != nil {
		return err
	}
	if err = f.write(after, lock); err != nil {
		err = fmt.Errorf("writing %s: %w", f.path, err)
	}
	return err
}

func (f *File) lock(ctx context.Context) (*flock.Flock, error) {
	lock, patience := newLock(f.lockPath()), ctx
	if f.TakeOver > 0 {
		var cancel context.CancelFunc
		patience, cancel = context.WithTimeout(ctx, f.TakeOver)
		defer cancel()
	}
	_, err := lock.TryLockContext(patience, lockPoll)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return f.takeOver()
	}
	return lock, err
}

func newLock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(0o600))
}

func (f *File) lockPath() string { return f.path + ".lock" }

// takeOver replaces the lock by one that this process holds. Then it removes the temporary
// files of all other processes, so that none of them can replace the file any more.
func (f *File) takeOver() (*flock.Flock, error) {
	lock := newLock(f.path + "." + rand.Text() + ".lock")
	_, err := lock.TryLock()
	if err == nil {
		err = os.Rename(lock.Path(), f.lockPath())
	}
	if err != nil {
		err = errors.Join(err, lock.Unlock())
		_ = os.Remove(lock.Path())
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Dir(f.path))
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), replacementSuffix) {
			continue
		}
		if e := os.Remove(filepath.Join(filepath.Dir(f.path), entry.Name())); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// holds reports whether no other process has taken the lock.
func (f *File) holds(lock *flock.Flock) bool {
	mine, err := lock.Stat()
	current, now := os.Lstat(f.lockPath())
	return err == nil && now == nil && os.SameFile(mine, current)
}

// readFile is [os.ReadFile], but does not follow a link that has replaced the file since
// Open, and reads no pipe, which would block forever.
func readFile(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	opened, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if info, err := opened.Stat(); err == nil {
		text.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = text.ReadFrom(opened)
	return text.Bytes(), errors.Join(err, opened.Close())
}

const replacementSuffix = ".tmp"

// temporary returns the path of the file to which a new text is written before it
// replaces the file. If no process can take the lock of another one, it is always the same
// path. So a process that is killed leaves at most one such file.
func (f *File) temporary() string {
	if f.TakeOver > 0 {
		return f.path + "." + rand.Text() + replacementSuffix
	}
	return f.path + replacementSuffix
}

// write replaces the file in one step. Other processes never read an incomplete file,
// and a killed process does not leave one. Neither does a power failure, unless the file is
// volatile.
//
// It first creates the temporary file, and then looks whether it still holds the lock. If
// another process takes the lock before that, write notices it. If another process takes the
// lock later, it removes the temporary file, and the rename fails. In both cases, nothing has
// changed.
func (f *File) write(text []byte, lock *flock.Flock) (err error) {
	path := f.temporary()
	if err = removeOwn(path, f.owns); err != nil {
		return err
	}
	temporary, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if !f.holds(lock) {
		_ = errors.Join(temporary.Close(), os.Remove(path))
		return errTaken
	}
	_, err = temporary.Write(text)
	if err == nil && !f.Volatile {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(path, f.path)
	}
	if f.TakeOver > 0 && errors.Is(err, fs.ErrNotExist) { // another process has removed it
		return errTaken
	}
	if err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
