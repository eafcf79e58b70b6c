// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// In random worlds, several runs share a budget on a server. Runs are killed and stopped, requests fail or are given
// up, replies are lost or late, questions are slow, another program uses the key, sets are flushed or evicted, the
// scripts are flushed, the server's clock is set, and a replica or a restarted server takes over that lacks the last
// seconds. Never do more requests arrive than the limits allow, and every request of a run that lives is answered.
func TestWorlds(t *testing.T) {
	t.Parallel()
	for _, seed := range throttletest.Seeds(t, 6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			servers := [2]*redistest.Server{redistest.Start(t), redistest.Start(t)}
			throttletest.InVirtualTime(t, func(t *testing.T) {
				w := newWorld(t, servers, seed)
				w.run()
				breaches := w.service.Breaches(throttletest.Results, func(a throttletest.Arrival) bool {
					return a.By != foreign
				})
				t.Logf("%d requests, %d breaches", len(w.service.Arrivals()), breaches)
				if breaches > 0 {
					t.Errorf("%d requests arrived above the limits: %+v\n%s", breaches, w.faults, strings.Join(w.log, "\n"))
				}
			})
		})
	}
}

const foreign = "another program"

var errKilled = errors.New("killed")

// faults are what happens in a world.
type faults struct {
	runs, callers      int
	latency            time.Duration
	lost, late, slow   float64 // replies, and slow questions
	failing, givingUp  float64 // requests
	killed, stopped    int     // runs
	foreign, disasters bool
}

type world struct {
	t       *testing.T
	servers [2]*redistest.Server
	faults  faults
	service *throttletest.Service
	start   time.Time

	mu        sync.Mutex
	random    *rand.Rand
	active    int           // the server in use
	offset    time.Duration // of its clock
	snapshots []map[string]string
	log       []string
}

func newWorld(t *testing.T, servers [2]*redistest.Server, seed uint64) *world {
	random := rand.New(rand.NewPCG(seed, 7))
	sometimes := func(most float64) float64 { // zero in two of three worlds
		if random.IntN(3) > 0 {
			return 0
		}
		return random.Float64() * most
	}
	f := faults{
		runs: 1 + random.IntN(5), callers: 1 + random.IntN(20),
		latency: []time.Duration{0, 20 * time.Millisecond, 300 * time.Millisecond}[random.IntN(3)],
		lost:    sometimes(0.1), late: sometimes(0.05), slow: sometimes(0.1),
		failing: sometimes(0.1), givingUp: sometimes(0.1),
		foreign: random.IntN(8) == 0, disasters: random.IntN(5) > 0,
	}
	f.killed, f.stopped = int(sometimes(float64(f.runs))), int(sometimes(float64(f.runs)))
	trip := time.Duration(random.Int64N(int64(400 * time.Millisecond)))
	return &world{
		t: t, servers: servers, faults: f, random: random, start: time.Now(),
		service: &throttletest.Service{Trip: trip, Jitter: random.Float64()},
	}
}

func (w *world) chance(p float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.Float64() < p
}

func (w *world) within(d time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(w.random.Int64N(int64(d)))
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, time.Since(w.start).String()+" "+fmt.Sprintf(format, args...))
}

// member is a run. Its store does not answer while it is stopped, or after it was killed.
type member struct {
	throttle.Store
	dead    atomic.Bool
	resumes atomic.Int64
}

func (m *member) wait() { time.Sleep(time.Until(time.Unix(0, m.resumes.Load()))) }

func (m *member) Acquire(ask throttle.Ask) (throttle.Grant, error) {
	m.wait()
	g, err := m.Store.Acquire(ask)
	if m.wait(); m.dead.Load() {
		return throttle.Grant{}, errKilled
	}
	return g, err
}

func (m *member) Release(op throttle.Operation, token string, hold time.Duration) error {
	if m.wait(); m.dead.Load() {
		return errKilled
	}
	return m.Store.Release(op, token, hold)
}

