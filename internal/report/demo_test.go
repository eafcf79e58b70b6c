// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// demo returns the position of the demo state that has results, with its first n
// candidates in the order of the service.
func demo(n int) report.Report {
	position := sandbox.Demo().Position(sandbox.DemoResultsPosition)
	candidates := []report.Candidate{}
	for _, c := range position.Candidates[:n] {
		candidates = append(candidates, demoCandidate(c, len(position.Assessments)))
	}
	slices.SortStableFunc(candidates, func(a, b report.Candidate) int {
		score := func(c report.Candidate) float64 {
			if c.Suitability == nil {
				return -1
			}
			return *c.Suitability
		}
		return cmp.Compare(score(b), score(a))
	})
	names := map[string]string{}
	for _, a := range sandbox.Demo().Assessments {
		names[a.ID] = a.Name
	}
	return report.Report{
		Sections: []report.Section{{
			Title: position.Title, Candidates: candidates, Benchmarks: map[string]string{"asm-lumen": "Graduates"},
		}},
		Options: report.Options{Date: "2026-03-30T09:00:00Z", Source: "assess.example.com", AssessmentNames: names},
	}
}

func demoCandidate(c sandbox.Candidate, attached int) report.Candidate {
	const address = "https://assess.example.com/report/" + sandbox.DemoResultsPosition + "/"
	out := report.Candidate{ID: c.ID, Name: c.Name, ReportURL: address + c.ID, Results: []report.Result{}}
	sum, scores, done := 0.0, 0.0, 0
	for _, r := range c.Results {
		result := report.Result{
			AssessmentID: r.Assessment, ReportURL: address + c.ID + "/" + r.Assessment, Percentile: r.Percentile,
			Classification: r.Classification, Validity: r.Validity,
		}
		for _, i := range r.Invitations {
			invitation := report.Invitation{
				ID: i.ID, Type: i.Type, Status: i.Status, Expiry: i.Expiry, Created: i.Created.Format(time.RFC3339),
			}
			if i.Completed != nil {
				invitation.Completed = i.Completed.Format(time.RFC3339)
				if len(result.Invitations) == 0 {
					done++
				}
			}
			result.Invitations = append(result.Invitations, invitation)
		}
		if r.Percentile != nil {
			sum, scores = sum+*r.Percentile, scores+1
		}
		out.Results = append(out.Results, result)
	}
	if done == attached {
		out.Suitability = number(math.Round(sum/scores*10) / 10)
	}
	return out
}

// thousands returns a position with n candidates, each with a score and three results.
func thousands(n int) report.Report {
	candidates := make([]report.Candidate, n)
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

// A page with thousands of candidates stays small enough to open.
func TestPageOfThousands(t *testing.T) {
	t.Parallel()
	if size := len(render(t, thousands(2500), report.Report.HTML)); size > 3_000_000 {
		t.Errorf("2,500 candidates with 3 results are %d bytes of HTML, want at most 3 MB", size)
	}
}
