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
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// scenario describes the requests, the processes that send them, and the network.
type scenario struct {
	name      string
	requests  int // of each process
	callers   int // of each process. 0 means one for each request
	processes int
	inTurn    bool // the processes run one after the other
	trip      time.Duration
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
		// The service allows 20 requests per second and 500 per minute, in sliding windows. Requests
		// that it refuses do not count.
		folder, service := t.TempDir(), sandboxtest.NewService(t, sandboxtest.Options{Latency: s.trip})
		start := time.Now()
		var failures atomic.Int64
		var processes sync.WaitGroup
		for range s.processes {
			client := retryablehttp.NewClient()
			client.Logger = nil
			client.HTTPClient = &http.Client{Transport: by.transport(folder, service)}
			processes.Go(func() { s.process(client, &failures) })
			if s.inTurn {
				processes.Wait()
			}
		}
		processes.Wait()
		r = result{took: time.Since(start), failures: int(failures.Load())}
		for _, request := range service.Journal() {
			if request.Status == http.StatusTooManyRequests {
				r.refused++
			}
		}
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
				request, err := retryablehttp.NewRequest(http.MethodGet, sandbox.BaseURL+"/positions?limit=1", nil)
				if err != nil {
					panic(err)
				}
				request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
				response, err := client.Do(request)
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
