// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"time"
)

// Window is one limit of a service: at most Limit requests in any Per.
//
// Name tells windows of the same length apart and is what the user reads: two
// windows with the same Name and Per are the same window, whoever asks.
type Window struct {
	Name  string
	Limit int
	Per   time.Duration
}

// Store keeps the places of everybody who shares one budget. It decides and
// never blocks: waiting is the Transport's. NewMemory serves one process,
// OpenFile all processes of a user on one machine, OpenRedis a fleet.
//
// Every method is atomic with respect to all users of the budget and safe for
// concurrent use.
type Store interface {
	// Acquire takes a place in each of the windows at once, or takes none and
	// answers how long to wait before asking again. An error means that the
	// store cannot say; nothing may be sent then.
	Acquire(ctx context.Context, ask Ask) (Answer, error)

	// Release says what became of a place that Acquire granted. A store that
	// cannot record it lets the place expire (Ask.MaxInFlight).
	Release(place Place, windows []Window, outcome Outcome)

	// Notices returns what has happened to the store and concerns the user,
	// each notice once.
	Notices() []Notice
}

// Ask is a question for one place in several windows at once.
type Ask struct {
	// Line identifies the waiters on whose behalf the question is asked: those
	// of one Transport that ask for the same windows. Lines that compete take
	// turns.
	Line uint64

	// Waiting is how many requests wait in the line, the asking one included.
	Waiting int

	// Windows are what the place is asked for.
	Windows []Window

	// MaxInFlight is when the place of a request whose response never came
	// counts as answered: its process is dead by then.
	MaxInFlight time.Duration
}

// Place is what Acquire granted and Release takes back. Zero is no place.
type Place uint64

// Answer is a place, or how long to wait for one.
type Answer struct {
	// Place is granted; where it is zero the rest says why not.
	Place Place

	// Wait is how long it takes at least until a place can be free. It is never
	// longer than it takes, so asking again after it loses no time.
	Wait time.Duration

	// Window is the index in Ask.Windows of the window that binds.
	Window int

	// Gate says that not the budget but a closed gate (status 429) holds the
	// request back. Window is meaningless then.
	Gate bool
}

// Outcome is what became of a place.
type Outcome struct {
	Result Result

	// RetryAfter is how long the service asks to be left alone; zero where it
	// does not say. Only with Refused.
	RetryAfter time.Duration
}

// Result tells the outcomes of a place apart.
type Result int

const (
	// Answered is a response of any status but 429.
	Answered Result = iota
	// Failed is a request that was sent and got no response.
	Failed
	// Refused is a response with status 429: the gate closes for everybody.
	Refused
	// Unsent is a place given back before anything was sent.
	Unsent
)
