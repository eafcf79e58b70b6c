// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// The key contains a log: a checkpoint, and a line for each operation since then. The server
// decides only their order, and adds its time (append.lua). Each run applies the operations to a
// ledger of its own in this order. So all runs have the same ledger after the same line, without a
// conflict: one message appends an operation, and its reply contains all lines that the run does
// not know. A new format is required if the rules of the ledger change (TestFormat), or the rules of apply below.

// longestLog is how long the log becomes before a run replaces the lines that it knows by a checkpoint: the run whose
// line makes the log longer, or else, when the log is twice as long, any run.
const longestLog = 32 << 10

// tolerance is how long a message usually takes at most.
const tolerance = int64(200 * time.Millisecond)

// logBudget is the ledger after a line of the log. The ledger's times are nanoseconds on the clock
// of the server since the ledger began.
type logBudget struct {
	Server string           `json:"server"` // the identity of the server that wrote the last line
	Born   int64            `json:"born"`   // when the ledger began, on the clock of the server
	Ahead  int64            `json:"ahead"`  // what to add to the time since then
	Cut    int64            `json:"cut"`    // what the ledger's clock has not counted (advance)
	Wall   int64            `json:"wall"`   // the wall clock of the last run
	Ledger *throttle.Ledger `json:"ledger"`
}

// logOperation is an operation, and what the run that sends it knew before.
type logOperation struct {
	throttle.Operation
	New      uint64 `json:"new"`      // the ID of the ledger that begins with the operation if there is none
	Known    uint64 `json:"known"`    // the ID of the ledger at the latest look, or zero
	Present  int64  `json:"present"`  // the present of that ledger
	Cut      int64  `json:"cut"`      // what its clock had not counted
	Elapsed  int64  `json:"elapsed"`  // at most that much time has passed since
	Measured int64  `json:"measured"` // at least that much time has passed since
	Wall     int64  `json:"wall"`     // the wall clock of the run
}

// line is an operation in the log.
type line struct {
	clock  int64
	server string
	uptime int64 // at least for how long the server has had all that was written
	logOperation
}

// logView is what a run knows of the log, when it asked for that, and what the reply says about its own
// operation, which is the last line.
type logView struct {
	text           string // all of the log
	checkpoint     int    // bytes of the text
	due            bool   // a new checkpoint is due
	budget         *logBudget
	decision       throttle.Decision
	rebuilt        bool
	sent, received time.Time // the question and its reply
}

// ask returns what the run sends about an operation, with what it knows now.
func (v logView) ask(now time.Time, op throttle.Operation) logOperation {
	o := logOperation{Operation: op, New: rand.Uint64() | 1, Wall: now.UnixNano()}
	if v.budget != nil {
		o.Known, o.Present, o.Cut = v.budget.Ledger.ID, v.budget.Ledger.Now, v.budget.Cut
		o.Elapsed, o.Measured = int64(now.Sub(v.sent)), int64(now.Sub(v.received))
	}
	return o
}

// arguments returns the arguments of the script after the key.
func (v logView) arguments(op logOperation) (checkpoint string, args []any, err error) {
	if v.due {
		b, err := json.Marshal(v.budget)
		if err != nil {
			return "", nil, err
		}
		checkpoint = string(b)
	}
	asked, err := json.Marshal(op)
	sum := sha1.Sum([]byte(v.text))
	return checkpoint, []any{len(v.text), hex.EncodeToString(sum[:]), checkpoint, asked, keepFor.Milliseconds()}, err
}

// after returns the view after a reply: so many bytes are still the same, and the rest follows them.
func (v logView) after(checkpoint string, same int, rest string) (next logView, err error) {
	first, lines, _ := strings.Cut(rest, "\n")
	switch {
	case same != len(v.text) || v.budget == nil: // it does not continue what the run knows
		next = logView{text: rest, checkpoint: len(first), budget: parseBudget(first)}
	case checkpoint != "":
		next = logView{text: checkpoint + rest, checkpoint: len(checkpoint), budget: v.budget.clone()}
	default:
		next = logView{text: v.text + rest, checkpoint: v.checkpoint, budget: v.budget.clone()}
	}
	used := len(next.text) > len("\n")+len(lines) // before the first of the lines
	for text := range strings.SplitSeq(lines, "\n") {
		if l, err := parseLine(text); err == nil {
			next.budget, next.decision, next.rebuilt = next.budget.apply(l, used)
		} else {
			next.budget = nil
		}
		used = true
	}
	log, own := len(next.text)-next.checkpoint, len(lines)-strings.LastIndex(lines, "\n")
	next.due = log > 2*longestLog || log > longestLog && log-own <= longestLog
	if next.budget == nil {
		return logView{}, fmt.Errorf("unexpected reply %.100q", rest)
	}
	return next, nil
}

