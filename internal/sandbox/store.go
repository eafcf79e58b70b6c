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

// transact runs a transaction, which can change the state. Transactions run one at a time, and each transaction starts
// with the result of the previous transaction. A transaction that returns an error must not have changed the state.
type transact func(ctx context.Context, transaction func(*State) error) error

// keepState returns a function that runs transactions on the state in the file at path. If the file does not exist,
// keepState creates it with the state seed. If path is "", the state is in memory and starts as seed. An error means
// that the file cannot be used, or that ctx has ended before the file was free.
func keepState(ctx context.Context, path string, seed *State) (transact, error) {
	if path == "" {
		return storeInMemory(seed), nil
	}
	f := &fileStore{locked: files.Shared(path), seed: seed}
	return f.transact, f.transact(ctx, func(*State) error { return nil })
}

// storeInMemory returns a function that runs transactions on a state in memory.
func storeInMemory(state *State) transact {
	var mu sync.Mutex
	return func(_ context.Context, transaction func(*State) error) error {
		mu.Lock()
		defer mu.Unlock()
		return transaction(state)
	}
}

// fileStore is a file that several processes may share. Each transaction reads and writes it under one exclusive lock.
type fileStore struct {
	locked *files.Locked
	seed   *State // the initial state if the file does not exist
}

// transact runs one transaction on the state in the file, or on a copy of the seed if the file does not exist. If the
// transaction succeeds, transact writes the file, unless the file already contains the same text. It waits until the
// file is free, or until ctx ends.
func (f *fileStore) transact(ctx context.Context, transaction func(*State) error) error {
	return f.locked.Change(ctx, func(before []byte, readErr error) (after []byte, err error) {
		st, err := f.parse(before, readErr)
		if err != nil {
			return nil, err
		}
		if err := transaction(st); err != nil {
			return nil, err
		}
		text, err := encodeJSON(st)
		if err != nil {
			return nil, fmt.Errorf("writing the state file %s: %w", f.locked.Path, err)
		}
		after = append(text, '\n')
		if bytes.Equal(before, after) {
			return nil, nil // the file stays as it is
		}
		return after, nil
	})
}

// parse returns the state in the text of the file. readErr is the error of reading the file. If the file does not
// exist, parse returns a copy of the seed.
func (f *fileStore) parse(text []byte, readErr error) (*State, error) {
	if errors.Is(readErr, fs.ErrNotExist) {
		return f.seed.copied()
	}
	if readErr != nil {
		return nil, fmt.Errorf("reading the state file: %w", readErr)
	}
	st, err := parseState(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a file of the sandbox, or it is damaged: %w", f.locked.Path, err)
	}
	return st, nil
}
