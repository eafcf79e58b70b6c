// SPDX-License-Identifier: MPL-2.0

package main

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// scenario describes the requests, the processes that send them, and the network.
type scenario struct {
	name      string
	requests  int // of each process
	callers   int // of each process. 0 means one for each request
	processes int
	inTurn    bool // the processes run one after the other
	trip      time.Duration
	jitter    float64
}

// result is the result of a strategy.
type result struct {
	took              time.Duration
	refused, failures int
}

// floor is the safe minimum: the shortest time for the requests if each may arrive at any
// moment between its sending and its response. With long round trips, the limit per second
// takes longer than the limit per minute.
func (s scenario) floor() time.Duration {
	n, second, minute := s.requests*s.processes-1, time.Second+s.trip, time.Minute+s.trip
	byMinutes := time.Duration(n/500)*minute + time.Duration(n%500/20)*second
	return max(byMinutes, time.Duration(n/20)*second) + s.trip
}

// run runs the scenario in virtual time.
func (s scenario) run(t *testing.T, by strategy) (r result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		folder, network := t.TempDir(), newNetwork(t, s)
		start := time.Now()
		var failures atomic.Int64
		var processes sync.WaitGroup
		for range s.processes {
			client := retryablehttp.NewClient()
			client.Logger = nil
			client.HTTPClient = &http.Client{Transport: by.transport(folder, network)}
			processes.Go(func() { s.process(client, &failures) })
			if s.inTurn {
				processes.Wait()
			}
		}
		processes.Wait()
		r = result{time.Since(start), network.refused, int(failures.Load())}
	})
	return r
}

// process sends the requests of one process, and counts those that fail after all retries.
func (s scenario) process(client *retryablehttp.Client, failures *atomic.Int64) {
	var left atomic.Int64
	left.Store(int64(s.requests))
	callers := s.callers
	if callers == 0 {
		callers = s.requests
	}
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				response, err := client.Get(sandbox.BaseURL + "/positions?limit=1")
				if err != nil {
					failures.Add(1)
					continue
				}
				_ = response.Body.Close()
			}
		})
	}
	wg.Wait()
}
