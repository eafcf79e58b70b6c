// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"cmp"
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
	ID      uint64
	Run     uint32
	Waiting int   // how many requests wait, but no more than the windows can take at once
	AsksAt  int64 // when it was told to ask again
	Expires int64 // when it no longer counts
	Windows []uint64
}

// ahead counts the slots of w that queues before the asking one will take. now counts
// those that they can take at once, and later those that they can take until the asking
// queue is served. At the instant expiry, the first of the queues counted in now has
// expired. A queue that has to wait is not counted in now, so it does not block others.
func (l *Ledger) ahead(w *window, ask Ask) (now, later int, expiry int64) {
	mine, before, expiry := l.mostHeld(ask, ask.Run), 1, math.MaxInt64
	for _, q := range l.Queues {
		if q.ID == ask.Queue {
			before = 0
			continue
		}
		n := min(mine-l.mostHeld(ask, q.Run)+before, q.Waiting)
		if n <= 0 || !slices.Contains(q.Windows, w.ID) {
			continue
		}
		if later += n; q.AsksAt <= l.Now {
			now += n
			expiry = min(expiry, q.Expires+1)
		}
	}
	return now, later, expiry
}

// mostHeld returns how many slots the run holds in one of the requested windows: the
// one in which it holds most.
func (l *Ledger) mostHeld(ask Ask, run uint32) (most int) {
	for _, asked := range ask.Windows {
		most = max(most, l.window(asked).held[run])
	}
	return most
}

// kept returns how many of the free slots are reserved for other runs. Without a reserve,
// a long run takes all slots of a minute in its first half. A short run that starts then
// waits for the other half. A run that holds fewer slots than the reserve may take
// reserved slots, and they do not count twice. Several long runs share the limit equally,
// so a smaller reserve is enough.
//
// The reserve applies to a budget that several runs have recently used at the same time.
// In a budget that only one run uses, it applies only if that costs the run little: so
// many requests are known to wait that they take as many minutes as without the reserve,
// even if a few more follow, and a part of the last minute. If only a few requests wait,
// the first short run beside it may wait until the window moves on.
func (l *Ledger) kept(w *window, ask Ask) int {
	if w.Reserve == 0 || w.held[ask.Run] < w.Reserve {
		return 0
	}
	demand := w.used() + ask.Waiting
	further := (demand + w.Reserve/3 - 1) / (w.Limit - w.Reserve) // minutes with the reserve
	if l.Now >= l.Shared && further != demand/(w.Limit+w.Limit/5) {
		return 0
	}
	taken, long := 0, 0
	for _, held := range w.held {
		if held < w.Reserve {
			taken += held
		} else {
			long++
		}
	}
	return max(w.Reserve/long-taken, 0)
}

// others reports whether another run has requests that wait or are in flight.
func (l *Ledger) others(run uint32) bool {
	return slices.ContainsFunc(l.Queues, func(q waitingQueue) bool { return q.Run != run }) ||
		slices.ContainsFunc(l.Windows, func(w window) bool {
			return slices.ContainsFunc(w.Open, func(s openSlot) bool { return s.Run != run })
		})
}

// enqueue records that the asking queue asks again after the wait.
func (l *Ledger) enqueue(ask Ask, wait time.Duration) {
	i := slices.IndexFunc(l.Queues, func(q waitingQueue) bool { return q.ID == ask.Queue })
	if i < 0 {
		i = len(l.Queues)
		l.Queues = append(l.Queues, waitingQueue{})
	}
	asksAt := l.Now + int64(min(wait, longest))
	q := waitingQueue{ask.Queue, ask.Run, ask.Waiting, asksAt, asksAt + shortest(ask.Windows), nil}
	for _, w := range ask.Windows {
		q.Waiting = min(q.Waiting, w.Limit)
		q.Windows = append(q.Windows, w.ID())
	}
	l.Queues[i] = q
}

func (l *Ledger) leave(queue uint64) {
	l.Queues = slices.DeleteFunc(l.Queues, func(q waitingQueue) bool { return q.ID == queue })
}

// shortest returns the length of the shortest window, or a second if there are no
// windows.
func shortest(windows []Window) int64 {
	if len(windows) == 0 {
		return int64(time.Second)
	}
	return int64(slices.MinFunc(windows, func(a, b Window) int { return cmp.Compare(a.Per, b.Per) }).Per)
}
