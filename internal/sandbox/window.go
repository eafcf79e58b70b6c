// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Windows remembers when requests were let in during the last minute. Limits
// are counted in sliding windows, and a refused request does not count.
type Windows struct {
	Requests []time.Time `json:"requests,omitempty"` // of every kind, the oldest first
	Results  []time.Time `json:"results,omitempty"`  // position results among them
}

// Limit is one limit of section 8: at most so many requests in any time frame.
type Limit struct {
	Requests int
	Frame    time.Duration
}

var (
	requestLimits = []Limit{{20, time.Second}, {500, time.Minute}}
	resultsLimits = []Limit{{2, time.Second}, {30, time.Minute}}
)

// admit lets a request in and remembers it, or says how long the breached
// limits need to have room again.
func (w *Windows) admit(now time.Time, results bool) (wait time.Duration) {
	w.Requests = recent(w.Requests, now)
	w.Results = recent(w.Results, now)

	wait = untilRoom(w.Requests, requestLimits, now)
	if results {
		wait = max(wait, untilRoom(w.Results, resultsLimits, now))
	}
	if wait > 0 {
		return wait
	}
	w.Requests = append(w.Requests, now)
	if results {
		w.Results = append(w.Results, now)
	}
	return 0
}

// recent drops what no window holds any more. A time in the future comes from
// a clock that was set back since; beyond a minute it must not block anybody.
func recent(times []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(times, func(t time.Time) bool {
		return now.Sub(t).Abs() >= time.Minute
	})
}

// untilRoom returns how long it takes until one more request fits every limit.
func untilRoom(times []time.Time, limits []Limit, now time.Time) (wait time.Duration) {
	for _, limit := range limits {
		if len(times) < limit.Requests {
			continue
		}
		leaves := times[len(times)-limit.Requests].Add(limit.Frame)
		wait = max(wait, leaves.Sub(now))
	}
	return wait
}

// inFrame counts the times that lie within the frame that ends now.
func inFrame(times []time.Time, frame time.Duration, now time.Time) int {
	n := 0
	for _, t := range times {
		if now.Sub(t) < frame {
			n++
		}
	}
	return n
}

// tooMany is the answer to a breached limit, until there is room again.
func tooMany(wait time.Duration) *problem {
	seconds := int64((wait + time.Second - 1) / time.Second)
	p := refuse(http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED", "the rate limit of this API key is exceeded; room again in %v", wait)
	p.header = http.Header{"Retry-After": {strconv.FormatInt(seconds, 10)}}
	return p
}
