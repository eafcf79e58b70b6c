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

// Only a page about very many candidates suggests a shorter report.
func TestLongPages(t *testing.T) {
	t.Parallel()
	for n, suggests := range map[int]bool{66: false, 2500: true} {
		if text := render(t, ranks(n), report.Report.HTML); strings.Contains(text, "option top") != suggests {
			t.Errorf("%d candidates: the page suggests a shorter one: %t", n, !suggests)
		}
	}
}
