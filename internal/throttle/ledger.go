// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// longest limits how far in the future an instant of a ledger can be.
const longest = 24 * time.Hour

// Ledger is the state of one shared budget and the rules that grant slots. Each store keeps
// one, and applies operations to it one after the other. Its times are nanoseconds on the
// clock of that store. Now never goes back. As JSON, it consists of the exported fields.
type Ledger struct {
	ID      uint64 // random; a different ID means that the ledger was lost and rebuilt
	Now     int64
	Lost    int64 // until when requests of a lost ledger may arrive, or zero
	Shared  int64 // until when the budget counts as shared by several runs
	Holds   []hold
	Windows []window
	Queues  []waitingQueue
}

// NewLedger returns the ledger of a budget that was not used before.
func NewLedger() *Ledger { return &Ledger{ID: rand.Uint64()} }

// rebuilt returns a ledger that replaces a lost one. Its windows start full, because
// unknown requests may arrive within maxInFlight.
func rebuilt(now int64, maxInFlight time.Duration) *Ledger {
	l := NewLedger()
	l.Now, l.Lost = now, now+int64(maxInFlight)
	return l
}

// Clone returns a copy that shares nothing that changes.
func (l *Ledger) Clone() *Ledger {
	c := *l
	c.Holds, c.Windows, c.Queues = slices.Clone(l.Holds), slices.Clone(l.Windows), slices.Clone(l.Queues)
	for i := range c.Windows {
		w := &c.Windows[i]
		w.Open, w.Done, w.held = slices.Clone(w.Open), slices.Clone(w.Done), maps.Clone(w.held)
	}
	return &c
}

// window is one Window and the slots taken in it.
type window struct {
	ID      uint64
	Limit   int
	Reserve int
	Per     int64
	Open    []openSlot // sent, without a response so far
	Done    []doneSlot // answered, oldest first

	held map[uint32]int // how many slots each run holds
}

// openSlot is the slot of a request in flight.
type openSlot struct {
	Slot     Slot   `json:"s"`
	Run      uint32 `json:"r"`
	Deadline int64  `json:"d"` // if there is no response by then, it counts as answered at that instant
}

// doneSlot is the slot of a request whose response has arrived. It is held for the
// window's length after that.
type doneSlot struct {
	Slot Slot   `json:"s,omitempty"` // zero if no response arrived
	Run  uint32 `json:"r,omitempty"`
	At   int64  `json:"a"`
}

func (w *window) used() int { return len(w.Open) + len(w.Done) }

func (w *window) free() int { return w.Limit - w.used() }

// freeAt returns the earliest instant at which n slots can be free again, of those that
// are taken now or will be taken before: slots that become free are taken again. If a
// response has arrived, the instant is exact. A request in flight holds its slot for Per
// after its response, which arrives now at the earliest.
func (w *window) freeAt(n int, now int64) int64 {
	all := max(w.Limit, w.used())
	rounds, n := int64(1+(n-1)/all), (n-1)%all
	if n < len(w.Done) {
		now = w.Done[n].At
	}
	return now + rounds*w.Per + 1
}

// answer moves a request in flight to the answered ones at the given instant. A slot
// that the window does not know counts as well: it expired, or the ledger was lost,
// while the request was in flight. A slot that was answered before does not count twice:
// the store is told again if its reply was lost.
func (w *window) answer(s Slot, run uint32, at int64) {
	if !slices.ContainsFunc(w.Done, func(d doneSlot) bool { return d.Slot == s }) {
		w.cancel(s)
		w.insert(doneSlot{s, run, at})
	}
}

func (w *window) insert(s doneSlot) {
	i, _ := slices.BinarySearchFunc(w.Done, s.At+1, func(d doneSlot, at int64) int { return cmp.Compare(d.At, at) })
	w.Done = slices.Insert(w.Done, i, s)
	w.hold(s.Run, +1)
}

