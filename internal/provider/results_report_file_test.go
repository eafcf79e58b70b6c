// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// After any failure, the file does not exist or is unchanged.
func TestResultsReportFile(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	report := func(path string) map[string]any {
		return map[string]any{
			"position_ids": positionIDs(sandbox.DemoResultsPosition),
			"format":       "markdown",
			"path":         path,
		}
	}
	refused := func(said invocation, patterns ...string) {
		t.Helper()
		if len(said.errors) != 1 || len(said.progress) > 0 || !matchesAll(said.errors[0], patterns) {
			t.Errorf("progress %q, errors %q, want one error that matches all of %q", said.progress, said.errors, patterns)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "report.md")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}

	exists := []string{
		`AttributeName\("path"\)`,
		"Could not write the report",
		"A file with this path exists already",
		"overwrite = true",
	}
	refused(w.planReport(report(path)), exists...)
	refused(w.report(t.Context(), report(path)), exists...)
	refused(w.planReport(report(dir)), "The path is a directory")
	refused(
		w.report(t.Context(), report(filepath.Join(dir, "none", "report.md"))),
		`The directory ".*none" does not exist`,
	)
	refused(w.report(t.Context(), report(filepath.Join(path, "report.md"))), "not a directory")
	overwriting := report(path)
	overwriting["overwrite"] = true
	elsewhere := filepath.Join(t.TempDir(), "link.md")
	link := report(elsewhere)
	link["overwrite"] = true
	if err := os.Symlink(path, elsewhere); err != nil {
		t.Fatal(err)
	}
	refused(w.planReport(link), "not a regular file")
	service.AssertCount(t, "", "", 0)

	service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Status: http.StatusForbidden})
	refused(
		w.report(t.Context(), overwriting),
		"Could not read the results",
		sandbox.DemoResultsPosition,
		"403 Forbidden",
	)
	if text, err := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("the file contains %q, %v", text, err)
	}
	onlyFile(t, dir, "report.md")

	text, _ := w.writes(overwriting)
	sandboxtest.AssertPrivate(t, path)
	if !strings.Contains(string(text), "Graduate Programme 2026") {
		t.Errorf("the file is\n%s", text)
	}
	onlyFile(t, dir, "report.md")
}

// If several reports are written to the same path at the same time, one succeeds.
func TestResultsReportFileOnce(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Times: -1, Delay: 100 * time.Millisecond})
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	dir := t.TempDir()
	config := map[string]any{
		"position_ids": positionIDs(sandbox.DemoResultsPosition),
		"path":         filepath.Join(dir, "report.html"),
	}
	const reports = 8
	failed := make([]invocation, reports)
	var group sync.WaitGroup
	for i := range reports {
		group.Go(func() { failed[i] = w.report(t.Context(), config) })
	}
	group.Wait()
	won := 0
	for _, said := range failed {
		switch {
		case len(said.errors) == 0:
			won++
		case !matchesAll(said.errors[0], []string{"A file with this path exists already"}):
			t.Errorf("unexpected error %q", said.errors)
		}
	}
	if won != 1 {
		t.Errorf("%d reports were written to one path", won)
	}
	onlyFile(t, dir, "report.html")
}

// A run that is killed while it writes leaves a draft with personal data. The next
// report in that directory removes it, and nothing else.
func TestResultsReportRemovesAbandonedDrafts(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{
		".assess-report-killed": time.Hour, ".assess-report-running": time.Minute, "assess-report-mine": time.Hour, ".other": time.Hour,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	w.writes(
		map[string]any{
			"position_ids": positionIDs(sandbox.DemoResultsPosition),
			"path":         filepath.Join(dir, "report.html"),
		},
	)
	onlyFile(t, dir, ".assess-report-running", ".other", "assess-report-mine", "report.html")
}
