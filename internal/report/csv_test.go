// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

func TestCSVCells(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Ada":                 "Ada",
		"O'Brien-Smith":       "O'Brien-Smith",
		"a=b":                 "a=b",
		"=1+1":                "'=1+1",
		"+49 40 1234":         "'+49 40 1234",
		"-1":                  "'-1",
		"@SUM(A1)":            "'@SUM(A1)",
		"\t=1":                "' =1",
		"\tx":                 " x",
		"\r\nx":               "  x",
		"\x1b[2J\x00\u202ex":  " [2J x",
		" =1":                 "' =1",
		"\u00a0\u200b\ufeff=": "'\u00a0\u200b\ufeff=",
		"＝1":                  "'＝1",
		"a;=1;b":              "a;'=1;b",
		"a,=1":                "a,'=1",
		"Smith, -Jones":       "Smith, '-Jones",
		"a\t +1":              "a  +1",
		"a; b":                "a; b",
		`x;"=cmd|' /C calc'`:  `x;"'=cmd|' /C calc'`,
		`"=1`:                 `'"=1`,
		`say "hi", you`:       `say "hi", you`,
	} {
		text := render(t, one(assessapi.Candidate{Name: name}), report.Report.CSV)
		if got := column(t, records(t, text), "candidate_name")[0]; got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
		if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
			t.Errorf("a line ends without CRLF: %q", text)
		}
	}
}

// Excel reads a file as UTF-8 only after a byte order mark. It expects the separators of the system's
// language for cells and decimals. It reads this form of a time in each language.
func TestCSVForExcel(t *testing.T) {
	t.Parallel()
	results := []assessapi.Result{quartet(3.25)}
	r := one(assessapi.Candidate{ID: "00123", Name: "Zoë", Suitability: number(70.5), Results: results})
	r.Options.Excel = true
	for language, want := range map[string]string{
		"en": `"=""00123""",Zoë,70.5,`, "de": `"=""00123""";Zoë;70,5;`, "fr": `"=""00123""";Zoë;70,5;`,
	} {
		r.Options.Language = language
		text := render(t, r, report.Report.CSV)
		if !strings.HasPrefix(text, "\ufeffcandidate_id") || !strings.Contains(text, "\r\n"+want) ||
			!strings.Contains(text, "2026-03-03 17:45:00") || strings.Contains(text, "T17:45") {
			t.Errorf("%s: the file is %q", language, text)
		}
	}
}

// wide returns the rows of a wide table.
func wide(t *testing.T, r report.Report) [][]string {
	t.Helper()
	r.Options.Wide = true
	return records(t, render(t, r, report.Report.CSV))
}

// A wide table has one row for each candidate, in the order and with the values of the long table.
func TestWideCSV(t *testing.T) {
	t.Parallel()
	r := report.Report{
		Sections: []report.Section{{
			Title: "Backend Engineer, London", Candidates: selection(),
			Benchmarks: map[string]string{"ast-ability": "Graduates"},
		}},
		Options: report.Options{AssessmentNames: map[string]string{
			"ast-ability": "Ability", "ast-values": "Inventory", "ast-safety": "Inventory",
		}},
	}
	rows, long := wide(t, r), records(t, render(t, r, report.Report.CSV))
	if len(rows) != 1+len(selection()) {
		t.Fatalf("%d rows for %d candidates", len(rows)-1, len(selection()))
	}
	for _, name := range []string{"position", "candidate_id", "candidate_name", "suitability", "comparable", "rank", "doubtful"} {
		if got, want := column(t, rows, name), perCandidate(t, long, name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, the long table has %q", name, got, want)
		}
	}
	for heading, want := range map[string]string{
		"Ability: percentile":                       "99.95",
		"Ability: benchmark":                        "Graduates",
		"Ability: classification":                   "FAR_ABOVE_AVERAGE",
		"Ability: invitation_completed":             "2026-03-03T17:45:00.5Z",
		"ast-quartet: percentile":                   "88.5",
		"Inventory (ast-values): report_url":        "https://assess.example.com/report/ast-values",
		"Inventory (ast-values): invitation_status": "TESTED_WITH_RESULTS",
		"Inventory (ast-values): benchmark":         "",
		"Inventory (ast-values): invitation_expiry": "2026-03-15",
		"Inventory (ast-values): classification":    "",
		"Inventory (ast-values): percentile":        "",
	} {
		if got := column(t, rows, heading)[0]; got != want {
			t.Errorf("%s of the first candidate is %q, want %q", heading, got, want)
		}
	}
	for _, heading := range rows[0] {
		if cell := column(t, rows, heading)[0]; strings.HasPrefix(heading, "Inventory (ast-safety): ") && cell != "" {
			t.Errorf("%s of the first candidate, who was not invited, is %q", heading, cell)
		}
	}
	verified := slices.Index(column(t, rows, "candidate_id"), "cnd-04")
	if got := column(t, rows, "Inventory (ast-safety): invitation_status")[verified]; got != "TESTED_WITH_RESULTS; INVITED" {
		t.Errorf("two invitations are %q", got)
	}
}

