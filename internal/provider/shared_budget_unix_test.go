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

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Three runs with one key, each the CLI with a provider process of its own, go
// past both limits of a service that keeps them: none is ever refused, and one
// that is killed in the middle holds up nobody for longer than an attempt may
// take. Whoever waits for long is told so, once.
func TestSharedBudget(t *testing.T) {
	t.Parallel()
	const runs, resources = 3, 220
	service := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.MaxPage = 0
		o.Seed = func() *sandbox.State {
			st := sandbox.Demo()
			st.Positions = nil
			for n := range runs * resources / 5 {
				st.Positions = append(st.Positions, sandbox.Position{ID: fmt.Sprintf("pos-%04d", n), Title: fmt.Sprintf("Position %d", n), Locale: "en-GB"})
			}
			return st
		}
	})
	shared := t.TempDir()
	prepare := func(n int) *cli {
		c := newCLI(t, service)
		c.useFrom("TestSharedBudget", "1")
		c.env = append(c.env, "XDG_CACHE_HOME="+shared, fmt.Sprintf("TF_VAR_from=%d", n*resources), fmt.Sprintf("TF_VAR_resources=%d", resources))
		return c
	}
	doomed := prepare(0).command("apply", "-input=false", "-auto-approve")
	doomed.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the provider dies with it
	if err := doomed.Start(); err != nil {
		t.Fatal(err)
	}
	var survivors sync.WaitGroup
	results := make([]*run, runs)
	for n := 1; n < runs; n++ {
		c := prepare(n)
		survivors.Go(func() { results[n] = c.apply() })
	}
	for service.Count(http.MethodPost, "") < 100 {
		time.Sleep(50 * time.Millisecond)
	}
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
	t.Logf("%d requests, %d refused with 429, longest silence %s", service.Count("", ""), refused, longest.Round(time.Millisecond))
	if refused > 0 {
		t.Errorf("%d requests were refused with 429", refused)
	}
	if limit := 61 * time.Second; longest > limit { // the window's minute, which the limit itself imposes
		t.Errorf("nobody sent anything for %s", longest)
	}
	for _, r := range results[1:] {
		r.ok()
		told := slices.DeleteFunc(slices.Clone(r.warnings), func(d diagnostic) bool {
			return !strings.Contains(d.Summary, "Waiting for the service's rate limits")
		})
		if len(told) != 1 || !matchesAll(told[0].Detail, []string{`waiting for 30 seconds: \d+ were sent so far, and at least \d+ are waiting`, "limit of 500 requests a minute"}) {
			t.Errorf("the wait was told %d times: %v", len(told), told)
		}
	}
}
