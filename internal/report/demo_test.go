// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"cmp"
	"math"
	"slices"
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
