// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The report shows names, the date and the source without options.
func TestResultsReportLooksUpNames(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	text, _ := w.writes(
		map[string]any{
			"position_ids": positionIDs(sandbox.DemoResultsPosition),
			"path":         filepath.Join(t.TempDir(), "report.html"),
		},
	)
	host, _ := strings.CutPrefix(service.URL, "http://")
	host, _, _ = strings.Cut(host, "/")
	for _, want := range []string{
		"<h1 dir=\"auto\">Graduate Programme 2026</h1>", "Lumen Ability Test", "Keystone Reliability Scale", "compared with Graduates",
		time.Now().UTC().Format("January 2, 2006"), host, "Confidential",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in the report", want)
		}
	}
	if strings.Contains(string(text), ">asm-lumen<") {
		t.Error("the report shows IDs of assessments")
	}
	service.AssertCount(t, "", sandbox.RouteResults, 1)
	noWrites(t, service)
}

func TestResultsReportOptions(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	dir := t.TempDir()
	write := func(name string, options map[string]any) string {
		config := map[string]any{
			"position_ids": positionIDs(sandbox.DemoResultsPosition),
			"path":         filepath.Join(dir, name),
		}
		maps.Copy(config, options)
		text, _ := w.writes(config)
		return string(text)
	}
	page := write(
		"german.html",
		map[string]any{"language": "de", "title": "Auswahl", "top": 2, "finished_only": true},
	)
	for _, want := range []string{"<h1 dir=\"auto\">Auswahl</h1>", "<html lang=\"de\">", "Nur die ersten 2 der " +
		"Rangliste", "Nur Personen, die alles abgeschlossen haben", "Graduate Programme 2026"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	ranked := strings.Count(page, ";--b:100><b>")
	if ranked < 1 ||
		strings.Count(page, "<th scope=rowgroup") != 2 {
		t.Errorf("%d candidates in the ranking, %d in detail", ranked, strings.Count(page, "<th scope=rowgroup"))
	}
	table := write("excel.csv", map[string]any{"format": "csv", "language": "fr", "excel": true})
	if !strings.HasPrefix(table, "\ufeffposition;candidate_id;candidate_name;suitability;") ||
		!strings.Contains(table, ";79,6;") {
		t.Errorf("the table starts with %q", table[:80])
	}
	var file struct {
		Positions []struct {
			Candidates []struct {
				Suitability *float64
			}
		}
	}
	err := json.Unmarshal([]byte(write("top.json", map[string]any{"format": "json", "top": 5})), &file)
	if err != nil ||
		len(file.Positions[0].Candidates) != 5 {
		t.Errorf("%d candidates, %v", len(file.Positions[0].Candidates), err)
	}
}

// An anonymous report does not identify the candidates in any format.
func TestResultsReportAnonymous(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	code := regexp.MustCompile(`Candidate \w{3}-\x{2060}?\w{3}\b`)
	first := ""
	for format := range map[string]bool{"html": true, "csv": true, "markdown": true, "json": true} {
		text, _ := w.writes(map[string]any{
			"position_ids": positionIDs(
				sandbox.DemoResultsPosition,
			),
			"path":      filepath.Join(t.TempDir(), "report"),
			"format":    format,
			"anonymous": true,
		})
		for _, c := range outcomeOf(t, service, "").candidates {
			for _, needle := range []string{c.Name, c.ID} {
				if strings.Contains(string(text), needle) {
					t.Errorf("%s contains %q", format, needle)
				}
			}
		}
		for _, needle := range []string{"/report/", "inv-0", "/sit/"} {
			if strings.Contains(string(text), needle) {
				t.Errorf("%s contains %q", format, needle)
			}
		}
		best := strings.ReplaceAll(code.FindString(string(text)), "\u2060", "")
		if best == "" || first != "" && best != first {
			t.Errorf("%s calls the first candidate %q, others %q", format, best, first)
		}
		first = best
	}
}

// A report can do without the list of benchmarks, but not without names.
func TestResultsReportWithoutLists(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	config := map[string]any{
		"position_ids": positionIDs(sandbox.DemoResultsPosition),
		"path":         filepath.Join(t.TempDir(), "report.html"),
	}
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteBenchmarks, Times: -1, Status: http.StatusNotFound})
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	if text, _ := w.writes(config); strings.Contains(string(text), "compared with Graduates") {
		t.Error("the report names a benchmark that could not be read")
	}
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteAssessments, Times: -1, Status: http.StatusForbidden})
	w.mustConfigure(map[string]any{})
	config["overwrite"] = true
	said := w.report(t.Context(), config)
	if len(said.errors) != 1 ||
		!matchesAll(said.errors[0], []string{"Could not list the assessments", "403 Forbidden"}) {
		t.Errorf("errors %q", said.errors)
	}
}
