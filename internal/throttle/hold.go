// SPDX-License-Identifier: MPL-2.0

package throttle

import "time"

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

// hold stops all requests with the same key after a 429, because a program that does
// not use the ledger is using up the limits. When the pause is over, a single request
// is sent as a probe. Its response ends the hold or extends it.
type hold struct {
	closed  bool
	until   int64 // the earliest instant of a probe
	pause   int64 // the last pause that was not requested by the service
	probe   Slot  // the probe in flight
	probeBy int64 // when the probe counts as lost
}

// heldUntil returns the instant until which a request is held. If that is not after
// now, the request may be sent. While a probe is in flight, it is not known when its
// response arrives. Other requests then ask again after the length of their shortest
// window.
func (h *hold) heldUntil(now int64, windows []Window) int64 {
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

// startProbe makes the first request that passes the hold its probe.
func (h *hold) startProbe(s openSlot) {
	if h.closed {
		h.probe, h.probeBy = s.slot, s.deadline
	}
}

// observe updates the hold with an outcome. A 429 of a request that was sent before the
// hold began changes nothing, unless it asks for a longer wait.
func (h *hold) observe(s Slot, now int64, outcome Outcome) {
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
