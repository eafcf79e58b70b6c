// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

var seeds = flag.Uint64("seeds", 20, "number of seeds of each randomized test")

// simWindows are small, so that a simulation fills them often.
var simWindows = []throttle.Window{
	{Name: "a second", Limit: 4, Per: time.Second},
	{Name: "some", Limit: 20, Per: 8 * time.Second},
}

// TestSimulation runs several runs in virtual time, with faults of the server that a
// seed selects: replies are lost, the server is away or fails over to an outdated
// replica, its clock is set, its data is lost, runs die. In every case, no more
// requests arrive than the limits allow, and every run that lives completes its
// requests.
func TestSimulation(t *testing.T) {
	t.Parallel()
	for n := range *seeds {
		t.Run(fmt.Sprintf("seed=%d", n), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { simulate(t, rand.New(rand.NewPCG(n, 0))) })
		})
	}
}

func simulate(t *testing.T, random *rand.Rand) {
	server := newFakeRedis(t)
	service := &service{windows: simWindows, trip: time.Duration(random.Int64N(int64(300 * time.Millisecond)))}
	each, killed, runs := 5+random.IntN(10), random.IntN(2), 2+random.IntN(2)
	over := make(chan struct{})
	var wg, others sync.WaitGroup
	for i := range runs {
		s := opens(t, server, Config{Key: "key", RetryFor: 5 * time.Minute})
		grant := throttle.Ask{Slot: 1, Run: 1, Queue: 1, Waiting: 1, MaxInFlight: time.Second}
		if _, err := s.Acquire(t.Context(), grant); err != nil { // all runs have seen the budget
			t.Fatal(err)
		}
		dies := make(chan struct{})
		if i < killed {
			time.AfterFunc(time.Duration(random.Int64N(int64(8*time.Second))), func() { close(dies) })
		}
		transport := service.transport(dyingRun{s, dies})
		for range 1 + random.IntN(6) {
			wg.Go(func() {
				for range each {
					status, err := get(t.Context(), transport, serviceURL)
					if errors.Is(err, errDied) {
						return
					}
					if err != nil || status != http.StatusOK {
						t.Errorf("status %d, error %v", status, err)
						return
					}
				}
			})
		}
	}
	others.Go(func() { disturb(server, random, over) })
	wg.Wait()
	close(over)
	others.Wait()
	time.Sleep(time.Minute) // for outcomes that are recorded in the background
	for _, w := range simWindows {
		for i := range service.arrivals[:max(0, len(service.arrivals)-w.Limit)] {
			if d := service.arrivals[i+w.Limit].Sub(service.arrivals[i]); d <= w.Per {
				t.Fatalf("%d requests arrived within %v", w.Limit+1, d)
			}
		}
	}
	t.Logf("%d requests", len(service.arrivals))
}

var errDied = errors.New("killed")

// dyingRun is the store of a run that dies. After that, it records nothing.
type dyingRun struct {
	throttle.Store
	dies chan struct{}
}

func (m dyingRun) dead() bool {
	select {
	case <-m.dies:
		return true
	default:
		return false
	}
}

func (m dyingRun) Acquire(ctx context.Context, ask throttle.Ask) (throttle.Answer, error) {
	if m.dead() {
		return throttle.Answer{}, errDied
	}
	answer, err := m.Store.Acquire(ctx, ask)
	if m.dead() {
		return throttle.Answer{}, errDied
	}
	return answer, err
}

func (m dyingRun) Release(ask throttle.Ask, outcome throttle.Outcome) {
	if !m.dead() {
		m.Store.Release(ask, outcome)
	}
}

// disturb causes faults of the server for a while.
func disturb(s *fakeRedis, random *rand.Rand, over chan struct{}) {
	snapshot := ""
	for start := time.Now(); time.Since(start) < 40*time.Second; {
		select {
		case <-over:
			return
		case <-time.After(100*time.Millisecond + time.Duration(random.Int64N(int64(3*time.Second)))):
		}
		switch random.IntN(7) {
		case 0:
			s.lose.Store(int64(1 + random.IntN(6)))
		case 1:
			s.failing.Store([]string{
				"LOADING", "READONLY", "OOM", "ERR max number of clients reached", "ERR Error running script: -READONLY",
			}[random.IntN(5)])
			time.Sleep(time.Duration(random.Int64N(int64(4 * time.Second))))
			s.failing.Store("")
		case 2:
			s.skew.Add(int64([]time.Duration{-time.Hour, 300 * time.Millisecond, time.Hour}[random.IntN(3)]))
		case 3:
			snapshot, _ = s.Get(keyOf("key"))
		case 4:
			if snapshot != "" {
				_ = s.Set(keyOf("key"), snapshot)
				s.identity.Add(1)
				s.promoted.Store(1)
				snapshot = ""
			}
		case 6:
			s.delay.Store(random.Int64N(int64(3 * time.Second)))
			time.Sleep(time.Duration(random.Int64N(int64(4 * time.Second))))
			s.delay.Store(0)
		case 5:
			if random.IntN(3) == 0 {
				s.FlushAll()
			}
		}
	}
}
