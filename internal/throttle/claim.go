// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"math"
	"slices"
	"time"
)

// sharedFor is for how long after two runs have used a budget at the same time
// it counts as shared.
const sharedFor = 10 * time.Minute

// claim is what the ledger knows of a queue whose requests wait.
//
// The run that holds the fewest slots, which is those of its longest window, is
// served first, and of equals the queue that was served longest ago. So runs that
// wait get equal parts, a run with few requests passes one with many, and no run
// starves: the slots of one that gets none expire, and then it holds the fewest.
//
// A claim counts from the instant at which the queue was told to ask again. If
// the queue does not ask (its process was killed or stopped, its requests gave
// up) the claim lapses after the length of its shortest window.
type claim struct {
	queue   uint64
	run     uint32
	waiting int
	wakes   int64
	lapses  int64
	windows []uint64
}

// asksFor reports whether the queue's requests ask for the window.
func (c *claim) asksFor(window uint64) bool { return slices.Contains(c.windows, window) }

// ahead counts the slots in w that queues before the asking one will take: those
// that can take them now, and those that can take them until the asking one is
// served. After the instant lapse the first of the former has lapsed. A queue that
// another window holds back can take none now: it must not block others.
func (l *ledger) ahead(w *window, ask Ask) (now, later int, lapse int64) {
	mine, before, lapse := l.holds(ask, ask.Run), 1, math.MaxInt64
	for i := range l.claims {
		c := &l.claims[i]
		if c.queue == ask.Queue {
			before = 0
			continue
		}
		n := min(mine-l.holds(ask, c.run)+before, c.waiting)
		if n <= 0 || !c.asksFor(w.id) {
			continue
		}
		room, limit := l.capacity(c)
		if room > 0 && c.wakes <= l.now {
			now += min(n, room)
			lapse = min(lapse, c.lapses+1)
		}
		later += min(n, limit)
	}
	return now, later, lapse
}

// holds is how many slots the run holds in that of the asked windows in which it
// holds most.
func (l *ledger) holds(ask Ask, run uint32) (most int) {
	for _, asked := range ask.Windows {
		most = max(most, l.window(asked).held[run])
	}
	return most
}

// capacity is how many slots the queue could take now, and the least of its
// limits.
func (l *ledger) capacity(c *claim) (room, limit int) {
	room, limit = math.MaxInt, math.MaxInt
	for i := range l.windows {
		if w := &l.windows[i]; c.asksFor(w.id) {
			room, limit = min(room, w.free()-w.kept(c.run)), min(limit, w.limit)
		}
	}
	return room, limit
}

// kept is how many of the free slots are kept from the run. A run that holds
// fewer slots than the reserve may take them.
func (w *window) kept(run uint32) int {
	if !w.keeps || w.held[run] < w.reserve {
		return 0
	}
	return w.reserve
}

// keep decides in which windows the reserve is kept: without it a long run takes
// all slots of a minute in its first half, and a short run that begins then waits
// for the other half.
//
// It is kept in a budget that several runs have used at the same time lately. In
// one that a single run uses, it is kept only if that costs the run nothing: if
// many requests are known to wait, and they take as many windows without the
// reserve. How many will follow from a run with few requests at once is not known:
// it takes all slots, so the first short run beside it may wait until the window
// moves on. From then on the budget counts as shared.
func (l *ledger) keep(ask Ask) {
	if l.others(ask.Run) {
		l.shared = l.now + int64(sharedFor)
	}
	for i := range l.windows {
		l.windows[i].keeps = false // which is only asked of those of this operation
	}
	for _, asked := range ask.Windows {
		w := l.window(asked)
		if w.reserve == 0 {
			continue
		}
		waiting := ask.Waiting
		for i := range l.claims {
			if c := &l.claims[i]; c.queue != ask.Queue && c.asksFor(w.id) {
				waiting += c.waiting
			}
		}
		demand := w.used() + waiting
		w.keeps = l.now < l.shared ||
			waiting > 2*w.reserve && ceil(demand, w.limit) == ceil(demand, w.limit-w.reserve)
	}
}

func ceil(n, by int) int { return (n + by - 1) / by }

// others reports whether another run has requests that wait or are under way.
func (l *ledger) others(run uint32) bool {
	for i := range l.claims {
		if l.claims[i].run != run {
			return true
		}
	}
	for i := range l.windows {
		for _, s := range l.windows[i].open {
			if s.run != run {
				return true
			}
		}
	}
	return false
}

// enqueue records that the asking queue asks again after the wait.
func (l *ledger) enqueue(ask Ask, wait time.Duration) {
	wakes := l.now + int64(wait)
	i := slices.IndexFunc(l.claims, func(c claim) bool { return c.queue == ask.Queue })
	if i < 0 {
		i = len(l.claims)
		c := claim{queue: ask.Queue, run: ask.Run}
		for _, w := range ask.Windows {
			c.windows = append(c.windows, w.ID())
		}
		l.claims = append(l.claims, c)
	}
	c := &l.claims[i]
	c.waiting, c.wakes, c.lapses = ask.Waiting, wakes, wakes+shortest(ask.Windows)
}

// served takes one request from the asking queue, which is now the one that was
// served last. It stays while requests wait in it. The answer to the next one's
// question comes along, which spares the question.
func (l *ledger) served(ask Ask) (next Answer) {
	l.claims = slices.DeleteFunc(l.claims, func(c claim) bool { return c.queue == ask.Queue })
	if ask.Waiting == 1 {
		return Answer{}
	}
	ask.Waiting--
	l.enqueue(ask, 0)
	next = l.look(ask)
	l.enqueue(ask, next.Wait)
	return next
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
