// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"sync"
	"time"
)

// Lost is for how long windows count as full after their requests were lost, or before they were used for the first
// time if that cannot be told apart. An unknown request got its slot before the loss. It arrives at most 15 s later:
// the answer of a store is not used after 5 s (see Grant), and then the request is on its way within 10 s. It counts
// for a minute after that.
const Lost = 75 * time.Second

// ClockTolerance is how far the clock of a store may advance beyond the time that has passed. Beyond that, it was set,
// so slots have ended early, and the windows count as full (see Lost).
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
	// Acquire takes slots for the first of the tokens, or says for how long none is free. Asking again with the same
	// tokens takes no further slots.
	Acquire(ask Ask) (Grant, error)
	// Release says that the request of a token was answered, and holds the last window of its operation after a 429.
	Release(op Operation, token string, hold time.Duration) error
}

// Ask asks for the slots of several requests.
type Ask struct {
	Operation   Operation
	Tokens      []string      // one for each request, chosen by the caller. They do not change until there is an answer
	MaxInFlight time.Duration // how long each may be in flight

	Run   string        // who asks
	Age   time.Duration // how long ago it began
	Queue string        // which of its queues asks. Letters and digits, like Run
	Used  int           // how many slots of the last window the queue uses
}

// Grant is the answer to an Ask.
type Grant struct {
	Granted int           // how many of the tokens have slots now, from the first one on
	Wait    time.Duration // if these are not all: for how long it is no use to ask again
	Window  int           // the window that Wait is about
	Cause   Cause         // why
	Shared  bool          // another run was at work since this one began, in the last ten minutes
	At      time.Time     // when the slots were taken, or before. After more than 5 s, they must be asked for again
}

// Cause is why requests wait.
type Cause int

const (
	// Limit is the service's limit. If the budget is shared, other runs use a part of it.
	Limit Cause = iota
	// Hold is the pause after a 429.
	Hold
	// Loss is that the counts of the store were lost, or that it is used for the first time.
	Loss
	// OtherRun is that the free slots are left to another run, which waits and uses fewer.
	OtherRun
	// Share is this run's share of the limit.
	Share
	// SlowStore is that the store takes most of the time to answer.
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
