// SPDX-License-Identifier: MPL-2.0

//go:build unix

package redis

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// fleetEnv makes TestRun a run in its own process: "store base-URL name requests". The store is the URL of Redis, or a
// directory.
const fleetEnv = "THROTTLE_TEST_FLEET"

// fleetWindows are shorter than those of the service, for tests in real time.
var fleetWindows = throttle.Operation{
	{Name: "a second", Limit: 20, Per: time.Second},
	{Name: "five seconds", Limit: 60, Per: 5 * time.Second},
}

// inFlight is longer than a busy machine takes between a slot and the arrival of its request.
const inFlight = 10 * time.Second

// TestRun is not a test, but the process that the test below starts. It sends its requests with 10 callers.
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
	noticed := func(throttle.Notice) {} // Locked, because a process is stopped
	store := throttle.OpenFile(throttle.FileConfig{Dir: args[0], Key: "key", RetryFor: time.Minute, OnNotice: noticed})
	if strings.HasPrefix(args[0], "redis:") {
		if store, err = Open(t.Context(), Config{URL: args[0], Key: "key", RetryFor: time.Minute}); err != nil {
			t.Fatal(err)
		}
		shorten(store)
	}
	l := throttle.New(throttle.Config{Store: store, MaxInFlight: inFlight})
	send := func() error {
		release, err := l.Acquire(t.Context(), fleetWindows)
		if err != nil {
			return err
		}
		resp, err := http.Get(args[1] + "/" + args[2]) //nolint:noctx // the test ends the process
		release(0)
		if err != nil {
			return err
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		return nil
	}
	const callers = 10
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for range n / callers {
				if err := send(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// Five processes share only files, or only Redis with the rights that the guide names. One is killed. Another one is
// stopped at arbitrary points, the last time until the others have ended. No request is rejected, and all other
// processes send their requests. How long they wait is tested in virtual time.
func TestFleetLosesSome(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: processes take real time")
	}
	for name, storeOf := range map[string]func(t *testing.T) string{
		"redis": func(t *testing.T) string { return as(redistest.Start(t), guidedRights(t)) },
		"files": func(t *testing.T) string { return t.TempDir() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &throttletest.Service{Trip: 40 * time.Millisecond}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				status, err := service.Send(req.Context(), req.URL.Path, fleetWindows)
				if err == nil { // not of the killed process
					w.WriteHeader(status)
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
			sent := func(by string) (n int) {
				for _, a := range service.Arrivals() {
					if a.By == by {
						n++
					}
				}
				return n
			}
			killed, stopped := start("killed", 1000), start("stopped", 30)
			runs := []*exec.Cmd{start("a", 30), start("b", 30), start("c", 30)}
			for tries := 0; sent("/killed") < 3 || sent("/stopped") < 3; time.Sleep(50 * time.Millisecond) {
				if tries++; tries > 10_000 {
					t.Fatal("a process sends no requests")
				}
			}
			signal := func(s syscall.Signal) { _ = stopped.Process.Signal(s) }
			for range 20 {
				signal(syscall.SIGSTOP) // processes stop in real time, at points that no verdict depends on
				time.Sleep(20 * time.Millisecond)
				signal(syscall.SIGCONT)
				time.Sleep(10 * time.Millisecond)
			}
			_ = killed.Process.Kill()
			_ = killed.Wait()    // "signal: killed"
			if name == "redis" { // who stops with the lock of the file stops the others, too
				signal(syscall.SIGSTOP)
			}
			for _, run := range runs {
				if err := run.Wait(); err != nil {
					t.Error(err)
				}
			}
			signal(syscall.SIGCONT)
			if err := stopped.Wait(); err != nil {
				t.Error(err)
			}
			service.Check(t, 120+sent("/killed"))
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
	lines := regexp.MustCompile(`(?m)^\s*ACL SETUSER (.*)$`).FindSubmatch(text)
	if lines == nil {
		t.Fatal("the guide has no line ACL SETUSER")
	}
	return strings.Fields(string(lines[1]))
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

// Without one of these rights, a run ends with an error about rights, except for INFO: then it does not notice
// restarts.
func TestRightIsMissing(t *testing.T) {
	t.Parallel()
	r, rights := redistest.Start(t), guidedRights(t)
	use := func(key string, rights []string) error {
		opened, err := Open(t.Context(), Config{URL: as(r, rights), Key: key})
		if err != nil {
			return err
		}
		s := shorten(opened)
		for _, n := range []int{1, 20, 25} {
			if _, err := s.Acquire(throttle.Ask{
				Operation: throttletest.Key, Tokens: tokens(n), Run: "run", Queue: "queue",
			}); err != nil {
				return err
			}
			time.Sleep(10 * time.Millisecond) // until slots are free on the server's clock, which is real time
		}
		return s.Release(throttletest.Key, "token.1", time.Second)
	}
	if err := use("all", rights); err != nil {
		t.Fatalf("with all rights: %v", err)
	}
	taken := 0
	for i, right := range rights {
		if !strings.HasPrefix(right, "+") && !strings.HasPrefix(right, "~") {
			continue
		}
		taken++
		r.Must("SCRIPT", "FLUSH")
		err := use(right, slices.Delete(slices.Clone(rights), i, i+1))
		isMissing := err != nil && strings.Contains(err.Error(), `lacks a right that the guide "Rate limits" names`)
		if err != nil && !isMissing || isMissing != (right != "+info") {
			t.Errorf("without %s: %v", right, err)
		}
	}
	if taken != 15 {
		t.Errorf("the guide names %d rights in %q, want the keys and 14 commands", taken, rights)
	}
}
