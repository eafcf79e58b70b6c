// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longest is the longest time a service is believed to mean. It also bounds
// what a stored ledger may say about the future.
const longest = 24 * time.Hour

// retryAfter reads a Retry-After header (RFC 9110, section 10.2.3), in seconds or
// as a date; zero where it says nothing of use. A date is taken relative to the
// response's own Date, so that the two clocks need not agree.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	var d time.Duration
	if seconds, err := strconv.ParseFloat(v, 64); err == nil {
		d = time.Duration(min(seconds, longest.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(v); err == nil {
		if date, err := http.ParseTime(h.Get("Date")); err == nil {
			now = date
		}
		d = at.Sub(now)
	}
	return min(max(d, 0), longest)
}
