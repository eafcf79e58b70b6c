// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// store keeps the state. Transactions run one at a time. Each transaction gets the
// state that the previous one left. A transaction that returns an error leaves the
// state unchanged. One that changes nothing may return errUnchanged.
type store interface {
	transact(ctx context.Context, transaction func(*State) error) error
}

// memory is a store that lasts as long as the process.
type memory struct {
	mu    sync.Mutex
	state *State
}

func (m *memory) transact(_ context.Context, transaction func(*State) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := transaction(m.state); !errors.Is(err, errUnchanged) {
		return err
	}
	return nil
}

// file is a store that several processes may share. Each transaction reads and writes
// the file under one exclusive lock.
type file struct {
	path string
	seed *State     // the state of a file that does not exist yet
	user int        // whose links are followed, and whose files are removed
	mu   sync.Mutex // so that goroutines of this process do not poll the lock

	// The state that the last transaction read and did not change, because parsing a
	// large file takes long. text is nil after a transaction that may have changed
	// something.
	text  []byte
	state *State
}

// errUnchanged is the error of a transaction that has changed nothing. The file is then
// not written.
var errUnchanged = errors.New("the state is unchanged")

// openFile returns the store of a file. If path is
// a symbolic link, the store uses the target of the link, because a rename would
// replace the link. In a folder that others can write to, another user could link to any file
// of this user, so the store does not follow such links.
func openFile(ctx context.Context, path string, seed *State) (*file, error) {
	f := &file{path: path, seed: seed, user: os.Geteuid()}
	return f, f.open(ctx)
}

func (f *file) open(ctx context.Context) error {
	linked, err := followLinks(f.path, f.trusts)
	if err != nil {
		return fmt.Errorf("the state file %s: %w", f.path, err)
	}
	f.path = linked
	return f.transact(ctx, func(*State) error { return removeOwn(f.temporary(), f.owns) })
}

func (f *file) owns(info fs.FileInfo) bool { return ownerOf(info) == f.user }

// trusts reports whether a link belongs to the user or to the administrator.
func (f *file) trusts(info fs.FileInfo) bool { return ownerOf(info) == 0 || f.owns(info) }

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
		return fmt.Errorf("%s is in the way, and is not a temporary file of this user. Remove it, or use another state file",
			path)
	}
	return os.Remove(path)
}

// lockPoll is the time between two attempts to take a lock that another process holds.
const lockPoll = 2 * time.Millisecond

func (f *file) transact(ctx context.Context, transaction func(*State) error) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	lock := flock.New(f.path+".lock", flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("locking the state file %s: %w", f.path, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	st, before, err := f.read()
	if err != nil {
		return err
	}
	f.text, f.state = nil, nil
	switch err := transaction(st); {
	case errors.Is(err, errUnchanged) && before != nil:
		f.text, f.state = before, st
		return nil
	case err != nil && !errors.Is(err, errUnchanged):
		return err
	}
	after, err := encode(st)
	if err != nil {
		return fmt.Errorf("writing the state file %s: %w", f.path, err)
	}
	if after = append(after, '\n'); bytes.Equal(before, after) {
		return nil
	}
	return f.write(after)
}

// read returns the state and the text of the file. The text is nil if the file does not
// exist.
func (f *file) read() (*State, []byte, error) {
	text, err := readFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f.seed.copied(), nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the state file: %w", err)
	}
	if f.text != nil && bytes.Equal(text, f.text) {
		return f.state, f.text, nil
	}
	st, err := parseState(text)
	if err != nil {
		return nil, nil, fmt.Errorf("the file of the embedded service, %s, is damaged: %w", f.path, err)
	}
	return st, text, nil
}

// readFile is [os.ReadFile], but does not follow a link that has replaced the file since
// followLinks.
func readFile(path string) ([]byte, error) {
	opened, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(opened)
	return text, errors.Join(err, opened.Close())
}

// temporary returns the path of the file to which a new text is written before it
// replaces the state file. It is always the same path, which is safe under the lock. So
// a process that is killed leaves at most one such file.
func (f *file) temporary() string { return f.path + ".tmp" }

// write replaces the file in one step. Other processes never read an incomplete file,
// and neither a killed process nor a power failure leaves one.
func (f *file) write(text []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing the state file %s: %w", f.path, err)
		}
	}()
	if err := removeOwn(f.temporary(), f.owns); err != nil {
		return err
	}
	temporary, err := os.OpenFile(f.temporary(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(f.temporary(), f.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.temporary()))
	}
	return err
}
