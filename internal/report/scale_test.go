// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// thousands returns a position with n candidates, each with three results.
func thousands(n int) report.Report {
	const address = "https://assess.example.com/report/pos-graduates-2026/"
	candidates := make([]report.Candidate, n)
	for i := range candidates {
		id := fmt.Sprintf("cnd-%04d", i)
		c := report.Candidate{
			ID:          id,
			Name:        fmt.Sprintf("Candidate Number %d", i),
			ReportURL:   address + id,
			Suitability: number(float64(n-i) / 31),
		}
		for _, assessment := range []string{"asm-lumen", "asm-tideline", "asm-keystone"} {
			result := sat(assessment, "SCORED", number(float64(i%199)/2), "ABOVE_AVERAGE")
			result.ReportURL = address + id + "/" + assessment
			if assessment == "asm-keystone" {
				result.Type, result.Validity = "VALIDATED", "VALID"
			}
			c.Results = append(c.Results, result)
		}
		candidates[i] = c
	}
	return report.Report{
		Title: "Thousands", Sections: []report.Section{{Candidates: candidates}},
		Options: report.Options{Date: "2026-03-30", AssessmentNames: map[string]string{
			"asm-lumen":    "Lumen Ability Test",
			"asm-tideline": "Tideline Emotional Intelligence",
			"asm-keystone": "Keystone Reliability Scale",
		}},
	}
}

// A page with thousands of candidates stays small enough to open. The time is a
// benchmark, because it depends on the machine.
func TestPageOfThousands(t *testing.T) {
	t.Parallel()
	if size := len(render(t, thousands(2500), report.Report.HTML)); size > 3_000_000 {
		t.Errorf("2,500 candidates with 3 results are %d bytes of HTML, want at most 3 MB", size)
	}
}

func BenchmarkPageOfThousands(b *testing.B) {
	r := thousands(2500)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	size := 0
	for b.Loop() {
		var out strings.Builder
		if err := r.HTML(&out); err != nil {
			b.Fatal(err)
		}
		size = out.Len()
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/(1<<20), "MB-allocated/op")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/op")
}
