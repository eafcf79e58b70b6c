// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// disturbances are what happens in the worlds. Each comment says why it could let requests pass above the limits.
var disturbances = []struct {
	name  string
	cause func(w *world)
}{
	// Nobody releases the run's slots, and its last requests still arrive.
	{"a run is killed", func(w *world) { w.killed[w.random.IntN(len(w.killed))].Store(true) }},
	// The script grants and releases slots, but the run does not know it, and asks again.
	{"replies are lost from now on", func(w *world) { w.lossy.Store(true) }},
	// Slots may have expired or been lost when the run learns that it has them. The clock may have been set meanwhile.
	{"replies are late from now on", func(w *world) { w.late.Store(true) }},
	// The server no longer knows the requests of the last minute.
	{"the server is flushed", func(w *world) { w.server().Must("FLUSHALL") }},
	// One window looks unused, while the others contain the requests of the last minute.
	{"a set is evicted", func(w *world) { w.server().Must("DEL", w.keys+throttletest.Results[w.random.IntN(4)].ID()) }},
	// Questions fail, and are asked again with the whole script.
	{"the scripts are flushed", func(w *world) { w.server().Must("SCRIPT", "FLUSH") }},
	// Slots expire too early. After a loss, the windows are full for too short a time.
	{"the clock is set forward by 10 seconds", func(w *world) { w.clock.Add(10_000) }},
	{"the clock is set forward by 2 minutes", func(w *world) { w.clock.Add(120_000) }},
	// Slots expire too late. If the script removes them, their requests must still count.
	{"the clock is set back by 5 seconds", func(w *world) { w.clock.Add(-5000) }},
	{"the clock is set back by an hour", func(w *world) { w.clock.Add(-3_600_000) }},
	// All sets exist, but lack the latest slots.
	{"a replica takes over", func(w *world) { w.failOver(time.Second) }},
	{"the server restarts with an old snapshot", func(w *world) { w.failOver(20 * time.Second) }},
}

// In random worlds, six runs share a budget, and six disturbances happen. Never do more requests arrive than the limits
// allow, and every request of a run that is not killed gets its slots. SEEDS is the number of worlds, and FIRST is the
// seed of the first one.
func TestWorlds(t *testing.T) {
	t.Parallel()
	first, seeds := uint64(1), uint64(6)
	_, _ = fmt.Sscan(os.Getenv("FIRST"), &first) // if it is not set, first stays the same
	_, _ = fmt.Sscan(os.Getenv("SEEDS"), &seeds)
	var requests, breaches atomic.Int64
	t.Cleanup(func() { t.Logf("%d requests, %d breaches in %d worlds", requests.Load(), breaches.Load(), seeds) })
	for seed := first; seed < first+seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			servers := [3]*redistest.Server{redistest.Start(t), redistest.Start(t), redistest.Start(t)}
			throttletest.InVirtualTime(t, func(t *testing.T) {
				w := &world{t: t, random: rand.New(rand.NewPCG(seed, 0)), servers: servers}
				w.live()
				requests.Add(int64(len(w.service.Arrivals())))
				breaches.Add(w.breaches.Load())
				if w.breaches.Load() > 0 {
					t.Errorf("seed %d (FIRST=%[1]d SEEDS=1): %d requests are above the limits", seed, w.breaches.Load())
				}
			})
		})
	}
}

// world is six runs that share a budget on one of three servers.
type world struct {
	t       *testing.T
	random  *rand.Rand           // what the seed determines
	servers [3]*redistest.Server // in the order in which they take over: a restarted server has a new run_id, too
	keys    string               // the beginning of the names of the sets
	service throttletest.Service

	active      atomic.Int64 // the index of the server that the runs use
	clock       atomic.Int64 // how far its clock was set forward, in milliseconds
	killed      [6]atomic.Bool
	lossy, late atomic.Bool
	breaches    atomic.Int64
}

// live lets the runs send 1,260 requests, 60 of them for results. Meanwhile, the disturbances happen.
func (w *world) live() {
	used(w.t, in(w.t, w.servers[0].URL, "worlds", 0))
	w.service.Trip, w.service.Jitter = time.Duration(w.random.IntN(400))*time.Millisecond, w.random.Float64()
	var all sync.WaitGroup
	for i := range w.killed {
		l := w.join(&w.killed[i])
		for range 10 {
			all.Go(func() { w.send(l, &w.killed[i], throttletest.Results, 1) })
			all.Go(func() { w.send(l, &w.killed[i], throttletest.Key, 20) })
		}
	}
	for _, i := range w.random.Perm(len(disturbances))[:6] {
		time.Sleep(time.Duration(5+w.random.IntN(40)) * time.Second)
		d := disturbances[i]
		w.t.Log(time.Now().Format(time.TimeOnly), d.name)
		d.cause(w)
	}
	all.Wait()
}

// join returns the limiter of a run. Each of its questions uses a new connection to the server in use.
func (w *world) join(killed *atomic.Bool) *throttle.Limiter {
	latency := time.Duration(w.random.IntN(300)) * time.Millisecond
	s := in(w.t, w.servers[0].URL, "worlds", 0)
	w.keys = s.keys
	s.pool = &redigo.Pool{DialContext: func(ctx context.Context) (redigo.Conn, error) {
		return redigo.DialURLContext(ctx, w.server().URL)
	}}
	s.now = func() int64 { // the script reads the server's clock when the question has arrived
		time.Sleep(latency / 2)
		return time.Now().UnixMilli() + w.clock.Load()
	}
	s.around = func(ask func() ([]int64, error)) ([]int64, error) {
		if killed.Load() {
			return nil, redigo.Error("killed") // a final error, so the run neither asks nor releases again
		}
		reply, err := ask()
		time.Sleep(latency / 2)
		if w.lossy.Load() && rand.IntN(10) == 0 {
			time.Sleep(noAnswer)
			return nil, errors.New("lost")
		}
		if w.late.Load() && rand.IntN(10) == 0 {
			time.Sleep(rand.N(20 * time.Second))
		}
		return reply, err
	}
	return throttle.New(throttle.Config{Store: s})
}

// send sends n requests one after the other, unless the run is killed.
func (w *world) send(l *throttle.Limiter, killed *atomic.Bool, op throttle.Operation, n int) {
	for range n {
		release, err := l.Acquire(w.t.Context(), op)
		if killed.Load() {
			return
		}
		if err != nil {
			w.t.Errorf("a request got no slot: %v", err)
			return
		}
		status, _ := w.service.Send(w.t.Context(), "", op)
		if status == http.StatusTooManyRequests {
			w.breaches.Add(1)
		}
		release(0)
	}
}

func (w *world) server() *redistest.Server { return w.servers[w.active.Load()] }

// failOver copies the data to the next server, which takes over later, without what happened in between.
func (w *world) failOver(later time.Duration) {
	next := w.active.Load() + 1
	keys, _ := redigo.Strings(w.server().Do("KEYS", "*"))
	for _, key := range keys {
		text, err := redigo.String(w.server().Do("DUMP", key))
		if err == nil { // otherwise, the key has expired
			w.servers[next].Must("RESTORE", key, 0, text)
		}
	}
	time.Sleep(later)
	w.active.Store(next)
}
