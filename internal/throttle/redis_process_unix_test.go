// SPDX-License-Identifier: MPL-2.0

//go:build unix

package throttle

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
)

// realRedis is a server of its own: Debian's package redis-server, or Valkey.
type realRedis struct {
	tb   testing.TB
	args []string
	url  string
	cmd  *exec.Cmd
}

// startRedis starts one without any data, which asks for a password. Where the
// machine has none the test is skipped.
func startRedis(tb testing.TB, args ...string) *realRedis {
	tb.Helper()
	port := freePort(tb)
	r := &realRedis{tb: tb, url: fmt.Sprintf("redis://:%s@127.0.0.1:%s/0", serverPassword, port)}
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			r.args = append([]string{
				path, "--bind", "127.0.0.1", "--port", port, "--requirepass", serverPassword,
				"--save", "", "--appendonly", "no", "--dir", tb.TempDir(),
			}, args...)
		}
	}
	if r.args == nil {
		tb.Skip("neither redis-server nor valkey-server is on PATH: Debian's package redis-server has it")
	}
	r.start()
	tb.Cleanup(r.kill)
	return r
}

func freePort(tb testing.TB) string {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	return port
}

// start starts the server and waits until it answers.
func (r *realRedis) start() {
	r.tb.Helper()
	r.cmd = exec.CommandContext(context.WithoutCancel(r.tb.Context()), r.args[0], r.args[1:]...)
	if err := r.cmd.Start(); err != nil {
		r.tb.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, err := r.do("PING")
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			r.tb.Fatalf("the server does not answer: %v", err)
		}
	}
}

// do sends the server one command.
func (r *realRedis) do(command string, args ...any) (any, error) {
	conn, err := redis.DialURLContext(r.tb.Context(), r.url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return conn.Do(command, args...)
}

// kill ends the server, which keeps nothing.
func (r *realRedis) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait() // "signal: killed"
}

func (r *realRedis) open(tb testing.TB, cfg RedisConfig) Store {
	tb.Helper()
	cfg.URL, cfg.Key = r.url, "key"
	store, err := OpenRedis(tb.Context(), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return store
}

// fleetEnv makes TestRedisRun a run of its own: "redis-URL base-URL name requests".
const fleetEnv = "THROTTLE_TEST_FLEET"

// TestRedisRun is not a test but a process of those below: it sends its requests
// with 10 callers.
func TestRedisRun(t *testing.T) {
	t.Parallel()
	args := strings.Fields(os.Getenv(fleetEnv))
	if len(args) == 0 {
		return
	}
	store, err := OpenRedis(t.Context(), RedisConfig{URL: args[0], Key: "key"})
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(args[3])
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: New(Config{Windows: windowsOf, Store: store, MaxInFlight: inFlight})}
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, args[1]+"/"+args[2], nil)
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
}

// fleet is processes with homes of their own, one Redis and one service.
type fleet struct {
	t       *testing.T
	redis   *realRedis
	service *service
	url     string
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, redis: startRedis(t), service: &service{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		time.Sleep(20 * time.Millisecond)
		r := f.service.arrive(req)
		time.Sleep(20 * time.Millisecond)
		w.WriteHeader(r.status)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *fleet) start(name string, n int) *exec.Cmd {
	f.t.Helper()
	home := f.t.TempDir()
	cmd := exec.CommandContext(f.t.Context(), os.Args[0], "-test.run=^TestRedisRun$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %d", fleetEnv, f.redis.url, f.url, name, n), "HOME="+home, "XDG_CACHE_HOME="+home)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	return cmd
}

