// SPDX-License-Identifier: MPL-2.0

//go:build unix

package redis

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

// runsForLong makes the script believe that the server was started long ago. Otherwise,
// a budget on a new server starts with a wait.
func runsForLong(s throttle.Store) throttle.Store {
	if r, ok := s.(*store); ok {
		r.script = redigo.NewScript(1, strings.Replace(rules, "string.match(info, 'uptime_in_seconds:(%d+)')", "1000", 1))
	}
	return s
}

// open opens a budget on a real server.
func open(tb testing.TB, r *redistest.Server, cfg Config) throttle.Store {
	tb.Helper()
	cfg.URL, cfg.Key = r.URL, "key"
	s, err := Open(tb.Context(), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return runsForLong(s)
}

// fleetEnv makes TestRun a run in its own process: "redis-URL base-URL limits name
// requests".
const fleetEnv = "THROTTLE_TEST_FLEET"

// fleetWindows are shorter than those of the service, for tests in real time.
var fleetWindows = []throttle.Window{
	{Name: "a second", Limit: 20, Per: time.Second},
	{Name: "five", Limit: 60, Per: 5 * time.Second},
}

// limits are the limits of a fleet, by name.
var limits = map[string][]throttle.Window{"short": fleetWindows, "service": keyWindows}

// TestRun is not a test, but the process that the tests below start. It sends its
// requests with 10 callers.
func TestRun(t *testing.T) {
	t.Parallel()
	args := strings.Fields(os.Getenv(fleetEnv))
	if len(args) == 0 {
		return
	}
	s, err := Open(t.Context(), Config{URL: args[0], Key: "key", RetryFor: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(args[4])
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: throttle.New(throttle.Config{
		Store: runsForLong(s), MaxInFlight: time.Second,
		Windows: func(*http.Request) []throttle.Window { return limits[args[2]] },
	})}
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, args[1]+"/"+args[3], nil)
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

// fleet is several processes that share only a Redis server, and one service.
type fleet struct {
	t       testing.TB
	limits  string
	redis   *redistest.Server
	service *service
	url     string // of the service
	user    string // the URL of Redis for the processes
}

func newFleet(t testing.TB, of string) *fleet {
	t.Helper()
	f := &fleet{t: t, limits: of, redis: redistest.Start(t), service: &service{windows: limits[of]}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		time.Sleep(20 * time.Millisecond)
		status := f.service.arrive(req.URL.Path)
		time.Sleep(20 * time.Millisecond)
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	f.url, f.user = server.URL, f.redis.URL
	return f
}

func (f *fleet) start(name string, n int) *exec.Cmd {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), os.Args[0], "-test.run=^TestRun$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %s %d", fleetEnv, f.user, f.url, f.limits, name, n))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	return cmd
}

func (f *fleet) wait(runs ...*exec.Cmd) {
	f.t.Helper()
	for _, run := range runs {
		if err := run.Wait(); err != nil {
			f.t.Error(err)
		}
	}
}

// sent returns how many requests with a name arrived, and the longest time without any.
func (f *fleet) sent(name string) (n int, longest time.Duration) {
	f.service.mu.Lock()
	defer f.service.mu.Unlock()
	for i, at := range f.service.arrivals {
		if f.service.paths[i] == "/"+name {
			n++
		}
		if i > 0 {
			longest = max(longest, at.Sub(f.service.arrivals[i-1]))
		}
	}
	return n, longest
}

// Of five processes that share only Redis, one is killed and one is stopped. No request
// is refused, and the other processes continue.
func TestFleetLosesSome(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "short")
	killed, stopped := f.start("killed", 1000), f.start("stopped", 20)
	runs := []*exec.Cmd{f.start("a", 30), f.start("b", 30), f.start("c", 30)}
	time.Sleep(1500 * time.Millisecond)
	for _, err := range []error{killed.Process.Kill(), stopped.Process.Signal(syscall.SIGSTOP)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = killed.Wait() // "signal: killed"
	time.AfterFunc(5*time.Second, func() { _ = stopped.Process.Signal(syscall.SIGCONT) })
	f.wait(append(runs, stopped)...)
	requests, longest := f.sent("killed")
	f.service.check(t, 110+requests)
	t.Logf("%d requests of the killed process, the longest break %v", requests, longest)
	if requests < 3 || longest > 5*time.Second+1500*time.Millisecond {
		t.Errorf("%d requests of the killed process, and no request for %v: want some, the window, the expiry and no "+
			"more", requests, longest)
	}
}

