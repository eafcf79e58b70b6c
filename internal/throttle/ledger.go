// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"math/rand/v2"
	"slices"
	"time"
)

// ledger is the state of one budget and the rules that grant places. Its times
// are nanoseconds on the clock of the store that keeps it; now never goes back.
// It does no locking.
type ledger struct {
	now     int64
	shifted int64  // by how much all instants have been shifted so far
	lost    int64  // when the places of before were lost; zero if never
	turn    uint64 // the highest turn that was served
	serial  uint64 // the last place granted
	gate    gate
	windows []window
	lines   []line
}

// newLedger returns an empty ledger. Its places are numbered from anywhere, so
// that one which a lost ledger granted is not mistaken for one of its own.
func newLedger() *ledger { return &ledger{serial: rand.Uint64() >> 1} }

// window is one Window and the places taken in it.
type window struct {
	id    uint64
	limit int
	per   int64
	open  []flight // sent, and no response yet
	done  []int64  // when responses arrived, ascending; each holds its place for per
}

// flight is a request under way.
type flight struct {
	place    Place
	deadline int64 // without a response by then, it counts as answered then
}

// used counts the places taken.
func (w *window) used() int { return len(w.open) + len(w.done) }

// free counts the places left.
func (w *window) free() int { return w.limit - w.used() }

// freeAt is the earliest instant at which n of the places taken now can be free
// again. A response that has arrived says exactly when. A request under way
// holds its place for per after a response that comes now at the earliest.
func (w *window) freeAt(n int, now int64) int64 {
	if n <= len(w.done) {
		return w.done[n-1] + w.per + 1
	}
	return now + w.per + 1
}

// answer moves a request under way to those answered at the given instant.
// A place the window does not know is counted all the same: it expired, or the
// ledger was lost, while the request lived on.
func (w *window) answer(p Place, at int64) {
	w.cancel(p)
	i, _ := slices.BinarySearch(w.done, at+1)
	w.done = slices.Insert(w.done, i, at)
}

// cancel forgets a request.
func (w *window) cancel(p Place) {
	if i := slices.IndexFunc(w.open, func(f flight) bool { return f.place == p }); i >= 0 {
		w.open = slices.Delete(w.open, i, i+1)
	}
}

// expire drops the places that are free again at now. A place is held up to and
// including the instant at which it ends: no rule about the ends of intervals at
// the service can tell.
func (w *window) expire(now int64) {
	for i := 0; i < len(w.open); {
		if f := w.open[i]; f.deadline < now {
			w.answer(f.place, f.deadline)
		} else {
			i++
		}
	}
	n := 0
	for n < len(w.done) && w.done[n]+w.per < now {
		n++
	}
	w.done = slices.Delete(w.done, 0, n)
}

// advance moves the clock and drops what has ended.
func (l *ledger) advance(now int64) {
	l.now = max(now, l.now)
	for i := range l.windows {
		l.windows[i].expire(l.now)
	}
	l.lines = slices.DeleteFunc(l.lines, func(o line) bool { return o.lapses < l.now })
}

// shift moves every instant by d, the ledger's present included.
func (l *ledger) shift(d int64) {
	l.now += d
	l.shifted += d
	if l.lost != 0 {
		l.lost += d
	}
	l.gate.shift(d)
	for i := range l.windows {
		w := &l.windows[i]
		for j := range w.open {
			w.open[j].deadline += d
		}
		for j := range w.done {
			w.done[j] += d
		}
	}
	for i := range l.lines {
		l.lines[i].wakes += d
		l.lines[i].lapses += d
	}
}

// acquire grants ask a place in all of its windows, or says when to ask again.
func (l *ledger) acquire(ask Ask) Answer {
	if until := l.gate.holds(l.now, ask.Windows); until > l.now {
		l.queue(ask, until)
		return Answer{Wait: time.Duration(until - l.now), Gate: true}
	}
	at, binding := l.now, 0
	for i, asked := range ask.Windows {
		w := l.window(asked)
		if t := l.freeFor(w, ask); t > at {
			at, binding = t, i
		}
	}
	if at > l.now {
		l.queue(ask, at)
		return Answer{Wait: time.Duration(at - l.now), Window: binding}
	}
	l.serial++
	f := flight{Place(l.serial), l.now + int64(min(ask.MaxInFlight, longest))}
	for _, asked := range ask.Windows {
		w := l.window(asked)
		w.open = append(w.open, f)
	}
	l.gate.sent(f)
	l.serve(ask)
	return Answer{Place: f.place}
}

// freeFor is the earliest instant at which the asking line can have a place in
// w. Places that are owed to lines before it count as taken now; a line that
// does not come for them loses them when it lapses.
func (l *ledger) freeFor(w *window, ask Ask) int64 {
	owed, lapse := l.owed(w, ask.Line)
	if owed < w.free() {
		return l.now
	}
	at := w.freeAt(w.used()+owed-w.limit+1, l.now)
	if owed > 0 {
		alone := l.now
		if w.free() <= 0 {
			alone = w.freeAt(1-w.free(), l.now)
		}
		at = min(at, max(alone, lapse))
	}
	return at
}

// release records what became of a place.
func (l *ledger) release(p Place, windows []Window, outcome Outcome) {
	for _, asked := range windows {
		w := l.window(asked)
		if outcome.Result == Unsent {
			w.cancel(p)
		} else {
			w.answer(p, l.now)
		}
	}
	l.gate.heard(p, l.now, outcome)
}

// window finds the state of a window, the caller's limit being the valid one.
// After a loss a new one starts full, for as long as places from before can
// count in it.
func (l *ledger) window(asked Window) *window {
	id := asked.id()
	i := slices.IndexFunc(l.windows, func(w window) bool { return w.id == id })
	if i < 0 {
		i = len(l.windows)
		w := window{id: id, per: int64(asked.Per)}
		if l.lost != 0 && l.now <= l.lost+w.per {
			w.done = slices.Repeat([]int64{l.lost}, asked.Limit)
		}
		l.windows = append(l.windows, w)
	}
	l.windows[i].limit = asked.Limit
	return &l.windows[i]
}

// forget drops the windows in which nothing is held and nobody waits, so that
// what is stored does not grow with the runs that came and went.
func (l *ledger) forget() {
	l.windows = slices.DeleteFunc(l.windows, func(w window) bool {
		return w.used() == 0 && !slices.ContainsFunc(l.lines, func(o line) bool { return o.shares(w.id) })
	})
}

// id is the identity of a window: FNV-1a over its name and length.
func (w Window) id() uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(w.Name) {
		h = (h ^ uint64(w.Name[i])) * prime
	}
	for i := range 8 {
		h = (h ^ uint64(w.Per)>>(8*i)&0xff) * prime
	}
	return h
}
