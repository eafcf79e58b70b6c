// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// A ranking over some of the assessments says so in each format, and compares candidates by these only.
func TestRankedOver(t *testing.T) {
	t.Parallel()
	candidates := selection()[:2]
	candidates[0].Results = slices.Clone(candidates[0].Results[:2]) // without ast-values
	r := report.Report{
		Sections: []report.Section{{
			Title: "Engineer", Candidates: candidates,
			RankedOver: []string{"ast-quartet", "ast-ability"}, Without: []string{"ast-values", "ast-facet"},
		}},
		Options: report.Options{AssessmentNames: map[string]string{"ast-quartet": "Quartet Games", "ast-ability": "Lumen"}},
	}
	const says = "This ranking uses only Quartet Games and Lumen. Most candidates have not completed ast-values and ast-facet."
	for _, format := range []func(report.Report, *testing.T) string{
		func(r report.Report, t *testing.T) string { return render(t, r, report.Report.HTML) },
		func(r report.Report, t *testing.T) string { return render(t, r, report.Report.Markdown) },
	} {
		if text := format(r, t); !strings.Contains(text, says) {
			t.Errorf("%q is not in\n%s", says, text)
		}
	}
	rows := records(t, render(t, r, report.Report.CSV))
	if ranks := slices.Compact(column(t, rows, "rank")); !slices.Equal(ranks, []string{"1", "2"}) {
		t.Errorf("the ranks are %q", ranks)
	}
	if over := column(t, rows, "ranked_over")[0]; over != "Quartet Games, Lumen" {
		t.Errorf("ranked_over is %q", over)
	}
	r.Sections[0].Without = nil
	if text := render(t, r, report.Report.HTML); !strings.Contains(text, "This ranking uses only Quartet Games and Lumen.") {
		t.Errorf("the page is\n%s", text)
	}
}

func TestReadEarlierRejectsOtherTables(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"":                      "the table is empty",
		"a,b\n1,2\n":            `no column "position"`,
		"position,candidate_id": `no column "candidate_name"`,
		"position,\"x\ny,z":     "parse error",
	} {
		if _, err := report.ReadEarlier(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A summary names up to eight candidates. Of more, it says only how many they are.
func TestSummaryNamesFewCandidates(t *testing.T) {
	t.Parallel()
	earlier, err := report.ReadEarlier(strings.NewReader("position,candidate_id,candidate_name,rank,finished\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{
		2: "Since the earlier report: 2 new (\u20681\u2069; \u20682\u2069).", 9: "Since the earlier report: 9 new.",
	} {
		r := ranks(n)
		r.Earlier = earlier
		if text := render(t, r, report.Report.HTML); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
