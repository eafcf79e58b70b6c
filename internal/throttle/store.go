// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"sync"
	"time"
)

// Lost is how long windows count as full after the state was lost. They also count as full at the first use of a store
// that cannot distinguish the first use from a loss.
//
// A request whose slot was lost arrives at the service at most 15 s after the loss: a grant is not used after 5 s (see
// Grant), and then the request is on its way within 10 s. It counts for a minute after that.
const Lost = 75 * time.Second

// ClockTolerance is how much further a store's clock may advance than the time that has passed. If the clock has
// advanced even further, it was set forward, so slots have ended too early, and the windows count as full (see Lost).
const ClockTolerance = 2 * time.Second

// Since returns how much time has passed since an instant of this process. Unlike time.Since, it includes the time for
// which the machine slept, unless the clock was set back.
func Since(t time.Time) time.Duration {
	return max(time.Since(t), time.Now().Round(0).Sub(t.Round(0)))
}

// Store keeps the slots of all runs that share one budget. NewMemory serves one process, OpenFile all processes of a
// user on one machine, and the package redis several machines. Each change is atomic with respect to all of them.
//
// Each error is an *UnavailableError, which is final for the run.
type Store interface {
	// Acquire takes slots for as many tokens as possible, from the first token on. If not all tokens get slots, the
	// Grant says how long to wait before asking again. Asking again with the same tokens takes no further slots.
	Acquire(ask Ask) (Grant, error)
	// Release records that the request of a token was answered. If hold is not zero, because the response was a 429, it
	// holds the last window of the operation for this time.
	Release(op Operation, token string, hold time.Duration) error
}

// Ask asks for the slots of several requests.
type Ask struct {
	Operation   Operation
	Tokens      []string      // one for each request, chosen by the caller. They do not change until there is an answer
	MaxInFlight time.Duration // how long each may be in flight

	Run   string        // the run that asks
	Age   time.Duration // how long ago the run began
	Queue string        // the queue of the run that asks. Run and Queue consist of letters and digits
	Used  int           // how many slots of the last window the queue uses
}

// Grant is the answer to an Ask.
type Grant struct {
	Granted int           // how many of the tokens have slots now, from the first one on
	Wait    time.Duration // how long to wait before asking again, if not all tokens have slots
	Window  int           // the index of the window that has no free slot
	Cause   Cause         // why the window has none
	Shared  bool          // another run was at work since this one began, in the last ten minutes
	At      time.Time     // when the slots were taken, or earlier. 5 s later, the caller must ask again
}

// Cause is why requests wait.
type Cause int

const (
	// Limit is the service's limit. Other queues, of this run or of other runs, may use a part of it.
	Limit Cause = iota
	// Hold is the pause after a 429.
	Hold
	// Loss means that the counts of the store were lost, or that the store is used for the first time.
	Loss
	// Share is this run's share of the limit.
	Share
	// SlowStore means that requests spend most of their wait on answers of the store.
	SlowStore
)

// UnavailableError means that the shared budget cannot be used, so the run must end.
type UnavailableError struct {
	Store string // "the Redis or Valkey server at ADDRESS", without credentials, or "the file PATH"
	Err   error
}

func (e *UnavailableError) Error() string {
	return "could not use " + e.Store + ": " + e.Err.Error()
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// memory is a Store for one process.
type memory struct {
	start time.Time
	mu    sync.Mutex
	state State
}

// NewMemory returns a store for one process.
func NewMemory() Store { return &memory{start: time.Now()} }

func (m *memory) now() int64 { return time.Since(m.start).Milliseconds() }

func (m *memory) Acquire(ask Ask) (Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Acquire(m.now(), ask), nil
}

func (m *memory) Release(op Operation, token string, hold time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Release(m.now(), op, token, hold)
	return nil
}
