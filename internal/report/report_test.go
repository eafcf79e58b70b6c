// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// records parses a CSV file.
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

// perCandidate returns the first cell of each candidate.
func perCandidate(t *testing.T, rows [][]string, name string) []string {
	t.Helper()
	ids, cells := column(t, rows, "candidate_id"), []string{}
	for i, cell := range column(t, rows, name) {
		if i == 0 || ids[i] != ids[i-1] {
			cells = append(cells, cell)
		}
	}
	return cells
}

func one(candidates ...report.Candidate) report.Report {
	return report.Report{Sections: []report.Section{{Candidates: candidates}}}
}

// scored returns a candidate who has completed the assessments and has a score.
func scored(id string, score float64, assessments ...string) report.Candidate {
	c := report.Candidate{ID: id, Suitability: number(score), Results: []report.Result{}}
	for _, assessment := range assessments {
		c.Results = append(c.Results, sat(assessment, "REPORT_ONLY", nil, ""))
	}
	return c
}

// invited adds an assessment that the candidate has not completed.
func invited(c report.Candidate, assessment, status string) report.Candidate {
	c.Results = append(slices.Clone(c.Results), report.Result{
		AssessmentID: assessment, Invitations: []report.Invitation{{Status: status}},
	})
	return c
}

func unscored(c report.Candidate) report.Candidate {
	c.Suitability = nil
	return c
}

// Each row has candidates, and what the report says about them in its order: ID, rank, and
// whether the score is comparable.
func TestRanking(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		candidates []report.Candidate
		want       string
		remarks    []string // in HTML and Markdown
	}{
		"the highest score is first, and candidates without a score are last": {
			[]report.Candidate{{ID: "a"}, scored("b", 1, "x"), {ID: "c"}, scored("d", 2, "x")},
			"d 1 yes, b 2 yes, a - no score, c - no score", nil,
		},
		"equal scores share a rank and keep their order": {
			[]report.Candidate{scored("a", 5, "x"), scored("b", 7, "x"), scored("c", 5, "x"), scored("d", 1, "x")},
			"b 1 yes, a 2 yes, c 2 yes, d 4 yes", nil,
		},
		"the order of assessments does not matter": {
			[]report.Candidate{scored("a", 2, "x", "y"), scored("b", 1, "y", "x")},
			"a 1 yes, b 2 yes", nil,
		},
		"a score over fewer assessments has no rank": {
			[]report.Candidate{scored("a", 9, "x"), scored("b", 2, "x", "y"), scored("c", 1, "x", "y")},
			"b 1 yes, c 2 yes, a - no",
			[]string{"Different assessments (missing: y)"},
		},
		"a score over other assessments has no rank": {
			[]report.Candidate{scored("a", 3, "x", "y"), scored("b", 2, "x", "y"), scored("c", 1, "z", "y")},
			"a 1 yes, b 2 yes, c - no",
			[]string{"Different assessments (missing: x; additional: z)"},
		},
		"of two sets that are as common, the larger counts": {
			[]report.Candidate{scored("a", 2, "x"), scored("b", 1, "x", "y")},
			"b 1 yes, a - no",
			[]string{"Different assessments (missing: y)"},
		},
		"the majority may have completed less": {
			[]report.Candidate{scored("a", 3, "x", "y"), scored("b", 2, "x"), scored("c", 1, "x")},
			"b 1 yes, c 2 yes, a - no",
			[]string{"Different assessments (additional: y)"},
		},
		"an assessment that is not completed does not count": {
			[]report.Candidate{invited(scored("a", 2, "x", "y"), "z", "INVITED"), scored("b", 1, "x", "y")},
			"a 1 yes, b 2 yes", nil,
		},
		"results that are not known": {
			[]report.Candidate{{ID: "a", Suitability: number(3)}, scored("b", 2, "x"), scored("c", 1, ""), scored("d", 0), {ID: "e"}},
			"a 1 -, b 2 yes, c 3 -, d 4 -, e - no score", nil,
		},
		"why there is no score": {
			[]report.Candidate{
				scored("a", 1, "x", "y"), unscored(scored("b", 0, "x")), invited(unscored(scored("c", 0, "x")), "y", "EXPIRED"),
				invited(unscored(scored("d", 0, "x")), "y", "IN_PROGRESS"), unscored(scored("e", 0)),
			},
			"a 1 yes, b - no score, c - no score, d - no score, e - no score",
			[]string{"Not invited to y", "Invitation expired", "Not finished yet", "Not invited yet"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := one(test.candidates...)
			rows := records(t, render(t, r, report.Report.CSV))
			ranks, comparable := perCandidate(t, rows, "rank"), perCandidate(t, rows, "comparable")
			var got []string
			for i, id := range perCandidate(t, rows, "candidate_id") {
				got = append(got, fmt.Sprintf("%s %s %s", id, cmp.Or(ranks[i], "-"), cmp.Or(comparable[i], "-")))
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("the ranking is %s, want %s", got, test.want)
			}
			different := strings.Contains(test.want, " no,") || strings.HasSuffix(test.want, " no")
			for _, ending := range []string{"html", "md"} {
				text := render(t, r, formats[ending])
				if len(test.remarks) == 0 && strings.Contains(text, "Not invited to") {
					t.Errorf("%s says that a candidate was not invited, which is not known:\n%s", ending, text)
				}
				for _, remark := range test.remarks {
					if !strings.Contains(text, remark) {
						t.Errorf("%s does not contain %q:\n%s", ending, remark, text)
					}
				}
				if strings.Contains(text, "Different assessments (") != different ||
					strings.Contains(text, "The ranking compares only scores that are based on exactly these assessments: ") != different {
					t.Errorf("%s has a mark and a caution: want %v:\n%s", ending, different, text)
				}
			}
		})
	}
}

