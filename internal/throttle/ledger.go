// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// longest limits how far in the future an instant of a valid ledger can be.
const longest = 24 * time.Hour

// ledger is the state of one shared budget and the rules that grant slots. Its times
// are nanoseconds on the clock of the store that keeps it. now never goes back. It does
// not lock. The package redis implements the same rules as a script, and a test there
// runs both on the same histories.
type ledger struct {
	id      uint64 // random; a different ID means that the ledger was lost and rebuilt
	now     int64
	lost    int64 // until when requests of a lost ledger may arrive, or zero
	shared  int64 // until when the budget counts as shared by several runs
	holds   []hold
	windows []window
	queues  []waitingQueue
	marks   []uint64 // IDs of the latest changes, in a file only (see file.go)
}

// newLedger returns an empty ledger.
func newLedger() *ledger { return &ledger{id: rand.Uint64()} }

// rebuilt returns a ledger that replaces a lost one. Its windows start full, because
// unknown requests may arrive within maxInFlight.
func rebuilt(now int64, maxInFlight time.Duration) *ledger {
	l := newLedger()
	l.now, l.lost = now, now+int64(maxInFlight)
	return l
}

// window is one Window and the slots taken in it.
type window struct {
	id      uint64
	limit   int
	reserve int
	per     int64
	open    []openSlot // sent, without a response so far
	done    []doneSlot // answered, oldest first

	held  map[uint32]int // how many slots each run holds
	keeps bool           // whether the reserve applies in this operation
}

// openSlot is the slot of a request in flight.
type openSlot struct {
	slot     Slot
	run      uint32
	deadline int64 // if there is no response by then, it counts as answered at that instant
}

// doneSlot is the slot of a request whose response has arrived. It is held for the
// window's length after that.
type doneSlot struct {
	slot Slot // zero if no response arrived
	run  uint32
	at   int64
}

// used returns the number of slots that are taken.
func (w *window) used() int { return len(w.open) + len(w.done) }

// free returns the number of slots that are left.
func (w *window) free() int { return w.limit - w.used() }

// freeAt returns the earliest instant at which n slots can be free again, of those that
// are taken now or will be taken before. If a response has arrived, the instant is
// exact. A request in flight holds its slot for per after its response, which arrives
// now at the earliest.
func (w *window) freeAt(n int, now int64) int64 {
	again := int64(0) // slots that become free are taken again
	if most := max(w.limit, w.used()); n > most {
		rounds := ceil(n-most, w.limit)
		n, again = n-rounds*w.limit, int64(rounds)*w.per
	}
	if n <= len(w.done) {
		return w.done[n-1].at + w.per + 1 + again
	}
	return now + w.per + 1 + again
}

// take takes a slot for a request that is about to be sent.
func (w *window) take(s openSlot) {
	w.open = append(w.open, s)
	w.hold(s.run, +1)
}

// answer moves a request in flight to the answered ones at the given instant. A slot
// that the window does not know counts as well: it expired, or the ledger was lost,
// while the request was in flight. A slot that was answered before does not count twice:
// the store is told again if its reply was lost.
func (w *window) answer(s Slot, run uint32, at int64) {
	if !slices.ContainsFunc(w.done, func(d doneSlot) bool { return d.slot == s }) {
		w.cancel(s)
		w.insert(doneSlot{s, run, at})
	}
}

func (w *window) insert(s doneSlot) {
	i, _ := slices.BinarySearchFunc(w.done, s.at+1, func(d doneSlot, at int64) int { return cmp.Compare(d.at, at) })
	w.done = slices.Insert(w.done, i, s)
	w.hold(s.run, +1)
}

// cancel removes a request that was not sent.
func (w *window) cancel(s Slot) {
	if i := slices.IndexFunc(w.open, func(o openSlot) bool { return o.slot == s }); i >= 0 {
		w.hold(w.open[i].run, -1)
		w.open = slices.Delete(w.open, i, i+1)
	}
}

// hold changes the number of slots that a run holds.
func (w *window) hold(run uint32, delta int) {
	if w.held == nil {
		w.held = map[uint32]int{}
	}
	if w.held[run] += delta; w.held[run] == 0 {
		delete(w.held, run)
	}
}

