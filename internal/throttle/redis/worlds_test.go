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

const databases = 16

// In random worlds, several runs share a budget on a server. Runs are killed and stopped, requests fail or are given
// up, replies are lost or late, questions are slow, another program uses the key, sets are flushed or evicted, the
// scripts are flushed, the server's clock is set, and a replica or a restarted server takes over that lacks the last
// seconds. Never do more requests arrive than the limits allow, and every request of a run that lives is answered.
func TestWorlds(t *testing.T) {
	t.Parallel()
	args := []string{"--databases", fmt.Sprint(databases)}
	servers := [2]*redistest.Server{redistest.Start(t, args...), redistest.Start(t, args...)}
	free := make(chan int, databases)
	for n := range databases {
		free <- n
	}
	var requests, breaches atomic.Int64
	t.Run("worlds", func(t *testing.T) {
		for _, seed := range throttletest.Seeds(t, 6) {
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				t.Parallel()
				database := <-free
				defer func() { free <- database }()
				throttletest.InVirtualTime(t, func(t *testing.T) {
					w := newWorld(t, servers, database, seed)
					w.run()
					requests.Add(int64(len(w.service.Arrivals())))
					b := w.service.Breaches(t, throttletest.Results, foreign)
					breaches.Add(int64(b))
					if b > 0 {
						t.Errorf("%d requests arrived above the limits: %+v\n%s", b, w.faults, strings.Join(w.log, "\n"))
					}
				})
			})
		}
	})
	t.Logf("%d requests, %d breaches", requests.Load(), breaches.Load())
}

const foreign = "another program"

var errKilled = errors.New("killed")

// faults are what happens in a world.
type faults struct {
	runs, callers, each int
	latency             time.Duration
	lost, late, slow    float64 // replies, and slow questions
	failing, givingUp   float64 // requests
	killed, stopped     int     // runs
	foreign, disasters  bool
}

type world struct {
	t        *testing.T
	servers  [2]*redistest.Server
	database int
	faults   faults
	service  *throttletest.Service
	start    time.Time

	mu        sync.Mutex
	random    *rand.Rand
	active    int           // the server in use
	offset    time.Duration // of its clock
	snapshots []map[string]string
	log       []string
}

func newWorld(t *testing.T, servers [2]*redistest.Server, database int, seed uint64) *world {
	random := rand.New(rand.NewPCG(seed, 7))
	maybe := func() bool { return random.IntN(3) == 0 }
	f := faults{
		runs: 1 + random.IntN(5), callers: 1 + random.IntN(20), disasters: random.IntN(5) > 0,
		latency: []time.Duration{0, 20 * time.Millisecond, 300 * time.Millisecond}[random.IntN(3)],
	}
	f.each = 750 / f.runs
	if maybe() {
		f.lost, f.late = random.Float64()/10, random.Float64()/20
	}
	if maybe() {
		f.failing, f.givingUp = random.Float64()/10, random.Float64()/10
	}
	if maybe() {
		f.killed = random.IntN(f.runs)
	}
	if maybe() {
		f.stopped = random.IntN(f.runs)
	}
	if maybe() {
		f.slow = random.Float64() / 10
	}
	f.foreign = random.IntN(8) == 0
	return &world{
		t: t, servers: servers, database: database, faults: f, random: random, start: time.Now(),
		service: &throttletest.Service{
			Trip: time.Duration(random.Int64N(int64(400 * time.Millisecond))), Jitter: random.Float64(),
		},
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

// join returns a new run. Its connections lead to the server in use.
func (w *world) join() *member {
	s := in(w.t, w.servers[0].URL, "worlds", 0)
	s.address.database = w.database
	s.cfg.RetryFor = time.Hour
	var dialed sync.Map
	s.pool.DialContext = func(ctx context.Context) (redigo.Conn, error) {
		w.mu.Lock()
		active := w.active
		w.mu.Unlock()
		a, err := parseURL(w.servers[active].URL)
		if err != nil {
			return nil, err
		}
		a.database = w.database
		conn, err := a.dial(ctx)
		dialed.Store(conn, active)
		return conn, err
	}
	s.pool.TestOnBorrow = func(c redigo.Conn, _ time.Time) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if to, _ := dialed.Load(c); to != w.active {
			return errors.New("failed over")
		}
		return nil
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

func (w *world) run() {
	w.do(w.active, "FLUSHDB")
	var all sync.WaitGroup
	members := make([]*member, w.faults.runs)
	for i := range members {
		members[i] = w.join()
		l := throttle.New(throttle.Config{Store: members[i]})
		w.send(&all, members[i], l, fmt.Sprint("run ", i), throttletest.Key, w.faults.each)
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

// request sends a request until it is answered, given up, or fails.
func (w *world) request(m *member, l *throttle.Limiter, by string, op throttle.Operation) {
	for start := time.Now(); ; {
		ctx, cancel := context.WithCancel(w.t.Context())
		givesUp := w.chance(w.faults.givingUp)
		if givesUp {
			time.AfterFunc(w.within(5*time.Second), cancel)
		}
		r, err := w.once(ctx, m, l, by, op)
		cancel()
		switch {
		case m.dead.Load(), givesUp, r.Err != nil, r.Status == http.StatusOK:
			return
		case time.Since(start) > time.Hour, err != nil:
			w.t.Errorf("after %v: status %d, error %v; %+v", time.Since(start), r.Status, err, w.faults)
			return
		}
	}
}

// once is throttletest.Request, of a run that can be killed between the request and its response.
func (w *world) once(
	ctx context.Context, m *member, l *throttle.Limiter, by string, op throttle.Operation,
) (r throttletest.Response, err error) {
	release, err := l.Acquire(ctx, op)
	if err != nil {
		return r, err
	}
	if m.wait(); m.dead.Load() {
		return r, errKilled
	}
	r = w.service.Send(context.WithoutCancel(ctx), by, op)
	if w.chance(w.faults.failing) {
		r = throttletest.Response{Err: errors.New("connection reset")}
	}
	hold := time.Duration(0)
	if r.Status == http.StatusTooManyRequests {
		hold = time.Second
	}
	release(hold)
	return r, nil
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
		w.do(w.active, "FLUSHDB")
	case 1, 2:
		id := op[w.within(time.Duration(len(op)))].ID()
		w.note("evicted %s", id)
		w.do(w.active, "DEL", prefix+"{"+throttle.BudgetName("worlds")+"}:"+id)
	case 3:
		w.note("scripts flushed")
		w.do(w.active, "SCRIPT", "FLUSH")
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
	keys, err := redigo.Strings(w.do(w.active, "KEYS", "*"), nil)
	if err != nil {
		w.t.Error(err)
	}
	now := map[string]string{}
	for _, key := range keys {
		if text, err := redigo.String(w.do(w.active, "DUMP", key), nil); err == nil { // otherwise, it has expired
			now[key] = text
		}
	}
	w.snapshots = append(w.snapshots, now)
}

// failOver makes the other server take over, with what this one had some seconds ago. It has another identity, like a
// replica, or a server that was restarted with an old snapshot.
func (w *world) failOver(lag int) {
	other := 1 - w.active
	w.do(other, "FLUSHDB")
	for key, text := range w.snapshots[max(len(w.snapshots)-1-lag, 0)] {
		w.do(other, "RESTORE", key, 0, text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = other
}

// do sends a command to the database of this world.
func (w *world) do(server int, command string, args ...any) any {
	conn, err := redigo.DialURLContext(w.t.Context(), w.servers[server].URL, redigo.DialDatabase(w.database))
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	reply, err := conn.Do(command, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return reply
}