// Four processes that share nothing but Redis are never refused, and together as
// fast as one would be. This is real time on a machine that has other things to
// do, so the speed is that of the best of three.
func TestRedisFleet(t *testing.T) {
	t.Parallel()
	const runs, each, most = 4, 40, 1.15
	best := math.Inf(1)
	for attempt := 0; attempt < 3 && best > most; attempt++ {
		f := newFleet(t)
		var started []*exec.Cmd
		for i := range runs {
			started = append(started, f.start(strconv.Itoa(i), each))
		}
		for _, cmd := range started {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
		f.service.check(t, runs*each)
		first, last := f.service.arrivals[0].at, f.service.arrivals[runs*each-1].at
		took, least := last.Sub(first)+40*time.Millisecond, floor(runs*each, 40*time.Millisecond)
		part := float64(took) / float64(least)
		t.Logf("%v, %.3f of the joint floor", took, part)
		best = min(best, part)
	}
	if best > most {
		t.Errorf("%.3f of the joint floor, want at most %.2f", best, most)
	}
}

// One of four is killed in the middle: the others finish, and wait for its places
// no longer than its requests could have been under way.
func TestRedisFleetLosesOne(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	const each = 40
	victim := f.start("victim", 1000)
	var started []*exec.Cmd
	for i := range 3 {
		started = append(started, f.start(strconv.Itoa(i), each))
	}
	time.Sleep(2 * time.Second)
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // "signal: killed"
	for _, cmd := range started {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	paths := f.service.paths()
	victims := len(slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path != "/victim" }))
	f.service.check(t, 3*each+victims)
	longest := time.Duration(0)
	for i, a := range f.service.arrivals[1:] {
		longest = max(longest, a.at.Sub(f.service.arrivals[i].at))
	}
	t.Logf("%d requests of the victim, the longest break %v", victims, longest)
	if victims < 5 || longest > inFlight+1500*time.Millisecond {
		t.Errorf("%d requests of the victim, and nothing was sent for %v: want some, the window, the expiry and no more", victims, longest)
	}
}

// The server is killed in the middle and stays away. Without a fallback the run
// ends with an error that names it; with one it goes on; neither sends more than
// the limits allow.
func TestRedisIsKilled(t *testing.T) {
	t.Parallel()
	for name, fallback := range map[string]Store{"fail": nil, "host": NewMemory()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startRedis(t)
			s := &service{roundTrip: 20 * time.Millisecond}
			transport := New(Config{Next: s, Windows: windowsOf, Store: r.open(t, RedisConfig{RetryFor: time.Second, Fallback: fallback})})
			var failed atomic.Int64
			var wg sync.WaitGroup
			wg.Go(func() {
				time.Sleep(1500 * time.Millisecond)
				r.kill()
			})
			for range 80 {
				wg.Go(func() {
					_, err := get(t.Context(), transport, "/")
					var unreachable *RedisError
					if err != nil {
						failed.Add(1)
						if !errors.As(err, &unreachable) || strings.Contains(err.Error(), serverPassword) {
							t.Errorf("error %v, want a RedisError", err)
						}
					}
				})
			}
			wg.Wait()
			notices := transport.Notices()
			if fallback != nil {
				s.check(t, 80)
				if len(notices) != 1 || notices[0].Kind != StoreUnusable {
					t.Errorf("notices %+v, want one that the store is unusable", notices)
				}
				return
			}
			s.check(t, 80-int(failed.Load()))
			if n := failed.Load(); n == 0 || n == 80 || len(notices) != 0 {
				t.Errorf("%d failed, notices %+v, want those after the kill and none", n, notices)
			}
		})
	}
}

// The server is restarted without its data: the run goes on by itself once what
// it had sent before cannot count any more.
func TestRedisIsRestarted(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	s := &service{roundTrip: 20 * time.Millisecond}
	windows := keyWindows[:1] // a minute would take one
	transport := New(Config{
		Next: s, Windows: func(*http.Request) []Window { return windows }, Store: r.open(t, RedisConfig{RetryFor: time.Minute}),
	})
	var wg sync.WaitGroup
	wg.Go(func() { apply(t, transport, "/", 60, 60) })
	time.Sleep(500 * time.Millisecond)
	r.kill()
	r.start()
	wg.Wait()
	s.check(t, 60)
	wantNotices(t, transport.cfg.Store, StoreRebuilt)
}

// A place acquired and released on loopback, a minute's worth of others being
// taken: half of them under a millisecond.
func BenchmarkAcquireRedis(b *testing.B) {
	store := startRedis(b).open(b, RedisConfig{})
	windows := []Window{{"a second", 1_000_000, time.Second}, {"a minute", 1_000_000, time.Minute}}
	pair := func(outcome Outcome) {
		answer, err := store.Acquire(b.Context(), Ask{Line: 1, Waiting: 1, Windows: windows, MaxInFlight: time.Minute})
		if err != nil || answer.Place == 0 {
			b.Fatal(answer, err)
		}
		store.Release(answer.Place, windows, outcome)
	}
	for range 500 {
		pair(Outcome{})
	}
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		pair(Outcome{Result: Unsent}) // which holds nothing: the number of others stays
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	half := took[len(took)/2]
	b.ReportMetric(float64(half.Microseconds()), "p50-µs")
	if half > time.Millisecond {
		b.Errorf("half of them took more than %v, want a millisecond at most", half)
	}
}
