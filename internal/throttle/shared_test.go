// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"time"
)

// virtual is the clock of budgets in tests with virtual time.
var virtual = Clock{Now: func() time.Duration { return time.Duration(time.Now().UnixNano()) }}

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
