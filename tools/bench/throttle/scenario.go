// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/hashicorp/go-retryablehttp"
)

// scenario is a number of requests, who sends them, and what is between them and
// the service.
type scenario struct {
	requests  int // of each process
	callers   int // of each process; 0: as many as requests
	processes int
	fleet     bool // on as many machines
	inTurn    bool // the processes run one after the other
	trip      time.Duration
	jitter    float64
	fixed     bool // the service's windows are fixed, not sliding
	counted   bool // refused requests count
}

// result is how a strategy fared.
type result struct {
	took              time.Duration
	refused, failures int
}

// total is the number of all requests.
func (s scenario) total() int { return s.requests * s.processes }

// floor is the safe floor: the least time the scenario can take if requests are
// only known to arrive between their sending and their response. With long round
// trips the limit of a second binds more than that of a minute.
func (s scenario) floor() time.Duration {
	n, second := s.total()-1, time.Second+s.trip
	byMinutes := time.Duration(n/500)*time.Minute + time.Duration(n%500/20)*second
	return max(byMinutes, time.Duration(n/20)*second) + s.trip
}

// run runs the scenario in virtual time.
func (s scenario) run(t *testing.T, by strategy) (r result) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		shared := shared{dir: dir}
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
		return false // given up after its retries
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode == http.StatusOK
}

// most is the part of the floor that ours may take, 0 if nothing is promised: there
// is no floor to compare with if round trips vary.
func (s scenario) most() float64 {
	switch {
	case s.jitter > 0 || s.inTurn:
		return 0
	case s.total() <= 500:
		return 1.02
	default:
		return 1.06
	}
}

// check fails the test if ours does not keep what is promised.
func (s scenario) check(t *testing.T, ours result) {
	t.Helper()
	part := s.part(ours)
	if ours.refused > 0 || ours.failures > 0 || s.most() > 0 && part > s.most() {
		t.Errorf("%+v: %d answers 429, %d failures, %.3f of the floor; want 0, 0 and at most %v",
			s, ours.refused, ours.failures, part, s.most())
	}
}

func (s scenario) part(r result) float64 { return float64(r.took) / float64(s.floor()) }

// cell is a result in the table.
func (s scenario) cell(r result) string {
	return fmt.Sprintf("%.1f s, %.2f, %d, %d", r.took.Seconds(), s.part(r), r.refused, r.failures)
}
