// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

const redisPassword = redistest.Password

// noRedis is the address of a Redis server that does not exist.
const noRedis = "ASSESS_RATE_LIMIT_URL=redis://someone:" + redisPassword + "@127.0.0.1:1/2"

// A run that cannot reach the server of its shared budget fails before it sends anything, or warns, and never shows
// the password. Attributes take precedence over the variable, which the embedded service ignores.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	unreachable := []string{
		"Could not reach the shared budget of the API key", "redis://127.0.0.1:1/2", "connection refused",
		`"coordination"`, "ASSESS_RATE_LIMIT_URL",
	}
	for name, row := range map[string]struct {
		step  string
		env   []string
		fails []string
		warns []string
	}{
		"unreachable attribute": {step: "unreachable", fails: unreachable},
		"unreachable variable": {
			step: "environment", env: []string{noRedis},
			fails: append(unreachable, "Nothing was sent to the service", `set fallback = "host"`),
		},
		"fallback is host": {
			step: "environment", env: []string{noRedis, "TF_VAR_fallback=host"},
			warns: append(unreachable[:3:3], "only with other runs on this machine", "429"),
		},
		"invalid variable": {
			step: "environment", env: []string{"ASSESS_RATE_LIMIT_URL=https://:" + redisPassword + "@localhost"},
			fails: []string{
				"Invalid address of the shared budget", "ASSESS_RATE_LIMIT_URL", "not shown here", "rediss://",
			},
		},
		"attribute before environment": {step: "none", env: []string{noRedis}},
		"sandbox ignores the variable": {step: "sandbox", env: []string{noRedis}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t)
			c := newCLI(t, service)
			written := t.TempDir()
			log := filepath.Join(written, "log")
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
			all := texts(t, written)
			all["the output"], all["what people read"] = r.output, c.human("plan", "-input=false", "-no-color").output
			if all[log] == "" && row.fails == nil {
				t.Error("the log of the provider is empty")
			}
			if places := all.containing(redisPassword); len(places) > 0 {
				t.Errorf("the password is in %q", places)
			}
		})
	}
}

// warningsAbout returns the warnings with a text in their summary.
func (r *run) warningsAbout(text string) (found []diagnostic) {
	for _, d := range r.warnings {
		if strings.Contains(d.Summary, text) {
			found = append(found, d)
		}
	}
	return found
}

// refused counts the responses with status 429.
func refused(service *sandboxtest.Server) int {
	n := 0
	for _, entry := range service.Journal() {
		if entry.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

// fleet prepares runs with the same key, each of which attaches assessments to positions of its own.
func fleet(t *testing.T, runs, resources int, env ...string) (*sandboxtest.Server, []*cli) {
	t.Helper()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.MaxPage, o.Seed = 0, stateWithPositions(runs*resources/5)
	})
	all := make([]*cli, runs)
	for n := range all {
		all[n] = newCLI(t, service)
		all[n].useFrom("TestSharedRedis", "1")
		all[n].env = append(all[n].env, env...)
		all[n].env = append(all[n].env, fmt.Sprintf("TF_VAR_from=%d", n*resources), fmt.Sprintf("TF_VAR_resources=%d", resources))
	}
	return service, all
}

// Four runs of the real CLI share one Redis server. Each has its own cache, as on four
// machines. No request may be refused. How fast they are depends on the load of this machine:
// internal/throttle/redis tests that in virtual time.
//
// Runs wait until the server has been up for some time, so the server starts before
// t.Parallel, while other tests run.
func TestSharedRedis(t *testing.T) {
	address := redistest.Start(t).URL
	t.Parallel()
	const runs, resources = 4, 55
	service, machines := fleet(t, runs, resources, "ASSESS_RATE_LIMIT_URL="+address)
	results := make([]*run, runs)
	var applies sync.WaitGroup
	for n, c := range machines {
		applies.Go(func() { results[n] = c.apply("-parallelism=60") })
	}
	applies.Wait()
	for _, r := range results {
		r.ok()
	}
	service.AssertCount(t, http.MethodPost, "", runs*resources)
	if n := refused(service); n > 0 {
		t.Errorf("%d requests were refused with 429", n)
	}
}

// The Redis server is stopped during an apply. Depending on the configuration, the
// apply fails with an error about it, or continues with the budget of the machine. The
// state has everything that was created.
func TestSharedRedisStops(t *testing.T) {
	const resources = 100
	servers := map[string]*redistest.Server{}
	for _, fallback := range []string{"fail", "host"} {
		servers[fallback] = redistest.Start(t)
	}
	t.Parallel()
	for fallback, server := range servers {
		t.Run(fallback, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(
				t,
				func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 0, stateWithPositions(resources/5) },
			)
			c := newCLI(t, service)
			c.useFrom("TestSharedRedisStops", "1")
			c.env = append(c.env, "ASSESS_RATE_LIMIT_URL="+server.URL, "TF_VAR_fallback="+fallback,
				fmt.Sprintf("TF_VAR_resources=%d", resources))
			var apply sync.WaitGroup
			var r *run
			apply.Go(func() { r = c.apply() })
			waitFor(t, "40 creations", func() bool { return service.Count(http.MethodPost, "") >= 40 })
			server.Kill()
			stopped := time.Now()
			apply.Wait()
			if n := refused(service); n > 0 {
				t.Errorf("%d requests were refused with 429", n)
			}
			if strings.Contains(r.output, redisPassword) {
				t.Errorf("the password is in the output:\n%s", r.output)
			}
			if fallback == "host" {
				r.ok().warns("Could not reach the shared budget", "no usable answer for 1",
					"only with other runs on this machine")
				service.AssertCount(t, http.MethodPost, "", resources)
				if n := len(r.warningsAbout("shared budget")); n != 1 {
					t.Errorf("the warning was shown %d times", n)
				}
				return
			}
			r.fails("Could not attach the assessment", "not sent after waiting", "no usable answer for",
				`"coordination"`, `set fallback = "host"`)
			if took := time.Since(stopped); took > 20*time.Second {
				t.Errorf("the apply ended %v after the server", took)
			}
			known := strings.Count(c.human("state", "list").output, "\n")
			if n := service.Count(http.MethodPost, ""); known != n {
				t.Errorf("%d were created, but %d are in the state", n, known)
			}
		})
	}
}
