// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"sync"
	"time"
)

// memoryStore is a Store for one process.
type memoryStore struct {
	clock func() int64

	mu     sync.Mutex
	ledger *Ledger
}

// NewMemory returns a store for one process. The Transports that use it share a budget.
// It uses the monotonic clock.
func NewMemory() Store {
	start := time.Now()
	return &memoryStore{
		clock:  func() int64 { return start.UnixNano() + int64(time.Since(start)) },
		ledger: NewLedger(),
	}
}

func (m *memoryStore) Acquire(_ context.Context, ask Ask) (Decision, error) {
	return m.do(Operation{Ask: ask}), nil
}

func (m *memoryStore) Release(ask Ask, outcome Outcome) { m.do(Operation{ask, &outcome}) }

func (m *memoryStore) do(op Operation) Decision {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ledger.Apply(m.clock(), op)
}

func (m *memoryStore) Notices() []BudgetNotice { return nil }