// before reports whether a view is older than another one, whose reply has just arrived.
func (v logView) before(now logView) bool {
	if v.budget != nil && v.budget.Ledger.ID == now.budget.Ledger.ID {
		return v.budget.Ledger.Now <= now.budget.Ledger.Now
	}
	return now.sent.After(v.sent)
}

func parseBudget(text string) *logBudget {
	b := new(logBudget)
	if json.Unmarshal([]byte(text), b) != nil || b.Ledger == nil {
		return nil
	}
	return b
}

func parseLine(text string) (l line, err error) {
	var seconds, micros, uptime int64
	facts, asked, _ := strings.Cut(text, " {")
	_, err = fmt.Sscan(facts, &seconds, &micros, &l.server, &uptime)
	if err = errors.Join(err, json.Unmarshal([]byte("{"+asked), &l.logOperation)); err == nil && !l.Valid() {
		err = errors.New("not valid")
	}
	l.clock = seconds*int64(time.Second) + micros*int64(time.Microsecond)
	l.uptime = uptime * int64(time.Second)
	return l, err
}

func (b *logBudget) clone() *logBudget {
	c := *b
	c.Ledger = b.Ledger.Clone()
	return &c
}

// apply applies a line to a budget, which is nil if there is none. used means that something
// was stored before the line. rebuilt reports that the ledger was lost, or may have been.
func (b *logBudget) apply(l line, used bool) (after *logBudget, decision throttle.Decision, rebuilt bool) {
	if b.intact(l) {
		b.advance(l)
	} else {
		b = &logBudget{Server: l.server, Born: l.clock, Ledger: &throttle.Ledger{ID: l.New, Lost: int64(l.Ask.MaxInFlight)}}
		if !used && l.Known == 0 {
			b.Ledger.Lost -= l.uptime // earlier requests no longer count
		}
		if b.Ledger.Lost == 0 {
			b.Ledger.Lost = 1 // zero means that nothing was lost
		}
		rebuilt = b.Ledger.Lost+int64(time.Minute) > 0
	}
	b.Wall = l.Wall
	decision = b.Ledger.Apply(b.present(l), l.Operation)
	// The server's clock has microseconds. Without rounding up, the run would ask again too early.
	decision.Wait = (decision.Wait + time.Microsecond - 1).Truncate(time.Microsecond)
	return b, decision, rebuilt
}

// present returns the ledger's time when a line was written.
func (b *logBudget) present(l line) int64 { return l.clock - b.Born + b.Ahead }

// intact reports whether the ledger is the one that the run has seen, and not older.
// Otherwise it must have been rebuilt since, as if every window were full.
func (b *logBudget) intact(l line) bool {
	switch {
	case b == nil || b.Server != l.server:
		return false
	case l.Known == 0:
		return true
	case l.Known == b.Ledger.ID:
		return b.Ledger.Now >= l.Present
	default:
		return b.Ledger.Lost >= int64(l.Ask.MaxInFlight) && b.present(l) <= l.Elapsed
	}
}

// advance corrects the ledger's clock. If the server's clock was set forward, no more time has
// passed than the run measured since it got Present. A slow message looks the same, and costs its
// time. A new run compares its wall clock with that of the last run. What others have cut off in
// the meantime stays cut off, because slots were recorded since. If the server's clock was set back,
// no time has passed.
func (b *logBudget) advance(l line) {
	present := b.present(l)
	last, passed, since := b.Ledger.Now, max(l.Wall-b.Wall, 0), int64(0)
	if b.Ledger.ID == l.Known {
		last, passed, since = l.Present, l.Measured, b.Cut-l.Cut
	}
	now := present
	if present-last > passed+tolerance {
		now = last + passed - since
	}
	now = max(now, b.Ledger.Now)
	b.Cut += max(present-now, 0)
	b.Ahead += now - present
}
