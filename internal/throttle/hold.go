// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"slices"
	"time"
)

const (
	// shortestPause and longestPause bound the pauses before a probe if a 429 does not say
	// how long to wait.
	shortestPause = time.Second
	longestPause  = time.Minute

	// longestHold is the longest pause that a 429 can request. The service says that a
	// 429 ends with its window (assumption A14), so a longer pause is a
	// mistake of a gateway.
	longestHold = 3 * time.Minute
)

// hold stops every request that counts in all windows of a request that got a 429. So a
// 429 to an ordinary request stops all requests, and a 429 to a request for results stops
// only requests for results. When the pause is over, a single request is sent as a probe.
type hold struct {
	Windows []uint64 // sorted IDs
	Until   int64    // the earliest instant of a probe
	Pause   int64    // the last pause that was not requested by the service
	Probe   Slot     // the probe in flight
	ProbeBy int64    // when the probe counts as lost
}

// commonWindows returns the IDs of the windows that belong to all runs.
func commonWindows(windows []Window) (ids []uint64) {
	for _, w := range windows {
		if !w.Own {
			ids = append(ids, w.ID())
		}
	}
	slices.Sort(ids)
	return ids
}

// holdsOf returns the holds that stop requests in these windows.
func (l *Ledger) holdsOf(windows []Window) (holds []*hold) {
	if len(l.Holds) == 0 {
		return nil
	}
	ids := commonWindows(windows)
	for i := range l.Holds {
		if !slices.ContainsFunc(l.Holds[i].Windows, func(id uint64) bool { return !slices.Contains(ids, id) }) {
			holds = append(holds, &l.Holds[i])
		}
	}
	return holds
}

// heldUntil returns the instant until which requests in these windows are held. If that
// is not after now, a request may be sent. While a probe is in flight, it is not known
// when its response arrives. Other requests then ask again after the length of their
// shortest window.
func (l *Ledger) heldUntil(windows []Window) int64 {
	until := l.Now
	for _, h := range l.holdsOf(windows) {
		if h.Until > l.Now {
			until = max(until, h.Until)
		} else if h.Probe != 0 && h.ProbeBy >= l.Now {
			until = max(until, l.Now+shortest(windows))
		}
	}
	return until
}

// observe updates the holds with the outcome of a slot. A 429 to a request that was sent
// before its hold began changes nothing, unless it asks for a longer wait.
func (l *Ledger) observe(ask Ask, outcome Outcome) {
	answered := func(h hold) bool { return h.Probe == ask.Slot && outcome.Kind == Answered }
	l.Holds = slices.DeleteFunc(l.Holds, answered)
	if outcome.Kind == Refused {
		l.refuse(ask, int64(min(outcome.RetryAfter, longestHold)))
	}
	for i := range l.Holds {
		if l.Holds[i].Probe == ask.Slot {
			l.Holds[i].Probe = 0
		}
	}
}

// refuse begins or extends the hold of the windows of a refused request.
func (l *Ledger) refuse(ask Ask, asked int64) {
	ids := commonWindows(ask.Windows)
	i := slices.IndexFunc(l.Holds, func(h hold) bool { return slices.Equal(h.Windows, ids) })
	began := i < 0
	if began {
		i = len(l.Holds)
		l.Holds = append(l.Holds, hold{Windows: ids})
	}
	h := &l.Holds[i]
	switch {
	case asked > 0:
		h.Until = max(h.Until, l.Now+asked)
	case began || h.Probe == ask.Slot:
		h.Pause = min(max(2*h.Pause, int64(shortestPause)), int64(longestPause))
		h.Until = l.Now + h.Pause
	}
}
