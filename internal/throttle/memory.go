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
	ledger *ledger
}

// NewMemory returns a store for one process. The Transports that use it share a budget.
// It uses the monotonic clock.
func NewMemory() Store {
	start := time.Now()
	return &memory{
		clock:  func() int64 { return start.UnixNano() + int64(time.Since(start)) },
		ledger: newLedger(),
	}
}

func (m *memory) Acquire(_ context.Context, ask Ask) (Answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ledger.advance(m.clock())
	return m.ledger.acquire(ask), nil
}

func (m *memory) Release(ask Ask, outcome Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ledger.advance(m.clock())
	m.ledger.release(ask, outcome)
}

func (m *memory) Notices() []Notice { return nil }