// cancel removes a request that was not sent.
func (w *window) cancel(s Slot) {
	if i := slices.IndexFunc(w.Open, func(o openSlot) bool { return o.Slot == s }); i >= 0 {
		w.hold(w.Open[i].Run, -1)
		w.Open = slices.Delete(w.Open, i, i+1)
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
	for i := 0; i < len(w.Open); {
		if s := w.Open[i]; s.Deadline < now {
			w.cancel(s.Slot)
			w.insert(doneSlot{Run: s.Run, At: s.Deadline})
		} else {
			i++
		}
	}
	n := 0
	for n < len(w.Done) && w.Done[n].At+w.Per < now {
		w.hold(w.Done[n].Run, -1)
		n++
	}
	w.Done = slices.Delete(w.Done, 0, n)
}

// follows reports whether a ledger is a successor of the one before, or was rebuilt since, as
// if every window were full. Otherwise, requests may be in flight that it does not contain.
func (l *Ledger) follows(before *Ledger, maxInFlight time.Duration) bool {
	if l.ID == before.ID {
		return l.Now >= before.Now
	}
	return l.Lost != 0 && l.Lost >= before.Now+int64(maxInFlight)
}

// Operation asks for a slot, or records the outcome of one.
type Operation struct {
	Ask     Ask      `json:"ask"`
	Outcome *Outcome `json:"outcome,omitempty"` // nil asks for the slot
}

// Valid reports whether a Transport can have made the operation.
func (op Operation) Valid() bool {
	const mostSlots = 1 << 16
	return op.Ask.MaxInFlight >= 0 && !slices.ContainsFunc(op.Ask.Windows, func(w Window) bool {
		return w.Per <= 0 || w.Per > longest || w.Limit <= 0 || w.Limit > mostSlots || w.Reserve < 0 || w.Reserve >= w.Limit
	})
}

// Apply applies an operation at the given instant. Only the question for a slot has a
// decision.
func (l *Ledger) Apply(now int64, op Operation) (decision Decision) {
	l.advance(now)
	if op.Outcome == nil {
		decision = l.acquire(op.Ask)
	} else {
		l.release(op.Ask, *op.Outcome)
	}
	l.dropUnused()
	return decision
}

// advance moves the clock and drops what has ended.
func (l *Ledger) advance(now int64) {
	l.Now = max(now, l.Now)
	for i := range l.Windows {
		l.Windows[i].expire(l.Now)
	}
	l.Queues = slices.DeleteFunc(l.Queues, func(q waitingQueue) bool { return q.Expires < l.Now })
}

// acquire grants ask a slot in all of its windows, or says when to ask again.
func (l *Ledger) acquire(ask Ask) Decision {
	if l.renew(ask) {
		return Decision{Granted: true}
	}
	if l.others(ask.Run) {
		l.Shared = l.Now + int64(sharedFor)
	}
	decision := l.look(ask)
	if decision.Wait > 0 {
		l.enqueue(ask, decision.Wait)
		return decision
	}
	l.charge(ask)
	l.leave(ask.Queue)
	if ask.Waiting--; ask.Waiting > 0 {
		l.enqueue(ask, 0) // behind the other queues
		decision = l.look(ask)
		l.enqueue(ask, decision.Wait)
	}
	decision.Granted = true
	return decision
}

// look returns how long the asking queue must wait for a slot, and why.
func (l *Ledger) look(ask Ask) Decision {
	if until := l.heldUntil(ask.Windows); until > l.Now {
		return Decision{Wait: time.Duration(until - l.Now), Held: true}
	}
	at, binding := l.Now, 0
	for i, asked := range ask.Windows {
		if t := l.freeFor(l.window(asked), ask); t > at {
			at, binding = t, i
		}
	}
	return Decision{Wait: time.Duration(at - l.Now), Window: binding}
}

// renew reports whether the slot was granted before, and extends it. The answer was
// lost or came too late, so the request has not been sent yet.
func (l *Ledger) renew(ask Ask) (granted bool) {
	for _, asked := range ask.Windows {
		open := l.window(asked).Open
		for i := range open {
			if open[i].Slot == ask.Slot {
				open[i].Deadline, granted = l.deadline(ask), true
			}
		}
	}
	return granted
}

// deadline returns when a request that is sent now counts as answered.
func (l *Ledger) deadline(ask Ask) int64 { return l.Now + int64(min(ask.MaxInFlight, longest)) }

// charge takes the slot regardless of the limits. A request that passes a hold is its
// probe.
func (l *Ledger) charge(ask Ask) {
	s := openSlot{ask.Slot, ask.Run, l.deadline(ask)}
	for _, asked := range ask.Windows {
		w := l.window(asked)
		w.Open = append(w.Open, s)
		w.hold(s.Run, +1)
	}
	for _, h := range l.holdsOf(ask.Windows) {
		h.Probe, h.ProbeBy = s.Slot, s.Deadline
	}
}

// freeFor returns the instant at which the asking queue can have a slot of w. It counts
// the slots that queues before it will take as taken. If slots are free that these queues
// might not take, the queue asks again when the first of them expires.
func (l *Ledger) freeFor(w *window, ask Ask) int64 {
	room := w.free() - l.kept(w, ask)
	now, later, expiry := l.ahead(w, ask)
	if now < room {
		return l.Now
	}
	at := w.freeAt(later+1-room, l.Now)
	if room > 0 {
		return min(at, expiry)
	}
	return at
}

// release records the outcome of a slot.
func (l *Ledger) release(ask Ask, outcome Outcome) {
	for _, asked := range ask.Windows {
		w := l.window(asked)
		if outcome.Kind == Unsent {
			w.cancel(ask.Slot)
		} else {
			w.answer(ask.Slot, ask.Run, l.Now)
		}
	}
	l.observe(ask, outcome)
}

// window returns the state of a window, with the limit that the caller gives. After a
// ledger was lost, a new window starts full for as long as requests of the lost ledger
// can count in it.
func (l *Ledger) window(asked Window) *window {
	id := asked.ID()
	i := slices.IndexFunc(l.Windows, func(w window) bool { return w.ID == id })
	if i < 0 {
		i = len(l.Windows)
		w := window{ID: id, Per: int64(asked.Per)}
		if l.Lost != 0 && l.Now <= l.Lost+w.Per {
			w.Done = slices.Repeat([]doneSlot{{At: l.Lost}}, asked.Limit)
			w.hold(0, asked.Limit)
		}
		l.Windows = append(l.Windows, w)
	}
	l.Windows[i].Limit, l.Windows[i].Reserve = asked.Limit, asked.Reserve
	return &l.Windows[i]
}

// dropUnused drops the windows in which no slot is held. So the ledger does not grow with
// the number of past runs.
func (l *Ledger) dropUnused() {
	l.Windows = slices.DeleteFunc(l.Windows, func(w window) bool { return w.used() == 0 })
}

// ID is the identity of a window in a store: FNV-1a over its name and length.
func (w Window) ID() uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64([]byte(w.Name), uint64(w.Per))) // never fails
	return h.Sum64()
}
