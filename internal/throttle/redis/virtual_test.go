// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// These tests have a real server outside of virtual time. The clock goes in as an argument. While a question is on its
// way, a goroutine waits for the network, so virtual time does not advance. What the network takes is slept before and
// after it.

const trip = 50 * time.Millisecond

// in returns a store for a run on a server in virtual time.
func in(t *testing.T, url, key string, latency time.Duration) *store {
	t.Helper()
	s, err := open(Config{URL: url, Key: key, RetryFor: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s.patience = time.Hour // the server answers in real time
	s.now = func() int64 { return time.Now().UnixMilli() }
	s.around = func(ask func() ([]int64, error)) ([]int64, error) {
		time.Sleep(latency / 2)
		reply, err := ask()
		time.Sleep(latency - latency/2)
		return reply, err
	}
	t.Cleanup(func() { _ = s.pool.Close() })
	return s
}

// used waits until the first use of a budget is over, for which its windows are full.
func used(t *testing.T, s *store) {
	t.Helper()
	first := throttle.Ask{Operation: throttletest.Results, Run: "first", Queue: "first"}
	if _, err := s.Acquire(first); err != nil {
		t.Fatal(err)
	}
	time.Sleep(throttle.Lost + time.Second)
}

// One, four and sixteen runs on one server need hardly longer than the shortest safe time, also if it is far away. No
// request arrives above the limits.
func TestFloor(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for name, row := range map[string]struct {
		runs, requests int // requests of all runs
		latency        time.Duration
		most           float64
	}{
		"one run":                {1, 1300, 0, 1.05},
		"four runs":              {4, 1300, 0, 1.1},
		"one run, far away":      {1, 600, 200 * time.Millisecond, 1.3},
		"sixteen runs, far away": {16, 1296, 200 * time.Millisecond, 1.3},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			service := &throttletest.Service{Trip: trip, Jitter: 0.5}
			used(t, in(t, server.URL, name, 0))
			start := time.Now()
			var all sync.WaitGroup
			for i := range row.runs {
				l := throttle.New(throttle.Config{Store: in(t, server.URL, name, row.latency)})
				all.Go(func() {
					throttletest.Apply(t, l, service, fmt.Sprint(i), throttletest.Key, row.requests/row.runs, 10)
				})
			}
			all.Wait()
			service.Check(t, row.requests)
			part := float64(time.Since(start)) / float64(throttletest.Floor(row.requests, trip))
			if part > row.most {
				t.Errorf("%.3f of the floor, want at most %.2f", part, row.most)
			}
		})
	}
}
