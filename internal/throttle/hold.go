// SPDX-License-Identifier: MPL-2.0

package throttle

import "time"

const (
	// firstPause and lastPause bound the pauses before a probe if a 429 does not
	// say how long to wait.
	firstPause = time.Second
	lastPause  = time.Minute

	// longestHold is the longest pause that a 429 can ask for. The service says
	// that a 429 ends with its window (specification, section 7), so a longer
	// one is a mistake of a gateway.
	longestHold = 3 * time.Minute
)

// hold is what a 429 does to everyone on the same key: a user of the key that is
// not in the ledger uses up the limits. Once the time is over a single request
// goes ahead as a probe. Its response ends the hold or extends it.
type hold struct {
	closed  bool
	until   int64 // no probe before
	pause   int64 // the last pause that the service did not ask for
	probe   Slot  // the probe under way
	probeBy int64 // when it counts as lost
}

// holds is the instant until which a request is held; one that is not after now
// lets it pass. It is not known when a probe under way returns: a request that
// meets one asks again after the shortest of its windows.
func (h *hold) holds(now int64, windows []Window) int64 {
	switch {
	case !h.closed:
		return now
	case h.until > now:
		return h.until
	case h.probe != 0 && h.probeBy >= now:
		return now + shortest(windows)
	default:
		return now
	}
}

// sent makes the first request that passes the hold its probe.
func (h *hold) sent(s openSlot) {
	if h.closed {
		h.probe, h.probeBy = s.slot, s.deadline
	}
}

// heard draws the conclusions of an outcome. A request that was sent before the
// hold began says nothing new, unless it asks for a longer wait.
func (h *hold) heard(s Slot, now int64, outcome Outcome) {
	probe := h.closed && s == h.probe
	asked := int64(min(outcome.RetryAfter, longestHold))
	switch {
	case outcome.Result == Refused && (probe || !h.closed):
		h.closed, h.probe = true, 0
		if asked > 0 {
			h.until = now + asked
		} else {
			h.pause = min(max(2*h.pause, int64(firstPause)), int64(lastPause))
			h.until = now + h.pause
		}
	case outcome.Result == Refused:
		if asked > 0 {
			h.until = max(h.until, now+asked)
		}
	case probe && outcome.Result == Answered:
		*h = hold{}
	case probe:
		h.probe = 0
	}
}

// shift moves every instant by d.
func (h *hold) shift(d int64) {
	if h.closed {
		h.until += d
		h.probeBy += d
	}
}
