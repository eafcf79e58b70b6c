// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/hashicorp/go-retryablehttp"
)

// scenario describes the requests, the processes that send them, and the network.
type scenario struct {
	name      string
	requests  int // of each process
	callers   int // of each process. 0 means one for each request
	processes int
	fleet     bool // each process has its own machine
	inTurn    bool // the processes run one after the other
	trip      time.Duration
	jitter    float64
	fixed     bool // the service has fixed windows, not sliding windows
	counted   bool // refused requests count
}

// result is the result of a strategy.
type result struct {
	took              time.Duration
	refused, failures int
}

// total is the number of all requests.
func (s scenario) total() int { return s.requests * s.processes }

// floor is the safe minimum: the shortest time for the requests if each may arrive at any
// moment between its sending and its response. With long round trips, the limit per second
// takes longer than the limit per minute.
func (s scenario) floor() time.Duration {
	n, second, minute := s.total()-1, time.Second+s.trip, time.Minute+s.trip
	byMinutes := time.Duration(n/500)*minute + time.Duration(n%500/20)*second
	return max(byMinutes, time.Duration(n/20)*second) + s.trip
}

// run runs the scenario in virtual time.
func (s scenario) run(t *testing.T, by strategy) (r result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		shared := shared{dir: t.TempDir()}
		if s.fleet {
			shared.redis = miniredis.NewMiniRedis()
			defer shared.redis.Close()
		}
		service := newService(s)
		start := time.Now()
		var failures atomic.Int64
		var wg sync.WaitGroup
		for range s.processes {
			client := retryablehttp.NewClient()
			client.Logger = nil
			client.HTTPClient = &http.Client{Transport: by.transport(shared, service)}
			wg.Go(func() { failures.Add(s.process(t, client)) })
			if s.inTurn {
				wg.Wait()
			}
		}
		wg.Wait()
		r = result{time.Since(start), service.refused, int(failures.Load())}
	})
	return r
}

// process sends the requests of one process. It returns how many failed.
func (s scenario) process(t *testing.T, client *retryablehttp.Client) int64 {
	var left, failures atomic.Int64
	left.Store(int64(s.requests))
	callers := s.callers
	if callers == 0 {
		callers = s.requests
	}
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if !succeeds(t, client) {
					failures.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return failures.Load()
}

func succeeds(t *testing.T, client *retryablehttp.Client) bool {
	req, err := retryablehttp.NewRequestWithContext(t.Context(), http.MethodGet, "http://service.test/", nil)
	if err != nil {
		t.Error(err)
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false // all retries failed
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode == http.StatusOK
}

// cell is a result in the table.
func (s scenario) cell(r result) string {
	part := float64(r.took) / float64(s.floor())
	return fmt.Sprintf("%.1f s, %.2f, %d, %d", r.took.Seconds(), part, r.refused, r.failures)
}
