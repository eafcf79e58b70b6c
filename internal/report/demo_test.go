// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"slices"
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
	state := sandbox.Demo()
	position := state.Position(sandbox.DemoResultsPosition)
	first := map[string]bool{}
	for _, c := range position.Candidates[:n] {
		first[c.ID] = true
	}
	candidates := slices.DeleteFunc(read.Candidates, func(c assessapi.Candidate) bool { return !first[c.ID] })
	names := map[string]string{}
	for _, a := range state.Assessments {
		names[a.ID] = a.Name
	}
	return report.Report{
		Sections: []report.Section{{
			Title: position.Title, Candidates: candidates, Benchmarks: map[string]string{"asm-lumen": "Graduates"},
		}},
		Options: report.Options{Date: "2026-03-30T09:00:00Z", Source: "assess.example.com", AssessmentNames: names},
	}
}

// thousands returns a position with n candidates, each with a score and three results.
func thousands(n int) report.Report {
	candidates := make([]assessapi.Candidate, n)
	for i := range candidates {
		c := scored(fmt.Sprintf("cnd-%05d", i), float64(n-i)/31, "asm-lumen", "asm-tideline", "asm-keystone")
		c.Name = fmt.Sprintf("Candidate Number %d", i)
		for j := range c.Results {
			c.Results[j].Percentile, c.Results[j].Classification = number(float64(i%199)/2), "ABOVE_AVERAGE"
		}
		candidates[i] = c
	}
	return one(candidates...)
}

// A page with thousands of candidates stays small enough to open, writes long numbers with
// separators and draws a chart. It suggests a shorter report, and keeps the header of its table visible.
func TestPageOfThousands(t *testing.T) {
	t.Parallel()
	text := render(t, thousands(2500), report.Report.HTML)
	if size := len(text); size > 3_000_000 {
		t.Errorf("2,500 candidates with 3 results are %d bytes of HTML, want at most 3 MB", size)
	}
	for _, want := range []string{
		"2,500 of 2,500 candidates finished, 2,500 of them ranked.", "<td>2,500<th", "option top", `class="card long"`,
		"<svg", "<rect x=", `class="high" x=`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(render(t, demo(t, 66), report.Report.HTML), "option top") {
		t.Error("a report about 66 candidates suggests a shorter one")
	}
}
