// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"sync"
	"time"
)

// memory is a Store for one process.
type memory struct {
	clock func() int64

	mu     sync.Mutex
	ledger *Ledger
}

// NewMemory returns a store for one process. The Transports that use it share a budget.
// It uses the monotonic clock.
func NewMemory() Store {
	start := time.Now()
	return &memory{
		clock:  func() int64 { return start.UnixNano() + int64(time.Since(start)) },
		ledger: NewLedger(),
	}
}

func (m *memory) Acquire(_ context.Context, ask Ask) (Answer, error) {
	return m.do(Operation{Ask: ask}), nil
}

func (m *memory) Release(ask Ask, outcome Outcome) { m.do(Operation{ask, &outcome}) }

func (m *memory) do(op Operation) Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ledger.Apply(m.clock(), op)
}

func (m *memory) Notices() []Notice { return nil }
