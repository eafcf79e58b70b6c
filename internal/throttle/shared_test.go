// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// virtual is the clock of budgets in tests with virtual time.
var virtual = Clock{Now: func() time.Duration { return time.Duration(time.Now().UnixNano()) }}

// stores are the stores that every test of a shared budget uses. Each call of the inner
// function opens another run of the same budget.
var stores = map[string]func(t *testing.T) func() Store{
	"memory": func(*testing.T) func() Store {
		s := NewMemory()
		return func() Store { return s }
	},
	"file": func(t *testing.T) func() Store {
		dir := t.TempDir()
		return func() Store { return OpenFile(dir, "key", virtual) }
	},
}

// hookedStore is a store that calls a function after each answer, and fails if that fails.
type hookedStore struct {
	Store
	after func(ctx context.Context) error
}

func (s hookedStore) Acquire(ctx context.Context, ask Ask) (Answer, error) {
	answer, err := s.Store.Acquire(ctx, ask)
	if failure := s.after(ctx); failure != nil {
		return Answer{}, failure
	}
	return answer, err
}

// delayed is a store whose answers arrive late, or never.
func delayed(by time.Duration) Store {
	return hookedStore{NewMemory(), func(ctx context.Context) error {
		if pause(ctx, by) != nil {
			return context.Cause(ctx)
		}
		return nil
	}}
}

// overStores runs the test with each kind of store, in virtual time.
func overStores(t *testing.T, test func(t *testing.T, open func() Store)) {
	t.Helper()
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, store(t)) })
		})
	}
}
