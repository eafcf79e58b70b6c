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
	"regexp"
	"slices"
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

// onOldServer is the script as if the server were started long ago. Otherwise, a budget on a
// new server starts with a wait.
var onOldServer = strings.Replace(script, "string.match(info, 'uptime_in_seconds:(%d+)')", "1000", 1)

// open opens a budget on a real server.
func open(t *testing.T, url, key string) *logStore {
	t.Helper()
	opened, err := Open(t.Context(), Config{URL: url, Key: key, RetryFor: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := opened.(*logStore)
	s.script = onOldServer
	t.Cleanup(s.close)
	return s
}

// fleetEnv makes TestRun a run in its own process: "store base-URL name requests". The store
// is the URL of Redis, or a directory.
const fleetEnv = "THROTTLE_TEST_FLEET"

// fleetWindows are shorter than those of the service, for tests in real time.
var fleetWindows = []throttle.Window{
	{Name: "a second", Limit: 20, Per: time.Second},
	{Name: "five", Limit: 60, Per: 5 * time.Second},
}

// inFlight is longer than a busy machine takes between a slot and the arrival of its request.
const inFlight = 10 * time.Second

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
		s = open(t, args[0], "key")
	}
	transport := throttle.New(throttle.Config{
		Store: s, MaxInFlight: inFlight,
		Windows: func(*http.Request) []throttle.Window { return fleetWindows },
	})
	throttletest.Apply(t, impatient{transport}, args[1]+"/"+args[2], n, 10)
}

// impatient does not mind that a response took too long, on a busy machine or because the process was
// stopped: the service has the request.
type impatient struct{ http.RoundTripper }

func (i impatient) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := i.RoundTripper.RoundTrip(req)
	if errors.Is(err, throttle.ErrNoResponse) {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	}
	return resp, err
}

// Five processes share only files, or only Redis with the rights that the guide names. One is killed. Another one is
// stopped at arbitrary points, the last time until the others have ended. No request is refused, and all other
// processes send their requests. How long they wait is tested in virtual time.
func TestFleetLosesSome(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: processes take real time")
	}
	for name, storeOf := range map[string]func(t *testing.T) string{
		"redis": func(t *testing.T) string { return as(redistest.Start(t), append(guidedRights(t), "on")) },
		"files": func(t *testing.T) string { return t.TempDir() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &throttletest.Service{Windows: fleetWindows, Trip: 40 * time.Millisecond}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if resp, err := service.RoundTrip(req); err == nil { // not of the killed process
					w.WriteHeader(resp.StatusCode)
					_ = resp.Body.Close()
				}
			}))
			defer server.Close()
			store := storeOf(t)
			start := func(name string, n int) *exec.Cmd {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRun$")
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %d", fleetEnv, store, server.URL, name, n))
				cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
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
			runs := []*exec.Cmd{start("a", 30), start("b", 30), start("c", 30)}
			eventually(t, "both have sent requests", func() bool {
				killed, stopped := sent()
				return killed >= 3 && stopped >= 3
			})
			signal := func(s syscall.Signal) { _ = stopped.Process.Signal(s) }
			for range 20 {
				signal(syscall.SIGSTOP)
				// real time: waits for processes
				time.Sleep(20 * time.Millisecond)
				signal(syscall.SIGCONT)
				// real time: waits for processes
				time.Sleep(10 * time.Millisecond)
			}
			_ = killed.Process.Kill()
			_ = killed.Wait() // "signal: killed"
			signal(syscall.SIGSTOP)
			for _, run := range runs {
				if err := run.Wait(); err != nil {
					t.Error(err)
				}
			}
			signal(syscall.SIGCONT)
			if err := stopped.Wait(); err != nil {
				t.Error(err)
			}
			lost, _ := sent()
			service.Check(t, 120+lost)
		})
	}
}

const guide = "../../../templates/guides/rate-limits.md"

// guidedRights returns the arguments of the ACL SETUSER line of the guide.
func guidedRights(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\s*ACL SETUSER (.*)$`).FindSubmatch(text)
	if line == nil {
		t.Fatal("the guide has no line ACL SETUSER")
	}
	return strings.Fields(string(line[1]))
}

// as returns the URL of the server for a user with these rights.
func as(r *redistest.Server, rights []string) string {
	user, password := rights[0], "its-own-password"
	arguments := []any{"SETUSER", user, "reset", "on"}
	for _, right := range rights[1:] {
		arguments = append(arguments, strings.ReplaceAll(right, "PASSWORD", password))
	}
	r.Must("ACL", arguments...)
	return strings.Replace(r.URL, ":"+redistest.Password, user+":"+password, 1)
}

// Without one of these rights, the run does not start, and the error names the right.
func TestRightIsMissing(t *testing.T) {
	t.Parallel()
	r, rights := redistest.Start(t), guidedRights(t)
	taken := 0
	for i, right := range rights {
		if !strings.HasPrefix(right, "+") && !strings.HasPrefix(right, "~") {
			continue
		}
		taken++
		names := "'" + strings.TrimPrefix(right, "+") + "'"
		if strings.HasPrefix(right, "~") {
			names = " to access "
		}
		_, err := Open(t.Context(), Config{URL: as(r, slices.Delete(slices.Clone(rights), i, i+1)), Key: "key"})
		_, says, found := strings.Cut(fmt.Sprint(err), " to run a command, or to use the keys assess-budget:*: ")
		if !found || !strings.Contains(says, names) {
			t.Errorf("without %s: %v", right, err)
		}
	}
	if taken != 6 {
		t.Errorf("the guide names %d rights in %q, want the key and five commands", taken, rights)
	}
}

// The guide contains every answer that is final, and the oldest version.
func TestGuideHasTheFinalAnswers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range append(finalAnswers, "Redis 7.0") {
		if !strings.Contains(string(text), strings.TrimSpace(answer)) {
			t.Errorf("the guide does not contain %q", answer)
		}
	}
}

// eventually waits until a condition holds on which servers must agree.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	// real time: waits for processes
	for tries := 0; !holds(); time.Sleep(50 * time.Millisecond) {
		if tries++; tries > 10_000 {
			t.Fatalf("still waiting until %s", what)
		}
	}
}

// A node of a cluster that does not have the key names the node that has it.
func TestCluster(t *testing.T) {
	t.Parallel()
	var nodes []*redistest.Server
	for range 2 {
		nodes = append(nodes, redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", redistest.Port(t)))
	}
	named, has := nodes[0], nodes[1]
	has.Must("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
	named.Must("CLUSTER", "MEET", "127.0.0.1", has.Argument("--port"), has.Argument("--cluster-port"))
	eventually(t, "both know the slots, and the cluster is up", func() bool {
		return !slices.ContainsFunc(nodes, func(n *redistest.Server) bool {
			known, _ := redigo.String(n.Do("CLUSTER", "NODES"))
			info, _ := redigo.String(n.Do("CLUSTER", "INFO"))
			return !strings.Contains(known, "0-16383") || !strings.Contains(info, "cluster_state:ok")
		})
	})
	// real time: slots without an answer are free again after half a minute
	if n, _ := throttletest.Grants(t, open(t, named.URL, "key"), false); n != 20 {
		t.Errorf("granted %d through one node, want 20", n)
	}
	// real time: slots without an answer are free again after half a minute
	if n, _ := throttletest.Grants(t, open(t, has.URL, "key"), false); n != 0 {
		t.Errorf("granted %d more through the other, want none", n)
	}
}
