// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"net/http"
	"strconv"
	"time"
)

// left returns how long the frame lasts in which every request gets 429.
func (s *Service) left() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	// real time: the clock of the service
	return time.Until(s.closed)
}

// breached starts a frame after a 429 of the service.
func (s *Service) breached(given response) {
	if given.status != http.StatusTooManyRequests {
		return
	}
	length := time.Minute
	if given.header.Get("Retry-After") == "1" {
		length = time.Second
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// real time: the clock of the service
	s.closed = time.Now().Add(length)
}

// tooMany is the answer within a frame.
func tooMany(left time.Duration) response {
	const message = "the rate limit of this API key is exceeded"
	given := problem(http.StatusTooManyRequests, "conv-closed", "RATE_LIMIT_EXCEEDED", message)
	seconds := (left + time.Second - 1) / time.Second
	given.header.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	return given
}
