// SPDX-License-Identifier: MPL-2.0

package snapshot_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/snapshot"
)

const secret = "a-very-secret-key"

// with returns a change of the environment variables.
func with(changes map[string]string) func(*snapshot.Options) {
	return func(o *snapshot.Options) { o.Getenv = sandboxtest.Getenv(changes) }
}

// Errors say how to fix the problem, and no file is written.
func TestErrors(t *testing.T) {
	t.Parallel()
	type fault = sandboxtest.Fault
	for name, row := range map[string]struct {
		change   func(*snapshot.Options)
		fault    *fault
		says     []string
		requests int
	}{
		"nothing set": {
			change: with(map[string]string{"ASSESS_BASE_URL": "", "ASSESS_CLIENT_ID": "", "ASSESS_API_KEY": ""}),
			says:   []string{"missing environment variables: ASSESS_BASE_URL, ASSESS_CLIENT_ID, ASSESS_API_KEY", "set them"},
		},
		"key missing": {
			change: with(map[string]string{"ASSESS_API_KEY": ""}), says: []string{"variables: ASSESS_API_KEY\\."},
		},
		"plain http": {
			change: with(map[string]string{"ASSESS_BASE_URL": "http://assess.example.com"}),
			says:   []string{"ASSESS_BASE_URL", "plain http", "https://assess.example.com/v1"},
		},
		"malformed key": {
			change: with(map[string]string{"ASSESS_API_KEY": secret + "\n"}), says: []string{"ASSESS_API_KEY", "not shown here"},
		},
		"a header that the provider sets": {
			change: with(map[string]string{"ASSESS_HEADERS": `{"Authorization":"` + secret + `"}`}),
			says:   []string{"ASSESS_HEADERS", "not shown here", `"Authorization" is reserved`},
		},
		"headers that are no object": {
			change: with(map[string]string{"ASSESS_HEADERS": secret}), says: []string{"ASSESS_HEADERS", "must be a JSON object"},
		},
		"malformed client": {
			change: with(map[string]string{"ASSESS_CLIENT_ID": "a:b"}), says: []string{"ASSESS_CLIENT_ID", "colon"},
		},
		"malformed budget": {
			change: with(map[string]string{"ASSESS_RATE_LIMIT_URL": "redis://:" + secret + "@"}),
			says:   []string{"ASSESS_RATE_LIMIT_URL", "not shown here"},
		},
		"wrong key": {
			change: with(map[string]string{"ASSESS_API_KEY": secret}), requests: 1,
			says: []string{"401 Unauthorized", "Conversation-Id", "check the credentials client_id and api_key \\(ASSESS_CLIENT_ID, ASSESS_API_KEY\\)"},
		},
		"wrong address": {
			change: with(map[string]string{"ASSESS_BASE_URL": sandbox.BaseURL + "/v9"}), requests: 1,
			says: []string{"404 Not Found", "To fix this: check the provider's base_url \\(environment variable ASSESS_BASE_URL\\), including its path"},
		},
		"no list of positions": {
			fault: &fault{Route: sandbox.RoutePositions, Status: 403}, requests: 3, // one finds out whether the key is refused
			says: []string{"GET https://\\S+/positions with 403", "ask the operator of the service"},
		},
		"no directory": {
			change: func(o *snapshot.Options) { o.File = filepath.Join(o.File, "in", "nothing") },
			says:   []string{"could not write", "choose a directory that exists"},
		},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{})
			if row.fault != nil {
				service.Inject(*row.fault)
			}
			change := row.change
			if change == nil {
				change = func(*snapshot.Options) {}
			}
			run := take(t.Context(), t, service, change)
			if run.err == nil {
				t.Fatal("no error")
			}
			for _, says := range row.says {
				if !regexp.MustCompile(says).MatchString(run.err.Error()) {
					t.Errorf("%q is not in: %v", says, run.err)
				}
			}
			for _, text := range []string{run.err.Error(), run.out.String(), run.progress.String()} {
				if strings.Contains(text, secret) {
					t.Errorf("this text contains the secret: %s", text)
				}
			}
			service.AssertCount(t, "", "", row.requests)
			leavesNothing(t, run)
		})
	}
}

// A snapshot can be taken through a gateway that expects a header.
func TestHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
		run := take(t.Context(), t, service, with(map[string]string{"ASSESS_HEADERS": `{"X-Gateway-Token":"` + secret + `"}`}))
		for _, entry := range service.Journal() {
			if entry.Header.Get("X-Gateway-Token") != secret {
				t.Errorf("%s %s has no token", entry.Method, entry.Path)
			}
		}
		if run.err != nil || strings.Contains(run.out.String()+run.progress.String(), secret) {
			t.Errorf("%v, printed:\n%s%s", run.err, run.out.String(), run.progress.String())
		}
	})
}

// leavesNothing checks that there is neither a file nor a temporary file.
func leavesNothing(t *testing.T, run *taken) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(filepath.Dir(run.file), "*json*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

func TestFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(path string) error{
		"file":        func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
		"broken link": func(path string) error { return os.Symlink("nowhere", path) },
		"directory":   func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		for when, requests := range map[string]int{"before": 0, "meanwhile": 1 + 1 + 13*5} {
			sandboxtest.Virtual(t, name+" "+when, func(t *testing.T) {
				service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
				path := filepath.Join(t.TempDir(), "snapshot.json")
				appear := func(*sandbox.State) {
					if err := plant(path); err != nil {
						t.Error(err)
					}
				}
				if requests == 0 {
					appear(nil)
				} else {
					service.Inject(sandboxtest.Fault{Skip: 10, Act: appear})
				}
				run := take(t.Context(), t, service, func(o *snapshot.Options) { o.File = path })
				if run.err == nil || !strings.Contains(run.err.Error(), "already exists, and a snapshot does not replace files") {
					t.Errorf("error: %v", run.err)
				}
				service.AssertCount(t, "", "", requests)
				entries, err := os.ReadDir(filepath.Dir(path))
				if err != nil || len(entries) != 1 {
					t.Errorf("the directory has %v, %v", entries, err)
				}
				if text, err := os.ReadFile(path); name == "file" && string(text) != "mine" {
					t.Errorf("the file has %q, %v", text, err)
				}
			})
		}
	}
}

// An interrupted run leaves no file, and the next run starts again.
func TestInterruption(t *testing.T) {
	t.Parallel()
	synctest.Test(t, interruption)
}

func interruption(t *testing.T) {
	service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
	ctx, interrupt := context.WithCancel(t.Context())
	service.Inject(sandboxtest.Fault{Skip: 30, Act: func(*sandbox.State) { interrupt() }})
	run := take(ctx, t, service)
	if run.err == nil || !strings.Contains(run.err.Error(), "Nothing was written") ||
		!strings.Contains(run.err.Error(), "The run was interrupted.") {
		t.Errorf("error: %v", run.err)
	}
	if n, inFlight := service.Count("", ""), 9; n > 31+inFlight {
		t.Errorf("%d requests reached the service, want 31 and at most %d that were in flight then", n, inFlight)
	}
	leavesNothing(t, run)

	again := take(t.Context(), t, service, func(o *snapshot.Options) { o.File = run.file })
	sameOrganization(t, again.state(t), sandbox.Demo())
	sandboxtest.AssertPrivate(t, run.file)
}
