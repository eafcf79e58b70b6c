// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"time"
)

// Window is one limit of a service: at most Limit requests in any Per.
//
// Name tells windows of the same length apart and is what the user reads: two
// windows with the same Name and Per are the same window, whichever run asks.
type Window struct {
	Name  string
	Limit int
	Per   time.Duration

	// Reserve is how many of the slots are kept for runs that hold few of them
	// (see claim.go). The Transport sets it.
	Reserve int
}

// Store keeps the slots of all runs that share one budget. It decides, and it
// does not wait for slots: that is the Transport's part. NewMemory serves one
// process, OpenFile all processes of a user on one machine, and the package
// redis a fleet.
//
// Every method is atomic with respect to all users of the budget, safe for
// concurrent use, and returns within seconds whatever other processes do.
type Store interface {
	// Acquire takes a slot in each of the windows at once, or takes none and
	// answers how long to wait before asking again. Asking again with the same
	// Slot after a lost answer does not take a second one. An error means that
	// the store cannot say. Then nothing may be sent.
	Acquire(ctx context.Context, ask Ask) (Answer, error)

	// Release says what became of a slot that Acquire granted to the same ask.
	// If the store cannot record it, the slot expires (Ask.MaxInFlight).
	Release(ask Ask, outcome Outcome)

	// Notices returns what has happened to the store and concerns the user,
	// each notice once.
	Notices() []Notice
}

// Local is a store of this machine, which can take over from another one.
type Local interface {
	Store

	// Charge records slots that the other store granted and that are still under
	// way, whatever the limits say. They are released here.
	Charge(asks []Ask)
}

// Slot identifies one request's share of its windows. The one who asks chooses
// it at random. Zero is no slot.
type Slot uint64

// Ask is a question for one slot in several windows at once.
type Ask struct {
	// Slot is the slot to be granted: the same one until an answer has arrived.
	Slot Slot

	// Run identifies the run. Runs that hold fewer slots of a window are served
	// first. Two runs with the same number merely count as one.
	Run uint32

	// Queue identifies the waiting requests on whose behalf the question is
	// asked: those of one Transport that ask for the same windows.
	Queue uint64

	// Waiting is how many requests wait in the queue, including the asking one.
	Waiting int

	// Windows are what the slot is asked for.
	Windows []Window

	// MaxInFlight is when the slot of a request whose response never came counts
	// as answered: its process is dead by then.
	MaxInFlight time.Duration

	at time.Time // when it was asked
}

// Answer says whether the slot is granted, or how long to wait for it.
type Answer struct {
	// Granted says that the slot is taken. Then the rest is about the next one of
	// the queue, if requests wait in it.
	Granted bool

	// Wait is how long it takes at least until the slot can be granted.
	Wait time.Duration

	// Window is the index in Ask.Windows of the window that binds.
	Window int

	// Held says that a response with status 429 holds the request back, not the
	// budget. Window has no meaning then.
	Held bool
}

// Outcome is what became of a slot.
type Outcome struct {
	Result Result

	// RetryAfter is how long the service asks to be left alone; zero if it does
	// not say. Only with Refused.
	RetryAfter time.Duration
}

// Result tells the outcomes of a slot apart.
type Result int

const (
	// Answered is a response of any status but 429.
	Answered Result = iota
	// Failed is a request that was sent and got no response.
	Failed
	// Refused is a response with status 429: all users of the budget are held.
	Refused
	// Unsent is a slot given back before anything was sent.
	Unsent
)

// String is the result's name in messages and on the wire.
func (r Result) String() string {
	return [...]string{Answered: "answered", Failed: "failed", Refused: "refused", Unsent: "unsent"}[r]
}