// Progress counts the assessments to which the candidate was invited. An additional
// assessment of one candidate does not make others look unfinished.
func TestProgress(t *testing.T) {
	t.Parallel()
	extra := scored("extra", 1, "x", "y", "z")
	others := []report.Candidate{
		extra,
		scored("a", 2, "x", "y"),
		scored("b", 3, "x", "y"),
		{ID: "c", Results: []report.Result{}},
	}
	others = append(others, invited(scored("d", 1, "x"), "y", "INVITED"))
	text := render(t, one(others...), report.Report.Markdown)
	for _, want := range []string{
		"| b | 3 | 2 of 2 |", "| a | 2 | 2 of 2 |", "| extra | 1 | 3 of 3 |", "| d | 1 | 1 of 2 |", "| c | No score |  |",
		"3 of 5 candidates finished, 2 of them ranked. Not ranked:\n\n- 2 took different assessments than most candidates\n- 1 not invited yet\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result report.Result
		want   string
	}{
		"a percentile":     {report.Result{Percentile: number(0)}, "1 of 1"},
		"a classification": {report.Result{Classification: "AVERAGE"}, "1 of 1"},
		"a status":         {sitting("TESTED_WITH_RESULTS"), "1 of 1"},
		"the first of two": {sitting("TESTED_WITH_RESULTS", "INVITED"), "1 of 1"},
		"an expired one":   {sitting("EXPIRED"), "0 of 1"},
		"only an address":  {report.Result{Type: "SCORED", ReportURL: "https://assess.example.com"}, "0 of 1"},
		"a time": {
			report.Result{Invitations: []report.Invitation{{Status: "DONE"}, {Completed: "2026-03-03T10:00:00Z"}}}, "1 of 1",
		},
	} {
		r := one(report.Candidate{Name: "Ada", Results: []report.Result{test.result}})
		text := render(t, r, report.Report.Markdown)
		if !strings.Contains(text, "| Ada | No score | "+test.want+" |") {
			t.Errorf("%s: want %s in\n%s", name, test.want, text)
		}
	}
}

// sitting returns a result with invitations of these statuses.
func sitting(statuses ...string) (r report.Result) {
	for _, status := range statuses {
		r.Invitations = append(r.Invitations, report.Invitation{Status: status})
	}
	return r
}

