// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// Three runs with one key, each with its own provider process, need more requests than
// both limits of the service allow. No request may be rejected. If one run is killed, it
// delays the others by at most the duration of an attempt. A run that waits for long
// shows one warning.
func TestSharedBudget(t *testing.T) {
	t.Parallel()
	const runs, resources = 3, 220
	service, machine := fleet(t, runs, resources, "XDG_CACHE_HOME="+t.TempDir())
	doomed := begin(machine[0], "apply", "-input=false", "-auto-approve")
	var survivors sync.WaitGroup
	results := make([]*clitest.Run, runs)
	for n, c := range machine[1:] {
		survivors.Go(func() { results[n+1] = c.Apply() })
	}
	doomed.signal(service, syscall.SIGKILL, http.MethodPost, 100)
	doomed.ended()
	survivors.Wait()

	var longest time.Duration
	journal := service.Journal()
	for n := range journal[1:] {
		longest = max(longest, journal[n+1].Time.Sub(journal[n].Time))
	}
	t.Logf("%d requests, longest pause %s", len(journal), longest.Round(time.Millisecond))
	if n := rejected(service); n > 0 {
		t.Errorf("%d requests were rejected with 429", n)
	}
	if limit := 61 * time.Second; longest > limit { // the limit itself imposes a pause of one minute
		t.Errorf("no run sent a request for %s", longest)
	}
	for _, r := range results[1:] {
		r.OK()
		told := warningsAbout(r, "Waiting for the service's rate limits")
		says := []string{
			`have been waiting for 30 seconds. Sent so far: \d+. Still waiting: at least \d+`,
			"other runs use the same API key, and share the service's limit of 500 requests a minute",
		}
		if len(told) != 1 || !clitest.MatchesAll(told[0].Detail, says) {
			t.Errorf("the warning about the wait was shown %d times: %v", len(told), told)
		}
	}
}