// The server restarts from an older snapshot while four processes run, and another
// process starts then. No request is refused.
func TestFleetSurvivesARestart(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "short")
	runs := []*exec.Cmd{f.start("a", 25), f.start("b", 25), f.start("c", 25), f.start("d", 25)}
	time.Sleep(500 * time.Millisecond)
	f.redis.Must("SAVE")
	time.Sleep(time.Second)
	f.redis.Kill()
	f.redis.Restart()
	runs = append(runs, f.start("newcomer", 25))
	f.wait(runs...)
	f.service.check(t, 125)
}

// The server is killed and does not come back. Without a fallback, the run ends with an
// error that names the server. With a fallback, it continues. Neither run sends more
// than the limits allow.
func TestServerIsKilled(t *testing.T) {
	t.Parallel()
	for name, fallback := range map[string]throttle.Store{"fail": nil, "host": throttle.NewMemory()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := redistest.Start(t)
			s := &service{trip: 20 * time.Millisecond, windows: fleetWindows}
			transport := s.transport(open(t, r, Config{RetryFor: time.Second, Fallback: fallback}))
			var failed atomic.Int64
			var wg sync.WaitGroup
			wg.Go(func() {
				time.Sleep(1500 * time.Millisecond)
				r.Kill()
			})
			for range 80 {
				wg.Go(func() {
					_, err := get(t.Context(), transport, "/")
					var unreachable *Error
					if err != nil {
						failed.Add(1)
						if !errors.As(err, &unreachable) || strings.Contains(err.Error(), serverPassword) {
							t.Errorf("error %v, want an Error", err)
						}
					}
				})
			}
			wg.Wait()
			notices := transport.Notices()
			if fallback != nil {
				s.check(t, 80)
				if len(notices) != 1 || notices[0].Kind != throttle.StoreUnusable {
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

// A fault of the server that ends in time costs only that time: no request fails, and none
// is refused.
func TestServerRecovers(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]struct{ begin, end func(*redistest.Server) }{
		"it is demoted": {
			func(r *redistest.Server) { r.Must("REPLICAOF", "127.0.0.1", "1") },
			func(r *redistest.Server) { r.Must("REPLICAOF", "NO", "ONE") },
		},
		"its memory is full": {
			func(r *redistest.Server) { r.Must("CONFIG", "SET", "maxmemory", "1") },
			func(r *redistest.Server) { r.Must("CONFIG", "SET", "maxmemory", "0") },
		},
		"it restarts without data": {
			func(r *redistest.Server) { r.Kill() },
			func(r *redistest.Server) { r.Restart() },
		},
		"it is silent": {
			func(r *redistest.Server) { _ = r.Signal(syscall.SIGSTOP) },
			func(r *redistest.Server) { _ = r.Signal(syscall.SIGCONT) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := redistest.Start(t)
			s := &service{trip: 20 * time.Millisecond, windows: fleetWindows}
			transport := s.transport(open(t, r, Config{RetryFor: 20 * time.Second}))
			var wg sync.WaitGroup
			wg.Go(func() { apply(t, transport, 80, 10) })
			time.Sleep(500 * time.Millisecond)
			fault.begin(r)
			time.Sleep(2 * time.Second)
			fault.end(r)
			wg.Wait()
			s.check(t, 80)
		})
	}
}

// A server without a free connection is not final.
func TestTooManyClients(t *testing.T) {
	t.Parallel()
	r := redistest.Start(t)
	r.Must("CONFIG", "SET", "maxclients", "1")
	conn, err := redigo.DialURLContext(t.Context(), r.URL)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(2*time.Second, func() { _ = conn.Close() })
	start := time.Now()
	store := open(t, r, Config{RetryFor: 20 * time.Second})
	if took := time.Since(start); took < 1500*time.Millisecond {
		t.Errorf("opened after %v, want it to wait for a connection", took)
	}
	if n, _ := grants(t, store, false); n != 20 {
		t.Errorf("granted %d, want 20", n)
	}
}
