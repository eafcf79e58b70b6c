// SPDX-License-Identifier: MPL-2.0

//go:build unix

package throttle

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// runEnv makes the test binary a run: "directory base-URL name".
const runEnv = "THROTTLE_TEST_RUN"

func TestMain(m *testing.M) {
	if args := os.Getenv(runEnv); args != "" {
		run(strings.Fields(args))
		return
	}
	os.Exit(m.Run())
}

// run sends requests with 10 callers until it is killed.
func run(args []string) {
	transport := New(Config{Windows: windowsOf, Store: OpenFile(args[0], "key", SystemClock()), MaxInFlight: inFlight})
	client := &http.Client{Transport: transport}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for {
				req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, args[1]+"/"+args[2], nil)
				if err != nil {
					return
				}
				resp, err := client.Do(req)
				if err != nil {
					return // the test is over
				}
				if err := resp.Body.Close(); err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
}

const inFlight = time.Second

// Real processes that share a key are never refused. One of them is killed, and another
// one is stopped repeatedly, the last time for long. The others continue, and wait for
// slots no longer than the lost requests could have been in flight.
func TestProcesses(t *testing.T) {
	t.Parallel()
	s := &service{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		time.Sleep(20 * time.Millisecond)
		r := s.arrive(req)
		time.Sleep(20 * time.Millisecond)
		w.WriteHeader(r.status)
	}))
	dir := t.TempDir()
	runs := map[string]*exec.Cmd{}
	for _, name := range []string{"one", "two", "victim", "stopped"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s", runEnv, dir, server.URL, name))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		runs[name] = cmd
	}
	signal := func(s syscall.Signal) {
		if err := runs["stopped"].Process.Signal(s); err != nil {
			t.Error(err)
		}
	}
	time.Sleep(1500 * time.Millisecond)
	for range 30 { // at an arbitrary point
		signal(syscall.SIGSTOP)
		time.Sleep(20 * time.Millisecond)
		signal(syscall.SIGCONT)
		time.Sleep(10 * time.Millisecond)
	}
	signal(syscall.SIGSTOP)
	kill := time.Now()
	for i, name := range []string{"victim", "stopped", "one", "two"} {
		if i == 1 {
			time.Sleep(3 * time.Second)
			signal(syscall.SIGCONT)
			time.Sleep(time.Second)
		}
		if err := runs[name].Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = runs[name].Wait() // "signal: killed"
	}
	server.Close()

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused != 0 {
		t.Errorf("%d of %d requests were refused", s.refused, len(s.arrivals))
	}
	before, after, last, longest := map[string]int{}, map[string]int{}, kill, time.Duration(0)
	for _, a := range s.arrivals {
		if a.at.Before(kill) {
			before[a.path]++
			continue
		}
		after[a.path]++
		longest, last = max(longest, a.at.Sub(last)), a.at
	}
	t.Logf("before the kill %v, after it %v, the longest break %v", before, after, longest)
	for _, path := range []string{"/one", "/two", "/victim", "/stopped"} {
		if before[path] < 4 {
			t.Errorf("%s sent %d requests before the kill, want about 12", path, before[path])
		}
	}
	for _, path := range []string{"/one", "/two"} {
		if after[path] < 15 {
			t.Errorf("%s sent %d requests after the kill, want about 38", path, after[path])
		}
	}
	if longest > inFlight+1500*time.Millisecond {
		t.Errorf("no request was sent for %v, want the window, the expiry and no more", longest)
	}
}
