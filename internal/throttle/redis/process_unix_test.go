// SPDX-License-Identifier: MPL-2.0

//go:build unix

package redis

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
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

// fleetEnv makes TestRun a run in its own process: "store base-URL name requests". The store
// is the URL of Redis, or a directory.
const fleetEnv = "THROTTLE_TEST_FLEET"

// fleetWindows are shorter than those of the service, for tests in real time.
var fleetWindows = []throttle.Window{
	{Name: "a second", Limit: 20, Per: time.Second},
	{Name: "five", Limit: 60, Per: 5 * time.Second},
}

// TestRun is not a test, but the process that the tests below start. It sends its
// requests with 10 callers.
func TestRun(t *testing.T) {
	t.Parallel()
	args := strings.Fields(os.Getenv(fleetEnv))
	if len(args) == 0 {
		return
	}
	n, err := strconv.Atoi(args[3])
	if err != nil {
		t.Fatal(err)
	}
	s := throttle.OpenFile(args[0], "key", throttle.SystemClock())
	if strings.HasPrefix(args[0], "redis:") {
		if s, err = Open(t.Context(), Config{URL: args[0], Key: "key", RetryFor: time.Minute}); err != nil {
			t.Fatal(err)
		}
	}
	transport := throttle.New(throttle.Config{
		Store: runsForLong(s), MaxInFlight: time.Second,
		Windows: func(*http.Request) []throttle.Window { return fleetWindows },
	})
	throttletest.Apply(t, transport, args[1]+"/"+args[2], n, 10)
}

// Five processes share only files, or only Redis with the rights that the guide names. One is killed. Another one is
// stopped at arbitrary points, the last time for long. No request is refused, and the other
// processes wait no longer than the lost requests could have been in flight.
func TestFleetLosesSome(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) string{
		"redis": func(t *testing.T) string { return as(redistest.Start(t), append(guidedRights(t), "on")) },
		"files": func(t *testing.T) string { return t.TempDir() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &throttletest.Service{Windows: fleetWindows}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				time.Sleep(20 * time.Millisecond)
				r := service.Arrive(req)
				time.Sleep(20 * time.Millisecond)
				w.WriteHeader(r.Status)
			}))
			defer server.Close()
			store := open(t)
			start := func(name string, n int) *exec.Cmd {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRun$")
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %d", fleetEnv, store, server.URL, name, n))
				cmd.Stderr = os.Stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				return cmd
			}
			sent := func() (killed, stopped int) {
				for _, a := range service.Arrivals() {
					switch a.Path {
					case "/killed":
						killed++
					case "/stopped":
						stopped++
					}
				}
				return killed, stopped
			}
			killed, stopped := start("killed", 1000), start("stopped", 30)
			runs := []*exec.Cmd{stopped, start("a", 30), start("b", 30), start("c", 30)}
			eventually(t, "both have sent requests", func() bool {
				killed, stopped := sent()
				return killed >= 3 && stopped >= 3
			})
			signal := func(s syscall.Signal) { _ = stopped.Process.Signal(s) }
			for range 20 {
				signal(syscall.SIGSTOP)
				time.Sleep(20 * time.Millisecond)
				signal(syscall.SIGCONT)
				time.Sleep(10 * time.Millisecond)
			}
			_ = killed.Process.Kill()
			_ = killed.Wait() // "signal: killed"
			signal(syscall.SIGSTOP)
			time.AfterFunc(5*time.Second, func() { signal(syscall.SIGCONT) })
			for _, run := range runs {
				if err := run.Wait(); err != nil {
					t.Error(err)
				}
			}
			lost, _ := sent()
			service.Check(t, 120+lost)
			arrivals := service.Arrivals()
			for i, a := range arrivals[1:] {
				if d := a.At.Sub(arrivals[i].At); d > 5*time.Second+1500*time.Millisecond {
					t.Errorf("no request for %v, want the window, the expiry and no more", d)
				}
			}
		})
	}
}
