// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"math"
	"slices"
	"time"
)

// line is a line of waiters that was told to come back. Lines take turns: each
// place served takes a line one turn further, and of two lines that could both
// have a place the one whose turn is lower comes first. So each gets its even
// part while it waits, and what one leaves over is the others'.
//
// A line has a claim from the instant it was told to come back. Where it does
// not come (its process was killed, its waiters gave up) the claim lapses after
// the length of its shortest window.
type line struct {
	id      uint64
	turn    uint64
	waiting int
	wakes   int64
	lapses  int64
	windows []uint64
}

// shares reports whether the line's waiters ask for the window.
func (o *line) shares(window uint64) bool { return slices.Contains(o.windows, window) }

// owed counts the places in w that lines before the asking one will come for,
// and the instant after which the first of their claims has lapsed. A line that
// another window holds back is owed none: it must not block those free to go.
func (l *ledger) owed(w *window, asking uint64) (places int, lapse int64) {
	turn, lapse := l.turnOf(asking), math.MaxInt64
	for i := range l.lines {
		o := &l.lines[i]
		if o.id == asking || o.wakes > l.now || !o.shares(w.id) {
			continue
		}
		ahead := int(turn - o.turn)
		if o.id < asking {
			ahead++
		}
		if n := min(ahead, o.waiting, l.capacity(o)); n > 0 {
			places += n
			lapse = min(lapse, o.lapses+1)
		}
	}
	return places, lapse
}

// capacity is how many places the line could take now.
func (l *ledger) capacity(o *line) int {
	n := math.MaxInt
	for i := range l.windows {
		if w := &l.windows[i]; o.shares(w.id) {
			n = min(n, w.free())
		}
	}
	return n
}

// turnOf is the line's next turn. A newcomer starts with the turn served last:
// it neither overtakes those who wait nor pays for having been away.
func (l *ledger) turnOf(id uint64) uint64 {
	if i := l.find(id); i >= 0 {
		return l.lines[i].turn
	}
	return l.turn
}

func (l *ledger) find(id uint64) int {
	return slices.IndexFunc(l.lines, func(o line) bool { return o.id == id })
}

// queue records that the asking line comes back at the given instant.
func (l *ledger) queue(ask Ask, wakes int64) {
	i := l.find(ask.Line)
	if i < 0 {
		i = len(l.lines)
		o := line{id: ask.Line, turn: l.turn}
		for _, w := range ask.Windows {
			o.windows = append(o.windows, w.id())
		}
		l.lines = append(l.lines, o)
	}
	o := &l.lines[i]
	o.waiting, o.wakes, o.lapses = ask.Waiting, wakes, wakes+shortest(ask.Windows)
}

// serve takes the asking line one turn further. It stays while somebody waits in
// it: the next one asks at once.
func (l *ledger) serve(ask Ask) {
	turn := l.turnOf(ask.Line)
	l.turn = max(l.turn, turn)
	if ask.Waiting > 1 {
		ask.Waiting--
		l.queue(ask, l.now)
		l.lines[l.find(ask.Line)].turn = turn + 1
	} else if i := l.find(ask.Line); i >= 0 {
		l.lines = slices.Delete(l.lines, i, i+1)
	}
}

// shortest is the length of the shortest of the windows; a second without any.
func shortest(windows []Window) int64 {
	per := time.Duration(math.MaxInt64)
	for _, w := range windows {
		per = min(per, w.Per)
	}
	if len(windows) == 0 {
		per = time.Second
	}
	return int64(per)
}
