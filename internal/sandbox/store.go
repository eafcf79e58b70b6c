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
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// store holds the state. Transactions run one at a time. What one leaves behind
// is what the next one gets, unless it returns an error. One that changes nothing may
// return errUnchanged.
type store interface {
	transact(ctx context.Context, transaction func(*State) error) error
}

// memory is a store that ends with the process.
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

// file is a store that several processes may share: each transaction reads and
// writes the file under one exclusive lock.
type file struct {
	path string
	seed *State     // the state of a file that does not exist yet
	mu   sync.Mutex // goroutines of this process do not poll the lock

	// What the last transaction read and did not change: parsing a large file takes
	// long. text is nil after a transaction that may have changed something.
	text  []byte
	state *State
}

// errUnchanged is what a transaction returns that has changed nothing: the file stays
// as it is.
var errUnchanged = errors.New("the state is unchanged")

// lockPoll is the time between two tries of a lock that another process holds.
const lockPoll = 2 * time.Millisecond

func (f *file) transact(ctx context.Context, transaction func(*State) error) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	lock := flock.New(f.path+".lock", flock.SetPermissions(0o600))
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

// read returns the state and the text of the file, which is nil for a file that
// does not exist yet.
func (f *file) read() (*State, []byte, error) {
	text, err := os.ReadFile(f.path)
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
		return nil, nil, fmt.Errorf("the state file %s is damaged; repair it, or remove it to start again: %w", f.path, err)
	}
	return st, text, nil
}

// write replaces the file in one step: nobody reads half a file, and a killed
// process does not leave one.
func (f *file) write(text []byte) error {
	draft, err := draftOf(f.path, func(w io.Writer) error { _, err := w.Write(text); return err })
	if err == nil {
		if err = os.Rename(draft, f.path); err != nil {
			err = errors.Join(err, os.Remove(draft))
		}
	}
	if err != nil {
		return fmt.Errorf("writing the state file %s: %w", f.path, err)
	}
	return nil
}

// draftOf writes a new file beside path, which only its owner can read.
func draftOf(path string, write func(io.Writer) error) (name string, err error) {
	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return "", err
	}
	if err = errors.Join(write(draft), draft.Close()); err != nil {
		return "", errors.Join(err, os.Remove(draft.Name()))
	}
	return draft.Name(), nil
}

// CheckNew returns an error if [Create] could not write a file: [fs.ErrExist] if
// there is one already.
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

// Create writes a new state file, complete or not at all, that only its owner can
// read. Its errors are those of [CheckNew].
func Create(path string, st State) error {
	st.Version = stateVersion
	if err := st.check(); err != nil {
		return err
	}
	draft, err := draftOf(path, func(w io.Writer) error { return encodeTo(w, st) })
	if err != nil {
		return err
	}
	return place(draft, path)
}

// place gives a draft its name. A link, unlike a rename, never replaces a file that
// has appeared in the meantime.
func place(draft, path string) error {
	err := os.Link(draft, path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
		if _, found := os.Lstat(path); !errors.Is(found, fs.ErrNotExist) {
			err = fs.ErrExist
		} else if err = os.Rename(draft, path); err == nil {
			return nil
		}
	}
	return errors.Join(err, os.Remove(draft))
}
