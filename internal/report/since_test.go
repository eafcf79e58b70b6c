// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// A report says who is new, who has finished, and whose rank has changed since an earlier one, whatever options that had. A
// spreadsheet would run the ID "-7" as a formula, so the table has an escape in it, but it is the same ID.
func TestSinceAnEarlierReport(t *testing.T) {
	t.Parallel()
	position := func(candidates ...assessapi.Candidate) report.Report {
		return report.Report{Sections: []report.Section{{Title: "=Engineer", Candidates: candidates}}}
	}
	open := invited(unscored(scored("d", 0, "x")), "y", "INVITED")
	now := position(scored("-7", 9, "x"), scored("c", 8, "x"), scored("b", 7, "x"), scored("d", 6, "x"), open)
	now.Sections[0].Candidates[4].ID = "e"
	for name, options := range map[string]report.Options{
		"plain": {}, "wide": {Wide: true}, "excel": {Excel: true, Language: "de"}, "anonymous": {Anonymous: true, Language: "fr"},
	} {
		before := position(scored("-7", 9, "x"), scored("b", 7, "x"), unscored(scored("c", 0, "x")), open)
		before.Options = options
		r := now
		var err error
		if r.Earlier, err = report.ReadEarlier(strings.NewReader(render(t, before, report.Report.CSV))); err != nil {
			t.Fatal(err)
		}
		r.Earlier.Date = "2026-03-02"
		rows := records(t, render(t, r, report.Report.CSV))
		if got, want := perCandidate(t, rows, "since"), []string{"", "ranked", "moved from 2", "finished", "new"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		text := strings.NewReplacer("\u2068", "", "\u2069", "").Replace(render(t, r, report.Report.Markdown))
		for _, want := range []string{
			"Since March 2, 2026: 1 new (e), 1 newly finished (d), 2 with another rank (c; b).", "| Rank – → 2 |", "| New |",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if r.Earlier, err = report.ReadEarlier(strings.NewReader(render(t, now, report.Report.CSV))); err != nil {
			t.Fatal(err)
		}
		if text := render(t, r, report.Report.Markdown); !strings.Contains(text, "Since the earlier report: nothing new.") {
			t.Errorf("%s: something is new:\n%s", name, text)
		}
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
