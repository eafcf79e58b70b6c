// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/companion/report"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// latency is the duration of a request to a service that is not fast.
func latency(o *sandboxtest.Options) { o.Latency = 300 * time.Millisecond }

// A report on 8 positions with 60 candidates takes less than ten seconds beside an apply with the same key, and the
// service rejects no request of either.
func TestFewPositions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, cache := serves(t, organization(8, 60), latency), t.TempDir()
		var apply sync.WaitGroup
		applyBeside(t, &apply, service, cache, 4)
		start := time.Now()
		write(t.Context(), t, service, func(o *report.Options) { o.CacheDir = cache }).
			ends(report.Complete, "Candidates: 480.")
		took := time.Since(start)
		apply.Wait()
		t.Logf("%v", took)
		if took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		assertNoneRejected(t, service)
	})
}

// A report on 200 positions with 20,000 results takes as long as the limits require, and no request is rejected. The run
// shows its progress.
func TestManyPositions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: a large organization takes seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		service := serves(t, organization(200, 25), latency)
		start := time.Now()
		w := write(t.Context(), t, service).ends(report.Complete, "Positions with a page: 200. Candidates: 5000.",
			" of 200 positions read\n")
		took := time.Since(start)
		const floor = 6*time.Minute + 9*time.Second // 30 requests for results a minute, and 2 a second
		t.Logf("%v, the limits require %v", took, floor)
		if took > floor+10*time.Second {
			t.Errorf("it took %v, the limits require %v", took, floor)
		}
		assertNoneRejected(t, service)
		if rows := len(w.rows()); rows != 20_000 {
			t.Errorf("%d rows", rows)
		}
		service.AssertCount(t, "", sandbox.RouteResults, 200)
		if lines := strings.Count(w.errors.String(), "\n"); lines < 10 || lines > 50 {
			t.Errorf("%d lines of progress:\n%s", lines, &w.errors)
		}
	})
}

func assertNoneRejected(t *testing.T, service *sandboxtest.Service) {
	t.Helper()
	for _, entry := range service.Journal() {
		if entry.Status == http.StatusTooManyRequests {
			t.Fatalf("%s %s was rejected with 429", entry.Method, entry.Path)
		}
	}
}

// applyBeside starts a run with the same key and on the same machine: it reads lists as fast as the limits allow, and
// as many results as a plan reads for its checks.
func applyBeside(t *testing.T, apply *sync.WaitGroup, service *sandboxtest.Service, cache string, results int) {
	t.Helper()
	cfg, err := run.Environment(sandboxtest.Getenv(nil))
	if err != nil {
		t.Fatal(err)
	}
	cfg.ReadOnly, cfg.CacheDir, cfg.Transport = false, cache, service
	r, err := run.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		apply.Go(func() {
			for range 40 { // more than the limits allow at once
				if _, err := r.Client.Assessments(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	apply.Go(func() {
		for range results {
			if _, _, err := r.Client.FirstResults(t.Context(), "pos-0"); err != nil {
				t.Error(err)
			}
		}
	})
}

// A run stops when the service rejects the key, or no longer answers. It writes what it has read, and says what it has
// not tried.
func TestServiceStopsAnswering(t *testing.T) {
	t.Parallel()
	results := sandboxtest.Fault{Route: sandbox.RouteResults, Skip: 20, Times: -1}
	for name, row := range map[string]struct {
		fault sandboxtest.Fault
		says  string
		most  int // requests for results
		fix   string
	}{
		"revoked key": {sandboxtest.Fault{Status: 401}, "401 Unauthorized", 20 + 4, "check the credentials"},
		"outage":      {sandboxtest.Fault{Status: 503}, "503", 20 + 200, "run the command again later"},
		"network":     {sandboxtest.Fault{Reset: true}, "Trying again.", 20 + 200, "the network and the proxy settings"},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service, fault := serves(t, organization(100, 1)), results
			fault.Status, fault.Reset = row.fault.Status, row.fault.Reset
			service.Inject(fault)
			w := write(t.Context(), t, service).ends(report.Incomplete, row.says, "Positions not tried, because earlier",
				"Positions with a page: 20.", row.fix, "add --overwrite")
			if strings.Count(w.errors.String(), "To fix this") != 1 {
				t.Errorf("several pieces of advice for the same reason:\n%s", &w.errors)
			}
			if n := service.Count("", sandbox.RouteResults); n > row.most {
				t.Errorf("%d requests for results, want at most %d", n, row.most)
			}
			w.shows("index.html", "Not tried, because earlier requests had failed.")
			if lines := strings.Count(w.errors.String(), "\n"); lines > 40 {
				t.Errorf("%d lines:\n%s", lines, &w.errors)
			}
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
		"wrong address": {
			with(map[string]string{"ASSESS_BASE_URL": sandbox.BaseURL + "/v9"}), []string{"404 Not Found", "check the provider's base_url"}, 1,
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

// A run uses a file of the sandbox without any settings, and shares its budget. It says that it created the
// file, because its name may be mistyped.
func TestEmbeddedService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := t.TempDir() + "/assess-sandbox.json"
		const created = "did not exist, so it was created with invented data."
		for _, exists := range []bool{false, true} {
			w := write(t.Context(), t, nil, func(o *report.Options) {
				o.StateFile, o.Getenv = file, func(string) string { return "" }
			})
			w.ends(report.Complete, "Candidates: 66.")
			if said := strings.Contains(w.errors.String(), created); said == exists {
				t.Errorf("the file exists: %v; the run printed %q", exists, &w.errors)
			}
		}
		sandboxtest.AssertPrivate(t, file)
	})
}
