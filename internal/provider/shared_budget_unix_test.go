// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Three runs with one key, each with its own provider process, need more requests than
// both limits of the service allow. No request may be refused. If one run is killed, it
// delays the others by at most the duration of an attempt. A run that waits for long
// shows one warning.
func TestSharedBudget(t *testing.T) {
	t.Parallel()
	const runs, resources = 3, 220
	service := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.MaxPage, o.Seed = 0, stateWithPositions(runs*resources/5)
	})
	shared := t.TempDir()
	prepare := func(n int) *cli {
		c := newCLI(t, service)
		c.useFrom("TestSharedBudget", "1")
		c.env = append(c.env, "XDG_CACHE_HOME="+shared,
			fmt.Sprintf("TF_VAR_from=%d", n*resources), fmt.Sprintf("TF_VAR_resources=%d", resources))
		return c
	}
	doomed := prepare(0).command("apply", "-input=false", "-auto-approve")
	doomed.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that the provider is killed too
	if err := doomed.Start(); err != nil {
		t.Fatal(err)
	}
	var survivors sync.WaitGroup
	results := make([]*run, runs)
	for n := 1; n < runs; n++ {
		c := prepare(n)
		survivors.Go(func() { results[n] = c.apply() })
	}
	waitFor(t, "100 creations", func() bool { return service.Count(http.MethodPost, "") >= 100 })
	if err := syscall.Kill(-doomed.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = doomed.Wait() // it was killed
	survivors.Wait()

	var last time.Time
	var longest time.Duration
	refused := 0
	for _, entry := range service.Journal() {
		if entry.Status == http.StatusTooManyRequests {
			refused++
		}
		if !last.IsZero() {
			longest = max(longest, entry.Time.Sub(last))
		}
		last = entry.Time
	}
	t.Logf("%d requests, %d refused with 429, longest pause %s",
		service.Count("", ""), refused, longest.Round(time.Millisecond))
	if refused > 0 {
		t.Errorf("%d requests were refused with 429", refused)
	}
	if limit := 61 * time.Second; longest > limit { // the limit itself imposes a pause of one minute
		t.Errorf("no run sent a request for %s", longest)
	}
	for _, r := range results[1:] {
		r.ok()
		told := slices.DeleteFunc(slices.Clone(r.warnings), func(d diagnostic) bool {
			return !strings.Contains(d.Summary, "Waiting for the service's rate limits")
		})
		says := []string{
			`have been waiting for 30 seconds. Sent so far: \d+. Still waiting: at least \d+`,
			"The reason is the service's limit of 500 requests a minute",
		}
		if len(told) != 1 || !matchesAll(told[0].Detail, says) {
			t.Errorf("the warning about the wait was shown %d times: %v", len(told), told)
		}
	}
}
