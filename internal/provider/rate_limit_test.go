// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis"
)

const redisPassword = "a-very-secret-password"

// nowhere is a Redis that nobody reaches.
const nowhere = "ASSESS_RATE_LIMIT_URL=redis://someone:" + redisPassword + "@127.0.0.1:1/2"

func TestRateLimit(t *testing.T) {
	t.Parallel()
	unreachable := []string{
		"Cannot reach the shared budget of the API key", "redis://127.0.0.1:1/2", "connection refused",
		`"coordination"`, "ASSESS_RATE_LIMIT_URL",
	}
	for name, row := range map[string]struct {
		step  string
		env   []string
		fails []string
		warns []string
	}{
		"unreachable attribute":        {step: "unreachable", fails: unreachable},
		"unreachable variable":         {step: "environment", env: []string{nowhere}, fails: append(unreachable, "Nothing was sent", `fallback = "host"`)},
		"said to fail":                 {step: "environment", env: []string{nowhere, "TF_VAR_fallback=fail"}, fails: unreachable},
		"said to fall back":            {step: "environment", env: []string{nowhere, "TF_VAR_fallback=host"}, warns: append(unreachable[:3:3], "budget of this machine", "429")},
		"said what cannot be":          {step: "environment", env: []string{"TF_VAR_fallback=nobody"}, fails: []string{"fallback", `"fail" "host"`, "nobody"}},
		"malformed attribute":          {step: "malformed", fails: []string{"Malformed address", `"coordination"`, "not repeated", "%2F"}},
		"malformed variable":           {step: "environment", env: []string{"ASSESS_RATE_LIMIT_URL=https://:" + redisPassword + "@localhost"}, fails: []string{"Malformed address", "ASSESS_RATE_LIMIT_URL", "rediss://"}},
		"no address in the variable":   {step: "environment", env: []string{"ASSESS_RATE_LIMIT_URL=host"}, fails: []string{"Malformed address", "ASSESS_RATE_LIMIT_URL"}},
		"attribute before environment": {step: "none", env: []string{nowhere}},
		"sandbox ignores the variable": {step: "sandbox", env: []string{nowhere}},
		"sandbox refuses the attribute": {step: "sandbox_and_redis", fails: []string{
			"budget that is this machine's own", `"coordination"`, `"sandbox"`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t)
			c := newCLI(t, service)
			log := filepath.Join(t.TempDir(), "log")
			c.env = append(append(c.env, row.env...), "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+log)
			c.useFrom("TestRateLimit", row.step)
			r := c.plan("-out=saved")
			switch {
			case row.fails != nil:
				r.fails(row.fails...)
				if n := len(service.Journal()); n != 0 {
					t.Errorf("%d requests were sent", n)
				}
			case row.warns != nil:
				r.ok().warns(row.warns...)
			default:
				r.ok().quiet()
			}
			written := map[string]string{"the output": r.output, "what people read": c.human("plan", "-input=false", "-no-color").output}
			for _, file := range []string{log, filepath.Join(c.dir, "terraform.tfstate")} {
				text, err := os.ReadFile(file)
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				written[file] = string(text)
			}
			if written[log] == "" && row.fails == nil {
				t.Error("the provider's log is empty")
			}
			for where, text := range written {
				if strings.Contains(text, redisPassword) || strings.Contains(text, "a-very-secret/") {
					t.Errorf("the password is in %s:\n%s", where, text)
				}
			}
		})
	}
}

// startRedis starts a server of its own and returns its address and what stops
// it. Where the machine has none the test is skipped.
func startRedis(t *testing.T) (address string, stop func()) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	var path string
	for _, name := range []string{"valkey-server", "redis-server"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
		}
	}
	if path == "" {
		t.Skip("neither redis-server nor valkey-server is on PATH: Debian's package redis-server has it")
	}
	server := exec.CommandContext(context.WithoutCancel(t.Context()), path,
		"--bind", "127.0.0.1", "--port", port, "--requirepass", redisPassword, "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // "signal: killed"
	})
	t.Cleanup(stop)
	address = "redis://:" + redisPassword + "@127.0.0.1:" + port
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, err := redis.Open(t.Context(), redis.Config{URL: address})
		if err == nil {
			return address, stop
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not answer: %v", err)
		}
	}
}