func TestPresets(t *testing.T) {
	t.Parallel()
	candidates := []report.Candidate{
		scored("first", 9, "x", "y"), scored("second", 8, "x", "y"), scored("third", 8, "x", "y"), scored("other", 10, "x"),
		invited(scored("verifying", 7, "x", "y"), "z", "INVITED"),
		unscored(scored("half", 0, "x")),
		invited(unscored(scored("waiting", 0, "x")), "y", "INVITED"),
	}
	for name, test := range map[string]struct {
		options report.Options
		shows   string
		says    []string
	}{
		"none": {report.Options{}, "first second third verifying other half waiting", nil},
		"top": {
			report.Options{Top: 2},
			"first second",
			[]string{"Only the top 2 of the ranking", "Not shown: 1 with the same score as the last candidate shown"},
		},
		"more than exist": {
			report.Options{Top: 20}, "first second third verifying", []string{"Only the top 20 of the ranking"},
		},
		"finished": {
			report.Options{FinishedOnly: true}, "first second third other half", []string{"Finished candidates only"},
		},
		"both": {
			report.Options{FinishedOnly: true, Top: 10},
			"first second third",
			[]string{"Finished candidates only", "Only the top 10 of the ranking"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := one(candidates...)
			r.Options = test.options
			ids := strings.Fields(test.shows)
			if got := perCandidate(t, records(t, render(t, r, report.Report.CSV)), "candidate_id"); !slices.Equal(got, ids) {
				t.Errorf("CSV has %q, want %q", got, ids)
			}
			for _, ending := range []string{"html", "md"} {
				text := render(t, r, formats[ending])
				for _, c := range candidates {
					shown := strings.Contains(text, "<bdi>"+c.ID+"</bdi>") || strings.Contains(text, "| "+c.ID+" |")
					if shown != slices.Contains(ids, c.ID) {
						t.Errorf("%s shows %q: %v", ending, c.ID, shown)
					}
				}
				for _, says := range append(test.says, "7") {
					if !strings.Contains(text, says) {
						t.Errorf("%s does not contain %q", ending, says)
					}
				}
			}
			got := idsInJSON(t, r) // without options in the order of the service
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(ids))) {
				t.Errorf("JSON has %q, want %q", got, ids)
			}
		})
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	r := one(scored("a", 1, "x"))
	r.Sections[0].Title = "Backend Engineer"
	for _, text := range []string{render(t, r, report.Report.HTML), render(t, r, report.Report.Markdown)} {
		if strings.Count(text, "Backend Engineer") > 4 || !strings.Contains(text, "Confidential") ||
			strings.Contains(text, "Source") {
			t.Errorf("unexpected header in\n%s", text)
		}
	}
	r.Title, r.Options = "Spring", report.Options{
		Date:   "2026-03-05T23:30:00-02:00",
		Source: "assess.example.com",
		Public: true,
	}
	for _, text := range []string{render(t, r, report.Report.HTML), render(t, r, report.Report.Markdown)} {
		for _, want := range []string{"Spring", "Backend Engineer", "March 6, 2026", "assess.example.com", "Source"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if strings.Contains(text, "Confidential") {
			t.Error("a public report contains the confidentiality note")
		}
	}
}

func TestAssessmentNames(t *testing.T) {
	t.Parallel()
	r := one(scored("a", 2, "x", "y", "z"), scored("b", 1, "x", "y", "z"), scored("c", 1, "x"))
	r.Options.AssessmentNames = map[string]string{"x": "Numbers", "y": "Letters", "z": "Letters", "other": "Unused"}
	r.Sections[0].Benchmarks = map[string]string{"x": "Graduates"}
	for _, ending := range []string{"html", "md"} {
		text := render(t, r, formats[ending])
		for _, want := range []string{"Numbers", "Letters (y)", "Letters (z)", "missing: Letters (y), Letters (z)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", ending, want, text)
			}
		}
	}
	if text := render(t, r, report.Report.HTML); !strings.Contains(text, "compared with Graduates") {
		t.Errorf("no benchmark in\n%s", text)
	}
	rows := records(t, render(t, r, report.Report.CSV))
	if got := column(t, rows, "assessment_name")[:3]; !slices.Equal(
		got,
		[]string{"Numbers", "Letters (y)", "Letters (z)"},
	) {
		t.Errorf("the names are %q", got)
	}
	if got := column(t, rows, "benchmark")[:3]; !slices.Equal(got, []string{"Graduates", "", ""}) {
		t.Errorf("the benchmarks are %q", got)
	}
}
