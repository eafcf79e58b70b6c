// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"slices"
	"time"
)

const (
	// firstPause and lastPause bound the pauses before a probe if a 429 does not say
	// how long to wait.
	firstPause = time.Second
	lastPause  = time.Minute

	// longestHold is the longest pause that a 429 can request. The service says that a
	// 429 ends with its window (assumption A14), so a longer pause is a
	// mistake of a gateway.
	longestHold = 3 * time.Minute
)

// hold stops requests after a 429, because a program that does not use the ledger is
// using up a limit. It belongs to the set of windows of the refused request, and stops
// every request that counts in all of them. So a 429 to an ordinary request stops all
// requests, and a 429 to a request for results stops only requests for results. When the
// pause is over, a single request is sent as a probe. Its response ends the hold or
// extends it.
type hold struct {
	windows []uint64 // sorted IDs
	until   int64    // the earliest instant of a probe
	pause   int64    // the last pause that was not requested by the service
	probe   Slot     // the probe in flight
	probeBy int64    // when the probe counts as lost
}

// common returns the IDs of the windows that belong to all runs.
func common(windows []Window) (ids []uint64) {
	for _, w := range windows {
		if !w.Own {
			ids = append(ids, w.ID())
		}
	}
	slices.Sort(ids)
	return ids
}

// holdsOf returns the holds that stop requests in these windows.
func (l *ledger) holdsOf(windows []Window) (holds []*hold) {
	if len(l.holds) == 0 {
		return nil
	}
	ids := common(windows)
	for i := range l.holds {
		if !slices.ContainsFunc(l.holds[i].windows, func(id uint64) bool { return !slices.Contains(ids, id) }) {
			holds = append(holds, &l.holds[i])
		}
	}
	return holds
}

// heldUntil returns the instant until which requests in these windows are held. If that
// is not after now, a request may be sent. While a probe is in flight, it is not known
// when its response arrives. Other requests then ask again after the length of their
// shortest window.
func (l *ledger) heldUntil(windows []Window) int64 {
	until := l.now
	for _, h := range l.holdsOf(windows) {
		if h.until > l.now {
			until = max(until, h.until)
		} else if h.probe != 0 && h.probeBy >= l.now {
			until = max(until, l.now+shortest(windows))
		}
	}
	return until
}

// observe updates the holds with the outcome of a slot. A 429 to a request that was sent
// before its hold began changes nothing, unless it asks for a longer wait.
func (l *ledger) observe(ask Ask, outcome Outcome) {
	answered := func(h hold) bool { return h.probe == ask.Slot && outcome.Result == Answered }
	l.holds = slices.DeleteFunc(l.holds, answered)
	if outcome.Result == Refused {
		l.refuse(ask, int64(min(outcome.RetryAfter, longestHold)))
	}
	for i := range l.holds {
		if l.holds[i].probe == ask.Slot {
			l.holds[i].probe = 0
		}
	}
}

// refuse begins or extends the hold of the windows of a refused request.
func (l *ledger) refuse(ask Ask, asked int64) {
	ids := common(ask.Windows)
	i := slices.IndexFunc(l.holds, func(h hold) bool { return slices.Equal(h.windows, ids) })
	began := i < 0
	if began {
		i = len(l.holds)
		l.holds = append(l.holds, hold{windows: ids})
	}
	h := &l.holds[i]
	switch {
	case asked > 0:
		h.until = max(h.until, l.now+asked)
	case began || h.probe == ask.Slot:
		h.pause = min(max(2*h.pause, int64(firstPause)), int64(lastPause))
		h.until = l.now + h.pause
	}
}
