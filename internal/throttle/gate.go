// SPDX-License-Identifier: MPL-2.0

package throttle

import "time"

// The pauses before a probe where a 429 does not say how long to wait.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// gate holds everybody back after a 429: somebody who is not in the ledger uses
// the budget. Once the time is over a single request goes ahead as a probe. What
// it hears opens the gate for all or closes it again.
type gate struct {
	closed  bool
	until   int64 // no probe before
	pause   int64 // the last pause that the service did not name
	probe   Place // the probe under way
	probeBy int64 // when it counts as lost
}

// holds is the instant until which the gate holds a request back; one that is
// not after now lets it pass. Nobody can know when a probe under way returns:
// who meets one looks again after the shortest of its windows.
func (g *gate) holds(now int64, windows []Window) int64 {
	switch {
	case !g.closed:
		return now
	case g.until > now:
		return g.until
	case g.probe != 0 && g.probeBy >= now:
		return now + shortest(windows)
	default:
		return now
	}
}

// sent makes the first request that passes a closed gate its probe.
func (g *gate) sent(f flight) {
	if g.closed {
		g.probe, g.probeBy = f.place, f.deadline
	}
}

// heard draws the conclusions of an outcome. What was sent before the gate
// closed says nothing new, unless it names a longer wait.
func (g *gate) heard(p Place, now int64, outcome Outcome) {
	probe := g.closed && p == g.probe
	switch {
	case outcome.Result == Refused && (probe || !g.closed):
		g.closed, g.probe = true, 0
		if outcome.RetryAfter > 0 {
			g.until = now + int64(outcome.RetryAfter)
		} else {
			g.pause = min(max(2*g.pause, int64(firstPause)), int64(lastPause))
			g.until = now + g.pause
		}
	case outcome.Result == Refused:
		if outcome.RetryAfter > 0 {
			g.until = max(g.until, now+int64(outcome.RetryAfter))
		}
	case probe && outcome.Result == Answered:
		*g = gate{}
	case probe:
		g.probe = 0
	}
}

// shift moves every instant by d.
func (g *gate) shift(d int64) {
	if g.closed {
		g.until += d
		g.probeBy += d
	}
}
