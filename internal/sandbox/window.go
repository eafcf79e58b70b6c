// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Windows contains the times of the requests that were admitted during the last minute. The rate limits apply to
// sliding windows (assumption A21). A request that exceeds a limit does not count.
type Windows struct {
	Requests []time.Time `json:"requests,omitempty"` // all requests, the oldest first
	Results  []time.Time `json:"results,omitempty"`  // the requests for position results, the oldest first
}

// Limit is one rate limit: the maximum number of requests in any interval as long as Frame.
type Limit struct {
	Requests int
	Frame    time.Duration
}

var (
	requestLimits = []Limit{{20, time.Second}, {500, time.Minute}}
	resultsLimits = []Limit{{2, time.Second}, {30, time.Minute}}
)

// admit records a request and returns 0. If the request exceeds the limits, admit does not record it, and returns how
// long the client must wait.
func (w *Windows) admit(now time.Time) (wait time.Duration) {
	w.Requests = recent(w.Requests, now)
	wait = untilRoom(w.Requests, requestLimits, now)
	if wait == 0 {
		w.Requests = append(w.Requests, now)
	}
	return wait
}

// admitResults does what admit does, for a request for position results. Such a request must also be within stricter
// limits, which apply to these requests only.
func (w *Windows) admitResults(now time.Time) (wait time.Duration) {
	w.Results, w.Requests = recent(w.Results, now), recent(w.Requests, now)
	if wait = untilRoom(w.Results, resultsLimits, now); wait > 0 {
		return max(wait, untilRoom(w.Requests, requestLimits, now))
	}
	if wait = w.admit(now); wait == 0 {
		w.Results = append(w.Results, now)
	}
	return wait
}

// recent omits times that are outside all windows. It also omits times in the future, which exist if the clock was set
// back, because they would block requests for too long.
func recent(times []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(times, func(t time.Time) bool { return t.After(now) || now.Sub(t) >= time.Minute })
}

// untilRoom returns how long it takes until all limits admit another request, or 0 if they admit a request now. The
// first element of times is the oldest.
func untilRoom(times []time.Time, limits []Limit, now time.Time) (wait time.Duration) {
	for _, limit := range limits {
		if len(times) < limit.Requests {
			continue
		}
		room := times[len(times)-limit.Requests].Add(limit.Frame)
		wait = max(wait, room.Sub(now))
	}
	return wait
}

// tooMany returns the rejection of a request that exceeds a limit.
func tooMany(wait time.Duration) *problem {
	seconds := int64((wait + time.Second - 1) / time.Second)
	p := rejection(http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED",
		"the rate limit of this API key is exceeded. Try again in %v", wait)
	p.header = http.Header{"Retry-After": {strconv.FormatInt(seconds, 10)}}
	return p
}
