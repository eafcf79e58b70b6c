// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// demo returns a report on the results that the sandbox has, with the first n of its candidates.
func demo(t *testing.T, n int) report.Report {
	t.Helper()
	address, err := assessapi.ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	client := assessapi.New(assessapi.Config{
		BaseURL: address, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey,
		RequestTimeout: time.Minute, RetryTimeout: time.Minute, Transport: sandboxtest.NewService(t, sandboxtest.Options{}),
	})
	read, err := client.Results(t.Context(), sandbox.DemoResultsPosition, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	state, candidates := sandbox.Demo(), read.Candidates[:n]
	names := map[string]string{}
	for _, a := range state.Assessments {
		names[a.ID] = a.Name
	}
	return report.Report{
		Sections: []report.Section{{
			Title: "Graduate Programme 2026", Candidates: candidates, Benchmarks: map[string]string{"asm-lumen": "Graduates"},
		}},
		Options: report.Options{Date: "2026-03-30T09:00:00Z", Source: "assess.example.com", AssessmentNames: names},
	}
}

// A page about thousands of candidates writes long numbers with separators, draws a chart, keeps the header of its table
// visible, and suggests a shorter report.
func TestLongPages(t *testing.T) {
	t.Parallel()
	text := render(t, ranks(2500), report.Report.HTML)
	for _, want := range []string{
		"2,500 of 2,500 candidates finished, 2,500 of them ranked.", "<td>2,500<th", "option top", `class="card long"`,
		"<svg", "<rect x=", `class="high" x=`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(render(t, ranks(66), report.Report.HTML), "option top") {
		t.Error("a report about 66 candidates suggests a shorter one")
	}
}
