// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/files"
)

// transact changes a state. Transactions run one at a time. Each transaction gets the
// state of the previous one. A transaction that returns an error does not change the
// state.
type transact func(ctx context.Context, transaction func(*State) error) error

// storeInMemory keeps a state as long as the process lasts.
func storeInMemory(state *State) transact {
	var mu sync.Mutex
	return func(_ context.Context, transaction func(*State) error) error {
		mu.Lock()
		defer mu.Unlock()
		return transaction(state)
	}
}

// fileStore is a file that several processes may share. Each transaction reads and writes
// it under one exclusive lock.
type fileStore struct {
	locked *files.Locked
	seed   *State // the state of a file that does not exist yet
}

// storeInFile keeps a state in a file. If the file does not exist, the state begins as seed. It returns an error if the
// file cannot be used.
func storeInFile(ctx context.Context, path string, seed *State) (transact, error) {
	f := &fileStore{locked: files.Shared(path), seed: seed}
	return f.transact, f.transact(ctx, func(*State) error { return nil })
}

// transact runs one transaction. It writes the file only if the transaction succeeds and changes the state.
func (f *fileStore) transact(ctx context.Context, transaction func(*State) error) error {
	return f.locked.Change(ctx, func(text []byte, err error) ([]byte, error) {
		st, before, err := f.read(text, err)
		if err != nil {
			return nil, err
		}
		if err := transaction(st); err != nil {
			return nil, err
		}
		after, err := encodeJSON(st)
		if err != nil {
			return nil, fmt.Errorf("writing the state file %s: %w", f.locked.Path, err)
		}
		if after = append(after, '\n'); bytes.Equal(before, after) {
			return nil, nil
		}
		return after, nil
	})
}

// read returns the state and the text of the file. The text is nil if the file does not
// exist.
func (f *fileStore) read(text []byte, err error) (*State, []byte, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return f.seed.copied(), nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the state file: %w", err)
	}
	st, err := parseState(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is not a file of the sandbox, or it is damaged: %w", f.locked.Path, err)
	}
	return st, text, nil
}