// expire drops the slots that are free again at now. A slot is held up to and including
// the instant at which it ends. So it does not matter how the service treats the ends
// of intervals.
func (w *window) expire(now int64) {
	for i := 0; i < len(w.open); {
		if s := w.open[i]; s.deadline < now {
			w.cancel(s.slot)
			w.insert(doneSlot{run: s.run, at: s.deadline})
		} else {
			i++
		}
	}
	n := 0
	for n < len(w.done) && w.done[n].at+w.per < now {
		w.hold(w.done[n].run, -1)
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
	l.queues = slices.DeleteFunc(l.queues, func(q waitingQueue) bool { return q.expires < l.now })
}

// acquire grants ask a slot in all of its windows, or says when to ask again.
func (l *ledger) acquire(ask Ask) Answer {
	if l.renew(ask) {
		return Answer{Granted: true}
	}
	l.keep(ask)
	answer := l.look(ask)
	if answer.Wait > 0 {
		l.enqueue(ask, answer.Wait)
		return answer
	}
	l.charge(ask)
	answer = l.served(ask)
	answer.Granted = true
	return answer
}

// look returns how long the asking queue must wait for a slot, and why.
func (l *ledger) look(ask Ask) Answer {
	if until := l.heldUntil(ask.Windows); until > l.now {
		return Answer{Wait: time.Duration(until - l.now), Held: true}
	}
	at, binding := l.now, 0
	for i, asked := range ask.Windows {
		if t := l.freeFor(l.window(asked), ask); t > at {
			at, binding = t, i
		}
	}
	return Answer{Wait: time.Duration(at - l.now), Window: binding}
}

// renew reports whether the slot was granted before, and extends it. The answer was
// lost or came too late, so the request has not been sent yet.
func (l *ledger) renew(ask Ask) (granted bool) {
	for _, asked := range ask.Windows {
		open := l.window(asked).open
		for i := range open {
			if open[i].slot == ask.Slot {
				open[i].deadline, granted = l.deadline(ask), true
			}
		}
	}
	return granted
}

// deadline returns when a request that is sent now counts as answered.
func (l *ledger) deadline(ask Ask) int64 { return l.now + int64(min(ask.MaxInFlight, longest)) }

// charge takes the slot regardless of the limits. A request that passes a hold is its
// probe.
func (l *ledger) charge(ask Ask) {
	s := openSlot{ask.Slot, ask.Run, l.deadline(ask)}
	for _, asked := range ask.Windows {
		l.window(asked).take(s)
	}
	for _, h := range l.holdsOf(ask.Windows) {
		h.probe, h.probeBy = s.slot, s.deadline
	}
}

// chargeAll records the slots that another store granted.
func (l *ledger) chargeAll(slots []Charged) {
	for _, s := range slots {
		if !s.Answered {
			l.charge(s.Ask)
			continue
		}
		for _, asked := range s.Ask.Windows {
			l.window(asked).answer(s.Ask.Slot, s.Ask.Run, max(l.now-int64(s.Ago), 0))
		}
	}
}

// freeFor returns the instant at which the asking queue can have a slot of w. It counts
// the slots that queues before it will take as taken. If slots are free that these queues
// might not take, the queue asks again when the first of them expires.
func (l *ledger) freeFor(w *window, ask Ask) int64 {
	room := w.free() - w.kept(ask.Run)
	now, later, expiry := l.ahead(w, ask)
	if now < room {
		return l.now
	}
	at := w.freeAt(later+1-room, l.now)
	if room > 0 {
		return min(at, expiry)
	}
	return at
}

// release records the outcome of a slot.
func (l *ledger) release(ask Ask, outcome Outcome) {
	for _, asked := range ask.Windows {
		w := l.window(asked)
		if outcome.Result == Unsent {
			w.cancel(ask.Slot)
		} else {
			w.answer(ask.Slot, ask.Run, l.now)
		}
	}
	l.observe(ask, outcome)
}

// window returns the state of a window, with the limit that the caller gives. After a
// ledger was lost, a new window starts full for as long as requests of the lost ledger
// can count in it.
func (l *ledger) window(asked Window) *window {
	id := asked.ID()
	i := slices.IndexFunc(l.windows, func(w window) bool { return w.id == id })
	if i < 0 {
		i = len(l.windows)
		w := window{id: id, per: int64(asked.Per)}
		if l.lost != 0 && l.now <= l.lost+w.per {
			w.done = slices.Repeat([]doneSlot{{at: l.lost}}, asked.Limit)
			w.hold(0, asked.Limit)
		}
		l.windows = append(l.windows, w)
	}
	l.windows[i].limit, l.windows[i].reserve = asked.Limit, asked.Reserve
	return &l.windows[i]
}

// dropUnused drops the windows in which no slot is held and no queue waits. So the
// ledger does not grow with the number of past runs.
func (l *ledger) dropUnused() {
	l.windows = slices.DeleteFunc(l.windows, func(w window) bool {
		return w.used() == 0 && !slices.ContainsFunc(l.queues, func(q waitingQueue) bool { return q.asksFor(w.id) })
	})
}

// ID is the identity of a window in a store: FNV-1a over its name and length.
func (w Window) ID() uint64 {
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