// The columns are the same whatever the order of the candidates, of their results and of the positions,
// and whatever the options hide.
func TestWideColumnsAreStable(t *testing.T) {
	t.Parallel()
	r := report.Report{
		Sections: []report.Section{
			{Title: "A", Candidates: selection(), Assessments: []string{"ast-unused", "ast-ability"}},
			{Title: "B", Candidates: []assessapi.Candidate{scored("z", 1, "b", "a", "C")}},
		},
		Options: report.Options{AssessmentNames: map[string]string{"ast-unused": "Never used", "a": "äpfel", "b": "Zebra"}},
	}
	want := wide(t, r)[0]
	if !slices.Contains(want, "Never used: percentile") {
		t.Errorf("an assessment to which no candidate was invited has no columns in %q", want)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		random.Shuffle(len(r.Sections), func(i, j int) { r.Sections[i], r.Sections[j] = r.Sections[j], r.Sections[i] })
		for _, section := range r.Sections {
			c := section.Candidates
			random.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
			for _, candidate := range c {
				all := candidate.Results
				random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			}
		}
		r.Options.FinishedOnly, r.Options.Top, r.Options.Anonymous = random.IntN(2) == 0, random.IntN(3), random.IntN(2) == 0
		if got := wide(t, r)[0]; !slices.Equal(got, want) {
			t.Fatalf("the columns are %q, want %q", got, want)
		}
	}
}

// Spreadsheets reject a table with an empty heading, with a line break in it, with two headings that differ only in
// case, or with a long one. They run a heading that begins like a formula.
func TestWideHeadings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	c := scored("a", 1, "1", "2", "3", "4", "5", "6", "7", "", "8", "9")
	c.Results = append(c.Results, c.Results[0])
	c.Results[0].Percentile, c.Results[10].Percentile = number(-1), number(-2)
	r := one(c)
	r.Options.AssessmentNames = map[string]string{
		"1": "=1+1", "2": "two\nlines\t", "3": "Case", "4": "CASE", "5": long + "a", "6": long + "b", "7": " ", "8": `a,"=1`,
		"9": "'=1+1",
	}
	rows := wide(t, r)
	seen := map[string]bool{}
	for _, heading := range rows[0] {
		key := strings.ToLower(heading)
		if seen[key] || heading == "" || len([]rune(heading)) > 255 || strings.ContainsAny(heading, "\r\n\t") {
			t.Errorf("the heading %q", heading)
		}
		seen[key] = true
	}
	for _, want := range []string{
		"'=1+1: percentile", "two lines: percentile", "Case: percentile", "CASE (2): percentile", "7: percentile",
		"Assessment: percentile", `a,"'=1: percentile`,
	} {
		if !slices.Contains(rows[0], want) {
			t.Errorf("no heading %q in %q", want, rows[0])
		}
	}
	if got := column(t, rows, "'=1+1 (2): percentile")[0]; got != "'-1; '-2" {
		t.Errorf("several results have the percentile %q", got)
	}
}