// refused counts the answers 429.
func refused(service *sandboxtest.Server) int {
	n := 0
	for _, entry := range service.Journal() {
		if entry.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

// Four runs of the real CLI whose caches are four machines' share one Redis: none
// is ever refused, and together they are as fast as the limits allow.
func TestFleet(t *testing.T) {
	t.Parallel()
	const runs, resources = 4, 60
	address, _ := startRedis(t)
	service := sandboxtest.New(t, func(o *sandbox.Options) { o.MaxPage, o.Seed = 0, ofPositions(runs*resources/5) })
	results := make([]*run, runs)
	var fleet sync.WaitGroup
	for n := range runs {
		c := newCLI(t, service)
		c.use("1")
		c.env = append(c.env, "ASSESS_RATE_LIMIT_URL="+address, fmt.Sprintf("TF_VAR_from=%d", n*resources), fmt.Sprintf("TF_VAR_resources=%d", resources))
		fleet.Go(func() { results[n] = c.apply("-parallelism=60") })
	}
	fleet.Wait()
	for _, r := range results {
		r.ok()
	}
	service.AssertCount(t, http.MethodPost, "", runs*resources)
	if n := refused(service); n > 0 {
		t.Errorf("%d requests were refused with 429", n)
	}
	journal := service.Journal()
	requests := len(journal)
	took := journal[requests-1].Time.Sub(journal[0].Time)
	floor := time.Duration((requests-1)/500)*time.Minute + time.Duration((requests-1)%500/20)*time.Second
	part := float64(took) / float64(floor)
	t.Logf("%d requests in %v, %.3f of the joint floor", requests, took.Round(time.Millisecond), part)
	if part > 1.15 {
		t.Errorf("%.3f of the joint floor, want at most 1.15", part)
	}
}

// The Redis is stopped in the middle of an apply, which ends with an error that
// says so, or goes on with the budget of the machine: as it was told. What is in
// the state is what was created.
func TestFleetLosesItsBudget(t *testing.T) {
	t.Parallel()
	const resources = 100
	for _, fallback := range []string{"fail", "host"} {
		t.Run(fallback, func(t *testing.T) {
			t.Parallel()
			address, stop := startRedis(t)
			service := sandboxtest.New(t, func(o *sandbox.Options) { o.MaxPage, o.Seed = 0, ofPositions(resources/5) })
			c := newCLI(t, service)
			c.useFrom("TestFleetLosesItsBudget", "1")
			c.env = append(c.env, "ASSESS_RATE_LIMIT_URL="+address, fmt.Sprintf("TF_VAR_resources=%d", resources), "TF_VAR_fallback="+fallback)
			var apply sync.WaitGroup
			var r *run
			apply.Go(func() { r = c.apply() })
			for service.Count(http.MethodPost, "") < 40 {
				time.Sleep(10 * time.Millisecond)
			}
			stop()
			stopped := time.Now()
			apply.Wait()
			if n := refused(service); n > 0 {
				t.Errorf("%d requests were refused with 429", n)
			}
			if strings.Contains(r.output, redisPassword) {
				t.Errorf("the password is in the output:\n%s", r.output)
			}
			if fallback == "host" {
				r.ok().warns("Cannot reach the shared budget", "lost, and not found again for 2s", "budget of this machine")
				service.AssertCount(t, http.MethodPost, "", resources)
				told := slices.DeleteFunc(slices.Clone(r.warnings), func(d diagnostic) bool { return !strings.Contains(d.Summary, "shared budget") })
				if len(told) != 1 {
					t.Errorf("it was told %d times", len(told))
				}
				return
			}
			r.fails("Cannot add the assessment", "not sent after waiting", "lost, and not found again for 2s", `"coordination"`, `fallback = "host"`)
			if took := time.Since(stopped); took > 20*time.Second {
				t.Errorf("it ended %v after the server", took)
			}
			known := strings.Count(c.human("state", "list").output, "\n")
			if n := service.Count(http.MethodPost, ""); known != n {
				t.Errorf("%d were created, and %d are in the state", n, known)
			}
		})
	}
}
