// SPDX-License-Identifier: MPL-2.0

package main

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// limits are the limits of the service: 20 requests per second, 500 per minute.
var limits = []limit{{20, time.Second}, {500, time.Minute}}

type limit struct {
	requests int
	per      time.Duration
}

// service simulates a network and a service with rate limits.
type service struct {
	scenario scenario

	mu      sync.Mutex
	random  *rand.Rand
	counted [][]time.Time // per limit, the requests that still count
	refused int
}

func newService(s scenario) *service {
	return &service{scenario: s, random: rand.New(rand.NewPCG(1, 2)), counted: make([][]time.Time, len(limits))}
}

// RoundTrip implements http.RoundTripper.
func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		if err := req.Body.Close(); err != nil {
			return nil, err
		}
	}
	half := s.trip() / 2
	time.Sleep(half)
	wait := s.arrive()
	time.Sleep(half)
	resp := &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{},
		Body:       io.NopCloser(strings.NewReader("{}")),
		Request:    req,
	}
	if wait > 0 {
		resp.StatusCode = http.StatusTooManyRequests
		seconds := (wait + time.Second - 1) / time.Second
		resp.Header.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	return resp, nil
}

// trip is the length of a round trip.
func (s *service) trip() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Duration(float64(s.scenario.trip) * (1 + s.scenario.jitter*(2*s.random.Float64()-1)))
}

// arrive counts a request. If a limit is exceeded, it returns how long the client must wait.
func (s *service) arrive() (wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for i, l := range limits {
		s.counted[i] = s.expire(s.counted[i], l, now)
		if len(s.counted[i]) < l.requests {
			continue
		}
		free := s.counted[i][len(s.counted[i])-l.requests].Add(l.per)
		if s.scenario.fixed {
			free = now.Truncate(l.per).Add(l.per)
		}
		wait = max(wait, free.Sub(now))
	}
	if wait > 0 {
		s.refused++
	}
	if wait == 0 || s.scenario.counted {
		for i := range limits {
			s.counted[i] = append(s.counted[i], now)
		}
	}
	return wait
}

// expire drops the requests that are not in the window of the limit anymore.
func (s *service) expire(counted []time.Time, l limit, now time.Time) []time.Time {
	from := now.Add(-l.per) // exclusive
	if s.scenario.fixed {
		from = now.Truncate(l.per).Add(-1)
	}
	for len(counted) > 0 && !counted[0].After(from) {
		counted = counted[1:]
	}
	return counted
}
