// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
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
		"a=b":                 "a=b",
		"=1+1":                "'=1+1",
		"+49 40 1234":         "'+49 40 1234",
		"-1":                  "'-1",
		"@SUM(A1)":            "'@SUM(A1)",
		"\t=1":                "' =1",
		"\r\nx":               "  x",
		"\x1b[2J\x00\u202ex":  " [2J x",
		" =1":                 "' =1",
		"\u00a0\u200b\ufeff=": "'\u00a0\u200b\ufeff=",
		"＝1":                  "'＝1",
		"a;=1;b":              "a;'=1;b",
		"a,=1":                "a,'=1",
		"Smith, -Jones":       "Smith, '-Jones",
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

// The columns are the same whatever the order of the candidates, of their results and of the positions,
// and whatever the options hide. They are sorted by the names of the assessments.
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
	slices.Reverse(r.Sections)
	slices.Reverse(r.Sections[0].Candidates[0].Results)
	slices.Reverse(r.Sections[1].Candidates)
	r.Options.Top = 1
	if got := wide(t, r)[0]; !slices.Equal(got, want) {
		t.Errorf("the columns are %q, want %q", got, want)
	}
}

// An ID with a control character is the same ID in results, in the list of assessments and in the benchmarks.
func TestIDsAreCleanedAlike(t *testing.T) {
	t.Parallel()
	const id = "x\x1b1"
	rows := wide(t, report.Report{Sections: []report.Section{{
		Candidates: []assessapi.Candidate{scored("a", 1, id)}, Assessments: []string{id},
		Benchmarks: map[string]string{id: "Graduates"},
	}}})
	isOther := func(heading string) bool { return !strings.HasSuffix(heading, ": benchmark") }
	benchmarks := slices.DeleteFunc(slices.Clone(rows[0]), isOther)
	if got := column(t, rows, "x 1: benchmark"); len(benchmarks) != 1 || !slices.Equal(got, []string{"Graduates"}) {
		t.Errorf("the benchmarks are %q, in the columns %q, want Graduates in one column", got, benchmarks)
	}
}

// IDs that differ only in control characters become one ID. Which name it has does not change from run to run.
func TestNamesOfEqualIDsAreStable(t *testing.T) {
	t.Parallel()
	r := one(scored("a", 1, "x 1"))
	r.Options.AssessmentNames, r.Sections[0].Benchmarks = map[string]string{}, map[string]string{}
	for control := range 16 {
		id := fmt.Sprintf("x%c1", control)
		r.Options.AssessmentNames[id], r.Sections[0].Benchmarks[id] = fmt.Sprint("name ", control), fmt.Sprint("group ", control)
	}
	text := render(t, r, report.Report.CSV)
	for range 16 {
		if again := render(t, r, report.Report.CSV); again != text {
			t.Fatalf("the same report is\n%s\nand\n%s", text, again)
		}
	}
}

// A negative percentile stays a number in both tables, also if another result of the same assessment has none.
func TestNegativePercentile(t *testing.T) {
	t.Parallel()
	c := scored("a", 1, "x", "x")
	c.Results[0].Percentile = number(-1.5)
	if got := column(t, wide(t, one(c)), "x: percentile"); !slices.Equal(got, []string{"-1.5"}) {
		t.Errorf("the wide table has %q", got)
	}
	rows := records(t, render(t, one(c), report.Report.CSV))
	if got := column(t, rows, "percentile"); !slices.Equal(got, []string{"-1.5", ""}) {
		t.Errorf("the long table has %q", got)
	}
}

// Spreadsheets reject a table with an empty heading, with a line break in it, with two headings that differ only in
// case, or with a long one. They run a heading that begins like a formula.
func TestWideHeadings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(";=", 150)
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
