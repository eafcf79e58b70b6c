// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// records reads a CSV file back.
func records(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return rows
}

// column returns the cells of a column, by the name in its header.
func column(t *testing.T, rows [][]string, name string) []string {
	t.Helper()
	at := slices.Index(rows[0], name)
	if at < 0 {
		t.Fatalf("no column %q in %q", name, rows[0])
	}
	cells := []string{}
	for _, row := range rows[1:] {
		cells = append(cells, row[at])
	}
	return cells
}

func one(candidates ...report.Candidate) report.Report {
	return report.Report{Sections: []report.Section{{Candidates: candidates}}}
}

// scored has completed the assessments, and has a score.
func scored(id string, assessments ...string) report.Candidate {
	c := report.Candidate{ID: id, Suitability: number(50), Results: []report.Result{}}
	for _, assessment := range assessments {
		c.Results = append(c.Results, sat(assessment, "REPORT_ONLY", nil, ""))
	}
	return c
}

func TestUnscoredStandLastAndKeepTheirOrder(t *testing.T) {
	t.Parallel()
	r := one(
		report.Candidate{ID: "a"}, report.Candidate{ID: "b", Suitability: number(1)},
		report.Candidate{ID: "c"}, report.Candidate{ID: "d", Suitability: number(2)},
	)
	rows := records(t, render(t, r, report.Report.CSV))
	if got, want := column(t, rows, "candidate_id"), []string{"b", "d", "a", "c"}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
	if got, want := column(t, rows, "comparable"), []string{"", "", "no score", "no score"}; !slices.Equal(got, want) {
		t.Errorf("comparable %q, want %q", got, want)
	}
	for _, write := range []string{"html", "md"} {
		text := render(t, r, formats[write])
		if !strings.Contains(text, "4 candidates, 2 with a suitability score. Those without one stand last.") || strings.Count(text, "no score") != 2 {
			t.Errorf("%s does not say who has no score:\n%s", write, text)
		}
	}
}

func TestScoresOverOtherAssessmentsAreMarked(t *testing.T) {
	t.Parallel()
	pending := scored("pending", "x", "y")
	pending.Results = append(pending.Results, report.Result{AssessmentID: "z", Invitations: []report.Invitation{{Status: "INVITED"}}})
	nameless := scored("nameless", "x")
	nameless.Results[0].AssessmentID = ""
	unscored := scored("unscored", "x")
	unscored.Suitability = nil

	for name, test := range map[string]struct {
		candidates []report.Candidate
		comparable []string
		marks      []string
	}{
		"all alike": {
			[]report.Candidate{scored("1", "x", "y"), scored("2", "y", "x")},
			[]string{"yes", "yes"},
			nil,
		},
		"one of three": {
			[]report.Candidate{scored("1", "x"), scored("2", "x", "y"), scored("3", "x", "y")},
			[]string{"no", "yes", "yes"},
			[]string{"without y"},
		},
		"other and fewer": {
			[]report.Candidate{scored("1", "x", "y"), scored("2", "x", "y"), scored("3", "z", "y")},
			[]string{"yes", "yes", "no"},
			[]string{"without x; also z"},
		},
		"as many: the larger set": {
			[]report.Candidate{scored("1", "x"), scored("2", "x", "y")},
			[]string{"no", "yes"},
			[]string{"without y"},
		},
		"as many and as large: the first": {
			[]report.Candidate{scored("1", "x"), scored("2", "y")},
			[]string{"yes", "no"},
			[]string{"without x; also y"},
		},
		"the majority has less": {
			[]report.Candidate{scored("1", "x", "y"), scored("2", "x"), scored("3", "x")},
			[]string{"no", "yes", "yes"},
			[]string{"also y"},
		},
		"what is pending does not count": {
			[]report.Candidate{pending, scored("2", "x", "y")},
			[]string{"yes", "yes"},
			nil,
		},
		"results that are not known": {
			[]report.Candidate{{ID: "1", Suitability: number(1)}, scored("2", "x"), nameless},
			[]string{"", "yes", ""},
			nil,
		},
		"no score, no comparison": {
			[]report.Candidate{scored("1", "x", "y"), unscored, unscored, unscored},
			[]string{"yes", "no score", "no score", "no score"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := one(test.candidates...)
			rows := records(t, render(t, r, report.Report.CSV))
			comparable := []string{}
			for i, cell := range column(t, rows, "comparable") {
				if i == 0 || column(t, rows, "candidate_id")[i] != column(t, rows, "candidate_id")[i-1] || cell == "no score" {
					comparable = append(comparable, cell)
				}
			}
			if !slices.Equal(comparable, test.comparable) {
				t.Errorf("comparable %q, want %q", comparable, test.comparable)
			}
			for _, ending := range []string{"html", "md"} {
				text := render(t, r, formats[ending])
				if got := strings.Count(text, "different assessments: "); got != len(test.marks) {
					t.Errorf("%s: %d marks, want %d", ending, got, len(test.marks))
				}
				if got := strings.Contains(text, "Scores compare only over the same set of assessments."); got != (len(test.marks) > 0) {
					t.Errorf("%s: the caution is there: %v", ending, got)
				}
				for _, mark := range test.marks {
					if !strings.Contains(text, "different assessments: "+mark) {
						t.Errorf("%s lacks the mark %q:\n%s", ending, mark, text)
					}
				}
			}
		})
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result report.Result
		want   string
	}{
		"a percentile":        {report.Result{Percentile: number(0)}, "1 of 1"},
		"a classification":    {report.Result{Classification: "AVERAGE"}, "1 of 1"},
		"a status":            {report.Result{Invitations: []report.Invitation{{Status: "TESTED_WITH_RESULTS"}}}, "1 of 1"},
		"a time":              {report.Result{Invitations: []report.Invitation{{Status: "DONE"}, {Completed: "2026-03-03T10:00:00Z"}}}, "1 of 1"},
		"the first of two":    {report.Result{Invitations: []report.Invitation{{Status: "TESTED_WITH_RESULTS"}, {Status: "INVITED"}}}, "1 of 1"},
		"an expired one":      {report.Result{Invitations: []report.Invitation{{Status: "EXPIRED"}}}, "0 of 1"},
		"nothing but address": {report.Result{Type: "SCORED", ReportURL: "https://assess.example.com"}, "0 of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := render(t, one(report.Candidate{Name: "Ada", Results: []report.Result{test.result}}), report.Report.Markdown)
			if !strings.Contains(text, "| Ada | no score | "+test.want+" |") {
				t.Errorf("want %s in\n%s", test.want, text)
			}
		})
	}
}

