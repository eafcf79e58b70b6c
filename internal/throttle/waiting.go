// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"math"
	"slices"
	"time"
)

// sharedFor is how long a budget counts as shared after two runs have used it at the
// same time.
const sharedFor = 10 * time.Minute

// waitingQueue is the ledger's record of a queue of waiting requests.
//
// The run that holds the fewest slots of its longest window is served first. If two
// runs hold equally many, the queue that was served longest ago comes first. So waiting
// runs get equal shares, and a run with few requests passes a run with many. No run
// starves: the slots of a run that gets none expire, and then it holds the fewest.
//
// A queue counts from the instant at which it was told to ask again. If it does not
// ask, it expires after the length of its shortest window. Its process may have been
// killed or stopped, or its requests may have given up.
type waitingQueue struct {
	id      uint64
	run     uint32
	waiting int
	asksAt  int64 // when it was told to ask again
	expires int64 // when it no longer counts
	windows []uint64
}

// asksFor reports whether the queue's requests ask for the window.
func (q *waitingQueue) asksFor(window uint64) bool { return slices.Contains(q.windows, window) }

// ahead counts the slots of w that queues before the asking one will take. now counts
// those that they can take at once, and later those that they can take until the asking
// queue is served. At the instant expiry, the first of the queues counted in now has
// expired. A queue that waits for another window is not counted in now, so it does not
// block others.
func (l *ledger) ahead(w *window, ask Ask) (now, later int, expiry int64) {
	mine, before, expiry := l.mostHeld(ask, ask.Run), 1, math.MaxInt64
	for i := range l.queues {
		q := &l.queues[i]
		if q.id == ask.Queue {
			before = 0
			continue
		}
		n := min(mine-l.mostHeld(ask, q.run)+before, q.waiting)
		if n <= 0 || !q.asksFor(w.id) {
			continue
		}
		room, limit := l.capacity(q)
		if room > 0 && q.asksAt <= l.now {
			now += min(n, room)
			expiry = min(expiry, q.expires+1)
		}
		later += min(n, limit)
	}
	return now, later, expiry
}

// mostHeld returns how many slots the run holds in one of the requested windows: the
// one in which it holds most.
func (l *ledger) mostHeld(ask Ask, run uint32) (most int) {
	for _, asked := range ask.Windows {
		most = max(most, l.window(asked).held[run])
	}
	return most
}

// capacity returns how many slots the queue could take now, and the lowest of its
// limits.
func (l *ledger) capacity(q *waitingQueue) (room, limit int) {
	room, limit = math.MaxInt, math.MaxInt
	for i := range l.windows {
		if w := &l.windows[i]; q.asksFor(w.id) {
			room, limit = min(room, w.free()-w.kept(q.run)), min(limit, w.limit)
		}
	}
	return room, limit
}

// kept returns how many of the free slots are reserved for other runs. A run that holds
// fewer slots than the reserve may take reserved slots, and they do not count twice.
// Several long runs share the limit equally, so a smaller reserve is enough.
func (w *window) kept(run uint32) int {
	if !w.keeps || w.held[run] < w.reserve {
		return 0
	}
	taken, long := 0, 0
	for _, held := range w.held {
		if held < w.reserve {
			taken += held
		} else {
			long++
		}
	}
	return max(w.reserve/long-taken, 0)
}

// keep decides in which windows the reserve applies. Without a reserve, a long run
// takes all slots of a minute in its first half. A short run that starts then waits for
// the other half.
//
// The reserve applies to a budget that several runs have recently used at the same
// time. In a budget that only one run uses, the reserve applies only if it costs the
// run nothing: many requests are known to wait, and they take as many windows without
// the reserve, even if a few more follow.
//
// If only a few requests wait, it is not known how many will follow. The run may then
// take all slots, and the first short run beside it may wait until the window moves on.
// From then on, the budget counts as shared.
func (l *ledger) keep(ask Ask) {
	if l.others(ask.Run) {
		l.shared = l.now + int64(sharedFor)
	}
	for i := range l.windows {
		l.windows[i].keeps = false // the loop below sets it for the windows of this operation
	}
	for _, asked := range ask.Windows {
		w := l.window(asked)
		if w.reserve == 0 {
			continue
		}
		waiting := ask.Waiting
		for i := range l.queues {
			if q := &l.queues[i]; q.id != ask.Queue && q.asksFor(w.id) {
				waiting += q.waiting
			}
		}
		demand := w.used() + waiting
		w.keeps = l.now < l.shared ||
			waiting > 2*w.reserve && ceil(demand, w.limit) == ceil(demand+w.reserve/3, w.limit-w.reserve)
	}
}

func ceil(n, by int) int { return (n + by - 1) / by }

// others reports whether another run has requests that wait or are in flight.
func (l *ledger) others(run uint32) bool {
	for i := range l.queues {
		if l.queues[i].run != run {
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
	asksAt := l.now + int64(wait)
	i := slices.IndexFunc(l.queues, func(q waitingQueue) bool { return q.id == ask.Queue })
	if i < 0 {
		i = len(l.queues)
		q := waitingQueue{id: ask.Queue, run: ask.Run}
		for _, w := range ask.Windows {
			q.windows = append(q.windows, w.ID())
		}
		l.queues = append(l.queues, q)
	}
	q := &l.queues[i]
	q.waiting, q.asksAt, q.expires = ask.Waiting, asksAt, asksAt+shortest(ask.Windows)
}

// served removes one request from the asking queue, and makes the queue the most
// recently served one. The queue stays while requests wait in it. next is the answer
// for its next request, which saves that request a question.
func (l *ledger) served(ask Ask) (next Answer) {
	l.queues = slices.DeleteFunc(l.queues, func(q waitingQueue) bool { return q.id == ask.Queue })
	if ask.Waiting == 1 {
		return Answer{}
	}
	ask.Waiting--
	l.enqueue(ask, 0)
	next = l.look(ask)
	l.enqueue(ask, next.Wait)
	return next
}

// shortest returns the length of the shortest window, or a second if there are no
// windows.
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
