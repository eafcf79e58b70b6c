// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/companion/report"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A report on 50 positions takes as long as the limits require, and no request is rejected. The run shows its progress.
func TestManyPositions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := serves(t, organization(50, 1))
		start := time.Now()
		write(t.Context(), t, service).ends(report.Complete, "Positions with a page: 50. Candidates: 50.", " of 50 positions read\n")
		// The limits allow 30 requests for results at once, and as many a minute.
		if took := time.Since(start); took > 70*time.Second {
			t.Errorf("it took %v", took)
		}
		service.AssertCount(t, "", sandbox.RouteResults, 50)
		for _, entry := range service.Journal() {
			if entry.Status == http.StatusTooManyRequests {
				t.Fatalf("%s %s was rejected with 429", entry.Method, entry.Path)
			}
		}
	})
}

// A run stops when the service rejects the key, or no longer answers. It writes what it has read, and says what it has
// not tried.
func TestServiceStopsAnswering(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status int // 0 if there is no response
		says   string
		most   int // requests for results
		fix    string
	}{
		"revoked key": {401, "401 Unauthorized", 20 + 4, "check the credentials"},
		"outage":      {503, "503", 20 + 200, "run the command again later"},
		"network":     {0, "Failed requests are repeated.", 20 + 200, "the network and the proxy settings"},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := serves(t, organization(100, 1))
			service.Inject(sandboxtest.Fault{
				Route: sandbox.RouteResults, Skip: 20, Times: -1, Status: row.status, Reset: row.status == 0,
			})
			w := write(t.Context(), t, service).ends(report.Incomplete, row.says, "Positions not tried, because earlier",
				"Positions with a page: 20.", row.fix, "add --overwrite")
			if strings.Count(w.errors.String(), "To fix this") != 1 {
				t.Errorf("several pieces of advice for the same reason:\n%s", &w.errors)
			}
			if n := service.Count("", sandbox.RouteResults); n > row.most {
				t.Errorf("%d requests for results, want at most %d", n, row.most)
			}
			w.shows("index.html", "Not tried, because earlier requests had failed.")
		})
	}
}

// If nothing can be read, nothing is written, and the message says how to fix that.
func TestNothing(t *testing.T) {
	t.Parallel()
	with := func(variables map[string]string) func(*report.Options) {
		return func(o *report.Options) { o.Getenv = sandboxtest.Getenv(variables) }
	}
	clistate := filepath.Join(t.TempDir(), "terraform.tfstate")
	if err := os.WriteFile(clistate, []byte(`{"version": 4, "serial": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		change   func(*report.Options)
		says     []string
		requests int
	}{
		"no settings": {
			with(map[string]string{"ASSESS_BASE_URL": "", "ASSESS_CLIENT_ID": "", "ASSESS_API_KEY": ""}),
			[]string{"Missing address of the service", "ASSESS_BASE_URL", "ASSESS_CLIENT_ID", "ASSESS_API_KEY"},
			0,
		},
		"wrong key": {
			with(map[string]string{"ASSESS_API_KEY": secret}),
			[]string{"Could not list the positions. Nothing was written.", "401 Unauthorized", "check the credentials"},
			1,
		},
		"no file for the rate limits, and a wrong key": {
			func(o *report.Options) {
				o.CacheDir, o.Getenv = clistate, sandboxtest.Getenv(map[string]string{"ASSESS_API_KEY": secret})
			},
			[]string{"Note: Could not share the budget of the API key", "401 Unauthorized"},
			1,
		},
		"state of the CLI instead of the sandbox": {
			func(o *report.Options) { o.StateFile = clistate }, []string{
				"terraform.tfstate is not a file of the sandbox", "To fix this: name another file",
			}, 0,
		},
		"no directory": {func(o *report.Options) { o.Folder += "/in/nothing" }, []string{"does not exist", "whose parent exists"}, 0},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := serves(t, organization(3, 1))
			write(t.Context(), t, service, row.change).ends(report.Nothing, row.says...)
			service.AssertCount(t, "", "", row.requests)
		})
	}
}

// An interrupted run writes nothing.
func TestInterruption(t *testing.T) {
	t.Parallel()
	for _, after := range []int{0, 2, 40} {
		synctest.Test(t, func(t *testing.T) {
			service := serves(t, organization(40, 1))
			ctx, interrupt := context.WithCancel(t.Context())
			service.Inject(sandboxtest.Fault{Skip: after, Act: func(*sandbox.State) { interrupt() }})
			write(ctx, t, service).ends(report.Nothing, "The run was interrupted. Nothing was written.")
			time.Sleep(time.Minute) // virtual: the limiter gives back the slots of an interrupted run in the background
			if n := service.Count("", ""); n > after+1+8 {
				t.Errorf("%d requests, want %d and a few that were on the way", n, after+1)
			}
		})
	}
}

// On a terminal, one line shows the progress, and disappears at the end. Elsewhere, short runs show none.
func TestProgress(t *testing.T) {
	t.Parallel()
	for terminal, want := range map[bool]string{
		true: "\rReading the list of positions\r1 of 3 positions read        \r2 of 3 positions read\r3 of 3 positions read" +
			"\r                     \r",
		false: "",
	} {
		synctest.Test(t, func(t *testing.T) {
			w := write(t.Context(), t, serves(t, organization(3, 1)), func(o *report.Options) { o.Terminal = terminal })
			w.ends(report.Complete)
			if got := w.errors.String(); got != want {
				t.Errorf("the progress is %q, want %q", got, want)
			}
		})
	}
}