func TestNumbersStayAsTheyWere(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]float64{
		"82.4": 82.4, "74": 74, "0": 0, "-3.5": -3.5, "0.1": 0.1, "66.66666666666667": 200.0 / 3, "1000000000000": 1e12,
	} {
		r := one(report.Candidate{Name: "Ada", Suitability: &n, Results: []report.Result{{AssessmentID: "x", Percentile: &n}}})
		rows := records(t, render(t, r, report.Report.CSV))
		if got := []string{column(t, rows, "suitability")[0], column(t, rows, "percentile")[0]}; got[0] != want || got[1] != want {
			t.Errorf("CSV has %q, want %s", got, want)
		}
		if text := render(t, r, report.Report.Markdown); !strings.Contains(text, "| Ada | "+want+" |") {
			t.Errorf("Markdown lacks %s:\n%s", want, text)
		}
		if text := render(t, r, report.Report.HTML); strings.Count(text, "<b>"+want+"</b>") != 3 {
			t.Errorf("HTML lacks %s:\n%s", want, text)
		}
	}
}

func TestBarsStayInTheirTrack(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{-5: "0.0", 0: "0.0", 50: "50.0", 100: "100.0", 250: "100.0"} {
		r := one(report.Candidate{Results: []report.Result{{Percentile: &n}}})
		if text := render(t, r, report.Report.HTML); !strings.Contains(text, `<rect width="`+want+`" height="6" rx="3"/>`) {
			t.Errorf("%v has no bar of width %s:\n%s", n, want, text)
		}
	}
	// The scale of suitability is not specified: a higher one widens it.
	text := render(t, one(report.Candidate{Suitability: number(400)}, report.Candidate{Suitability: number(100)}), report.Report.HTML)
	for _, want := range []string{`aria-label="400 out of 400"><rect width="100" height="6" rx="3"/><rect width="100.0"`, `aria-label="100 out of 400"><rect width="100" height="6" rx="3"/><rect width="25.0"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestOnlyWebAddressesBecomeLinks(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://assess.example.com/r/1?a=b&c=d": true,
		"http://localhost:8080/r":                true,
		"HTTPS://assess.example.com/":            true,
		"":                                       false,
		"javascript:alert(1)":                    false,

		"JaVaScRiPt://assess.example.com/%0aalert(1)": false,

		"data:text/html,x":        false,
		"//assess.example.com/r":  false,
		"/r/1":                    false,
		"https:evil":              false,
		"file:///etc/passwd":      false,
		"https://exa mple.com/":   false,
		"https://example.com/\n)": false,
	} {
		r := one(report.Candidate{Name: "Ada", ReportURL: address})
		if got := strings.Contains(render(t, r, report.Report.HTML), `rel="noopener noreferrer"`); got != want {
			t.Errorf("HTML links to %q: %v, want %v", address, got, want)
		}
		if got := strings.Contains(render(t, r, report.Report.Markdown), "[Ada]("); got != want {
			t.Errorf("Markdown links to %q: %v, want %v", address, got, want)
		}
	}
}

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
		"\t=1":                "'\t'=1",
		"\tx":                 "'\tx",
		"\rx":                 "'\nx",
		"\nx":                 "'\nx",
		" =1":                 "' =1",
		"\u00a0\u200b\ufeff=": "'\u00a0\u200b\ufeff=",
		"＝1":                  "'＝1",
		"a;=1;b":              "a;'=1;b",
		"a\t +1":              "a\t '+1",
		"a\r\n@x":             "a\n'@x",
		"a; b":                "a; b",
		`say "hi", you`:       `say "hi", you`,
	} {
		text := render(t, one(report.Candidate{Name: name}), report.Report.CSV)
		if got := column(t, records(t, text), "candidate_name")[0]; got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
		if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
			t.Errorf("a line ends without CRLF: %q", text)
		}
	}
}

func TestMarkdownCells(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"J. R. O'Brien-Smith (she)": "J. R. O'Brien-Smith (she)",
		"a|b":                       `a\|b`,
		`a\|b`:                      `a\\\|b`,
		"a\r\nb\n\n|c\tc":           `a b \|c c`,
		"`x`":                       "\\`x\\`",
		"<b>&amp;":                  `\<b\>\&amp;`,
		"[x](http://e.example)":     `\[x\](http\://e.example)`,
		"www.e.example":             `www\.e.example`,
		"a@e.example":               "a@\u2060e.example",
		"\u202eevil\u2066":          "evil",
		"*_~#!$":                    `\*\_\~\#\!\$`,
	} {
		if text := render(t, one(report.Candidate{Name: name}), report.Report.Markdown); !strings.Contains(text, "\n| "+want+" | no score |  |  |\n") {
			t.Errorf("%q did not become %q:\n%s", name, want, text)
		}
	}
}
