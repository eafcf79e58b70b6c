// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

const redisPassword = redistest.Password

// noRedis is the address of a Redis server that does not exist.
const noRedis = "ASSESS_RATE_LIMIT_URL=redis://someone:" + redisPassword + "@127.0.0.1:1/2"

// A run that cannot reach the server of its shared budget fails before it sends anything, and never shows the password. Attributes take precedence over the variable, which the sandbox ignores.
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
	}{
		"unreachable attribute": {step: "unreachable", fails: unreachable},
		"unreachable variable": {
			step: "environment", env: []string{noRedis},
			fails: append(unreachable, "Nothing was sent to the service", `set coordination = "host"`),
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
			c := clitest.New(t, service)
			written := t.TempDir()
			log := filepath.Join(written, "log")
			c.Env = append(append(c.Env, row.env...), "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+log)
			c.UseFrom("TestRateLimit", row.step)
			r := c.Plan("-out=saved")
			switch {
			case row.fails != nil:
				r.Fails(row.fails...)
				if n := len(service.Journal()); n != 0 {
					t.Errorf("%d requests were sent", n)
				}
			default:
				r.OK().Quiet()
			}
			all := texts(t, written)
			all["the output"], all["what people read"] = r.Output, c.Human("plan", "-input=false", "-no-color").Output
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
func warningsAbout(r *clitest.Run, text string) (found []clitest.Diagnostic) {
	for _, d := range r.Warnings {
		if strings.Contains(d.Summary, text) {
			found = append(found, d)
		}
	}
	return found
}

// rejected counts the responses with status 429.
func rejected(service *sandboxtest.Server) int {
	n := 0
	for _, entry := range service.Journal() {
		if entry.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

// fleet prepares runs with the same key, each of which attaches assessments to positions of its own.
func fleet(t *testing.T, runs, resources int, env ...string) (*sandboxtest.Server, []*clitest.CLI) {
	t.Helper()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.MaxPage, o.Seed = 0, stateWithPositions(runs*resources/5)
	})
	all := make([]*clitest.CLI, runs)
	for n := range all {
		all[n] = clitest.New(t, service)
		all[n].UseFrom("TestSharedRedis", "1")
		all[n].Env = append(all[n].Env, env...)
		all[n].Env = append(all[n].Env, fmt.Sprintf("TF_VAR_from=%d", n*resources), fmt.Sprintf("TF_VAR_resources=%d", resources))
	}
	return service, all
}

// The Redis server is stopped during an apply, which fails with an error about it. The state has everything that was
// created.
func TestSharedRedisStops(t *testing.T) {
	t.Parallel()
	const resources = 100
	server := redistest.Start(t)
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 0, stateWithPositions(resources/5) })
	c := clitest.New(t, service)
	c.UseFrom("TestSharedRedisStops", "1")
	c.Env = append(c.Env, "ASSESS_RATE_LIMIT_URL="+server.URL, fmt.Sprintf("TF_VAR_resources=%d", resources))
	var apply sync.WaitGroup
	var r *clitest.Run
	apply.Go(func() { r = c.Apply() })
	clitest.WaitFor(t, "40 creations", func() bool { return service.Count(http.MethodPost, "") >= 40 })
	server.Kill()
	apply.Wait()
	if n := rejected(service); n > 0 {
		t.Errorf("%d requests were rejected with 429", n)
	}
	if strings.Contains(r.Output, redisPassword) {
		t.Errorf("the password is in the output:\n%s", r.Output)
	}
	r.Fails("Could not attach the assessment", "Could not use the Redis or Valkey server at", `"coordination"`,
		`set coordination = "host"`)
	known := len(c.Managed())
	if n := service.Count(http.MethodPost, ""); known != n {
		t.Errorf("%d were created, but %d are in the state", n, known)
	}
}
