// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
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
	for _, ending := range []string{"html", "md"} {
		if text := render(t, r, formats[ending]); !strings.Contains(text, says) {
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

// A report says who is new, who has finished, and whose rank has changed since an earlier one, whatever options that had.
func TestSinceAnEarlierReport(t *testing.T) {
	t.Parallel()
	position := func(candidates ...assessapi.Candidate) report.Report {
		return report.Report{Sections: []report.Section{{Title: "=Engineer", Candidates: candidates}}}
	}
	open := invited(unscored(scored("d", 0, "x")), "y", "INVITED")
	now := position(scored("a", 9, "x"), scored("c", 8, "x"), scored("b", 7, "x"), scored("d", 6, "x"), open)
	now.Sections[0].Candidates[4].ID = "e"
	for name, options := range map[string]report.Options{
		"plain": {}, "wide": {Wide: true}, "excel": {Excel: true, Language: "de"}, "anonymous": {Anonymous: true, Language: "fr"},
	} {
		before := position(scored("a", 9, "x"), scored("b", 7, "x"), unscored(scored("c", 0, "x")), open)
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
				t.Errorf("%s: no %q, but %q", name, want, linesAbout(text, "Since", "Rank "))
			}
		}
		if r.Earlier, err = report.ReadEarlier(strings.NewReader(render(t, now, report.Report.CSV))); err != nil {
			t.Fatal(err)
		}
		if text := render(t, r, report.Report.Markdown); !strings.Contains(text, "Since the earlier report: nothing new.") {
			t.Errorf("%s: something is new: %q", name, linesAbout(text, "Since"))
		}
	}
}

// linesAbout returns the lines of a text that contain one of some words.
func linesAbout(text string, words ...string) (lines []string) {
	for line := range strings.Lines(text) {
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
			lines = append(lines, line)
		}
	}
	return lines
}

// An ID that a spreadsheet would run as a formula has an escape in the table, but is the same ID.
func TestSinceWithAnIDLikeAFormula(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]report.Options{"plain": {}, "wide": {Wide: true}, "excel": {Excel: true}} {
		r := report.Report{Options: options, Sections: []report.Section{
			{Title: "Engineer", Candidates: []assessapi.Candidate{scored("-7", 9, "x")}},
		}}
		earlier, err := report.ReadEarlier(strings.NewReader(render(t, r, report.Report.CSV)))
		if err != nil {
			t.Fatal(err)
		}
		r.Earlier = earlier
		text := render(t, r, report.Report.Markdown)
		if !strings.Contains(text, "Since the earlier report: nothing new.") {
			t.Errorf("%s: something is new: %q", name, linesAbout(text, "Since"))
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
