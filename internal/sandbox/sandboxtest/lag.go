// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// history keeps the states that reads with [Assumptions.Lag] show.
type history struct {
	mu     sync.Mutex
	before []snapshot
}

// snapshot is a copy of the service as it was before a write.
type snapshot struct {
	until   time.Time
	service *sandbox.Service
}

// at returns the service as it was at a time, or nil if it has not changed since then.
func (h *history) at(t time.Time) *sandbox.Service {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, old := range h.before {
		if old.until.After(t) {
			return old.service
		}
	}
	return nil
}

// remember copies the current state for reads that lag. It is called before each
// change.
func (s *Service) remember() error {
	lag := s.Assumptions().Lag
	if lag == 0 {
		return nil
	}
	var state *sandbox.State
	if err := s.View(func(st *sandbox.State) { state = st }); err != nil {
		return err
	}
	old, err := sandbox.New(sandbox.Options{NoLimits: true, Seed: func() *sandbox.State { return state }})
	if err != nil {
		return err
	}
	s.history.mu.Lock()
	defer s.history.mu.Unlock()
	now := time.Now()
	s.history.before = slices.DeleteFunc(s.history.before, func(old snapshot) bool { return now.Sub(old.until) > lag })
	s.history.before = append(s.history.before, snapshot{now, old})
	return nil
}

// lagging is an upstream whose reads show an older state.
func (s *Service) lagging(next upstream) upstream {
	return func(service *sandbox.Service, a *arrival) (response, error) {
		if a.method != http.MethodGet {
			if err := s.remember(); err != nil {
				return response{}, err
			}
			return next(service, a)
		}
		given, err := next(service, a)
		old := s.history.at(time.Now().Add(-s.Assumptions().Lag))
		if err != nil || old == nil || given.status == http.StatusUnauthorized || given.status == http.StatusTooManyRequests {
			return given, err
		}
		conversation := given.header.Get("Conversation-Id")
		if given, err = next(old, a); err == nil {
			given.header.Set("Conversation-Id", conversation)
		}
		return given, err
	}
}

// frame is the time in which every request gets 429 ([Assumptions.WholeFrame]).
type frame struct {
	mu    sync.Mutex
	until time.Time
}

func (f *frame) left() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
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