// join returns a new run, each of whose questions has a connection of its own to the server in use.
func (w *world) join() *member {
	s := in(w.t, w.servers[0].URL, "worlds", 0)
	s.cfg.RetryFor = time.Hour
	s.pool.MaxIdle = 0
	s.pool.DialContext = func(ctx context.Context) (redigo.Conn, error) {
		return redigo.DialURLContext(ctx, w.server().URL)
	}
	s.now = func() int64 {
		if w.chance(w.faults.slow) { // the question is on its way
			time.Sleep(w.within(noAnswer - time.Second))
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		return time.Now().Add(w.offset).UnixMilli()
	}
	s.around = func(ask func() ([]int64, error)) ([]int64, error) {
		time.Sleep(w.faults.latency / 2)
		if w.chance(w.faults.lost / 2) {
			time.Sleep(noAnswer)
			return nil, errors.New("lost on its way there")
		}
		reply, err := ask()
		switch {
		case w.chance(w.faults.lost / 2):
			time.Sleep(noAnswer)
			return nil, errors.New("lost on its way back")
		case w.chance(w.faults.late):
			time.Sleep(w.within(20 * time.Second))
		}
		time.Sleep(w.faults.latency / 2)
		return reply, err
	}
	return &member{Store: s}
}

func (w *world) server() *redistest.Server {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers[w.active]
}

func (w *world) run() {
	var all sync.WaitGroup
	members := make([]*member, w.faults.runs)
	for i := range members {
		members[i] = w.join()
		l := throttle.New(throttle.Config{Store: members[i]})
		w.send(&all, members[i], l, fmt.Sprint("run ", i), throttletest.Key, 750/w.faults.runs)
		w.send(&all, members[i], l, fmt.Sprint("run ", i), throttletest.Results, 30/w.faults.runs)
		switch {
		case i < w.faults.killed:
			time.AfterFunc(throttle.Lost+w.within(30*time.Second), func() { members[i].dead.Store(true) })
		case i < w.faults.killed+w.faults.stopped:
			time.AfterFunc(throttle.Lost+w.within(30*time.Second), func() {
				members[i].resumes.Store(time.Now().Add(w.within(40 * time.Second)).UnixNano())
			})
		}
	}
	over, disturbed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(disturbed)
		w.disturb(over)
	}()
	all.Wait()
	close(over)
	<-disturbed
}

func (w *world) send(all *sync.WaitGroup, m *member, l *throttle.Limiter, by string, op throttle.Operation, n int) {
	var left atomic.Int64
	left.Store(int64(n))
	for range w.faults.callers {
		all.Go(func() {
			for left.Add(-1) >= 0 && !m.dead.Load() {
				w.request(m, l, by, op)
			}
		})
	}
}

// request sends a request until it is answered, given up, or fails. Its run can be killed before and after it is sent.
func (w *world) request(m *member, l *throttle.Limiter, by string, op throttle.Operation) {
	for start := time.Now(); time.Since(start) < time.Hour; {
		ctx, cancel := context.WithCancel(w.t.Context())
		givesUp, fails := w.chance(w.faults.givingUp), w.chance(w.faults.failing)
		if givesUp {
			time.AfterFunc(w.within(5*time.Second), cancel)
		}
		release, err := l.Acquire(ctx, op)
		cancel()
		if m.wait(); m.dead.Load() || err != nil && givesUp {
			return
		}
		if err != nil {
			w.t.Errorf("%v; %+v", err, w.faults)
			return
		}
		status, hold := w.service.Send(w.t.Context(), by, op).Status, time.Duration(0)
		if status == http.StatusTooManyRequests && !fails {
			hold = time.Second
		}
		release(hold)
		if givesUp || fails || status == http.StatusOK {
			return
		}
	}
	w.t.Errorf("a request was not answered for an hour; %+v", w.faults)
}

// disturb causes what happens to the server, until the runs are over.
func (w *world) disturb(over chan struct{}) {
	next := w.within(throttle.Lost + 20*time.Second)
	for second := 0; ; second++ {
		select {
		case <-over:
			return
		case <-time.After(time.Second):
		}
		w.snapshot()
		if w.faults.foreign && second < 200 {
			for range 3 {
				go w.service.Send(w.t.Context(), foreign, throttletest.Key)
			}
		}
		if next -= time.Second; next < 0 && w.faults.disasters && second < 600 {
			next = w.within(100 * time.Second)
			w.disaster()
		}
	}
}

func (w *world) disaster() {
	op := throttletest.Results
	switch w.within(7) {
	case 0:
		w.note("flushed")
		w.server().Must("FLUSHDB")
	case 1, 2:
		id := op[w.within(time.Duration(len(op)))].ID()
		w.note("evicted %s", id)
		w.server().Must("DEL", prefix+"{"+throttle.BudgetName("worlds")+"}:"+id)
	case 3:
		w.note("scripts flushed")
		w.server().Must("SCRIPT", "FLUSH")
	case 4:
		step := []time.Duration{-time.Hour, -5 * time.Second, 10 * time.Second, 2 * time.Minute}[w.within(4)]
		w.note("clock set by %v", step)
		w.mu.Lock()
		w.offset += step
		w.mu.Unlock()
	default:
		lag := int(w.within(16))
		w.note("failed over, without %d s", lag)
		w.failOver(lag)
	}
}

// snapshot keeps what the server has, each second.
func (w *world) snapshot() {
	keys, err := redigo.Strings(w.server().Do("KEYS", "*"))
	if err != nil {
		w.t.Error(err)
	}
	now := map[string]string{}
	for _, key := range keys {
		if text, err := redigo.String(w.server().Do("DUMP", key)); err == nil { // otherwise, it has expired
			now[key] = text
		}
	}
	w.snapshots = append(w.snapshots, now)
}

// failOver makes the other server take over, with what this one had some seconds ago. It has another identity, like a
// replica, or a server that was restarted with an old snapshot.
func (w *world) failOver(lag int) {
	other := w.servers[1-w.active]
	other.Must("FLUSHDB")
	for key, text := range w.snapshots[max(len(w.snapshots)-1-lag, 0)] {
		other.Must("RESTORE", key, 0, text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = 1 - w.active
}
