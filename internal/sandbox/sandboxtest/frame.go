// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// frame is the time in which every request gets 429 ([Assumptions.WholeFrame]).
type frame struct {
	mu    sync.Mutex
	until time.Time
}

func (f *frame) left() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	// real time: the clock of the service
	return time.Until(f.until)
}

// breached starts a frame after a 429 of the service.
func (f *frame) breached(given response) {
	if given.status != http.StatusTooManyRequests {
		return
	}
	length := time.Minute
	if given.header.Get("Retry-After") == "1" {
		length = time.Second
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// real time: the clock of the service
	f.until = time.Now().Add(length)
}

// tooMany is the answer within a frame.
func tooMany(left time.Duration) response {
	const message = "the rate limit of this API key is exceeded"
	given := problem(http.StatusTooManyRequests, "conv-closed", "RATE_LIMIT_EXCEEDED", message)
	seconds := (left + time.Second - 1) / time.Second
	given.header.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	return given
}
