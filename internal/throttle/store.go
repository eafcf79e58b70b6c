// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"time"
)

// Window is one limit of a service: at most Limit requests in any interval of length
// Per.
//
// Name is what the user reads. It also distinguishes windows of the same length: two
// windows with the same Name and Per are the same window, in all runs.
type Window struct {
	Name  string        `json:"n"`
	Limit int           `json:"l"`
	Per   time.Duration `json:"p"`

	// Reserve is how many of the slots are reserved for runs that hold few of them (see
	// waiting.go). The Transport sets it.
	Reserve int `json:"r,omitempty"`

	// Own reports that the window belongs to a single run: it is the run's share of a
	// limit. The Transport sets it.
	Own bool `json:"o,omitempty"`
}

// Store keeps the slots of all runs that share one budget. It decides who gets a slot,
// and the Transport waits. NewMemory serves one process, OpenFile all processes of a
// user on one machine, and the package redis several machines.
//
// Every method is atomic with respect to all users of the budget, and safe for
// concurrent use. It returns within seconds, whatever other processes do.
type Store interface {
	// Acquire takes a slot in each of the windows at once, or takes none and returns
	// how long to wait before asking again. Asking again with the same Slot after a
	// lost reply does not take a second slot. After an error, the caller must not send
	// the request.
	Acquire(ctx context.Context, ask Ask) (Decision, error)

	// Release records the outcome of a slot that Acquire granted to the same ask. If
	// the store cannot record it, the slot expires (Ask.MaxInFlight).
	Release(ask Ask, outcome Outcome)

	// Notices returns the notices that the user should read, each once.
	Notices() []BudgetNotice
}

// Slot identifies one request's share of its windows. The caller chooses it at random.
// Zero is not a valid slot.
type Slot uint64

// Ask asks for one slot in several windows at once.
type Ask struct {
	// Slot is the slot to grant. It stays the same until an answer arrives.
	Slot Slot `json:"s"`

	// Run identifies the run. Runs that hold fewer slots of a window are served first.
	// Two runs with the same number count as one.
	Run uint32 `json:"r"`

	// Queue identifies the queue that asks: the requests of one Transport that ask for
	// the same windows.
	Queue uint64 `json:"q"`

	// Waiting is how many requests wait in the queue, including the one that asks.
	Waiting int `json:"w"`

	// Windows are the windows in which the slot is requested.
	Windows []Window `json:"l"`

	// MaxInFlight is how long a request may be in flight. After that, its slot counts
	// as answered, because its process must have died.
	MaxInFlight time.Duration `json:"m"`

	at time.Time // when the store was asked
}

// Decision says whether the slot is granted, or how long to wait for it.
type Decision struct {
	// Granted reports that the slot is taken. The other fields are then about the next
	// request of the queue, if there is one.
	Granted bool

	// Wait is the shortest time until the slot can be granted.
	Wait time.Duration

	// Window is the index in Ask.Windows of the window that has no free slot.
	Window int

	// Held reports that a response with status 429 holds the request back, and not the
	// budget. Window then has no meaning.
	Held bool
}

// Outcome is what happened to the request of a slot.
type Outcome struct {
	Kind OutcomeKind `json:"r"`

	// RetryAfter is how long the service tells clients to wait, or zero if it does not
	// say. Set only for Refused.
	RetryAfter time.Duration `json:"a,omitempty"`
}

// OutcomeKind is the kind of an Outcome.
type OutcomeKind int

const (
	// Answered is a response with any status except 429.
	Answered OutcomeKind = iota
	// Failed is a request that was sent and got no response.
	Failed
	// Refused is a response with status 429. It holds all users of the budget.
	Refused
	// Unsent is a slot that was returned before anything was sent.
	Unsent
)
