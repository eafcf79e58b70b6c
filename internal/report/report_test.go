// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
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

func one(candidates ...assessapi.Candidate) report.Report {
	return report.Report{Sections: []report.Section{{Candidates: candidates}}}
}

// scored returns a candidate who has completed the assessments and has a score.
func scored(id string, score float64, assessments ...string) assessapi.Candidate {
	c := assessapi.Candidate{ID: id, Suitability: number(score), Results: []assessapi.Result{}}
	for _, assessment := range assessments {
		c.Results = append(c.Results, sat(assessment, "REPORT_ONLY", nil, ""))
	}
	return c
}

// invited adds an assessment that the candidate has not completed.
func invited(c assessapi.Candidate, assessment, status string) assessapi.Candidate {
	c.Results = append(slices.Clone(c.Results), assessapi.Result{
		AssessmentID: assessment, Invitations: []assessapi.Invitation{{Status: status}},
	})
	return c
}

func unscored(c assessapi.Candidate) assessapi.Candidate {
	c.Suitability = nil
	return c
}

// Each row has candidates, and what the report says about them in its order: ID, rank, whether the score
// is comparable, and why there is no rank.
func TestRanking(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		candidates []assessapi.Candidate
		want       string
	}{
		"the highest score is first, and candidates without a score are last": {
			[]assessapi.Candidate{{ID: "a"}, scored("b", 1, "x"), {ID: "c"}, scored("d", 2, "x")},
			"d 1 yes, b 2 yes, a - no score, c - no score",
		},
		"equal scores share a rank and keep their order": {
			[]assessapi.Candidate{scored("a", 5, "x"), scored("b", 7, "x"), scored("c", 5, "x"), scored("d", 1, "x")},
			"b 1 yes, a 2 yes, c 2 yes, d 4 yes",
		},
		"the order of assessments does not matter": {
			[]assessapi.Candidate{scored("a", 2, "x", "y"), scored("b", 1, "y", "x")},
			"a 1 yes, b 2 yes",
		},
		"a score over fewer assessments has no rank": {
			[]assessapi.Candidate{scored("a", 9, "x"), scored("b", 2, "x", "y"), scored("c", 1, "x", "y")},
			"b 1 yes, c 2 yes, a - no Different assessments: without y",
		},
		"a score over other assessments has no rank": {
			[]assessapi.Candidate{scored("a", 3, "x", "y"), scored("b", 2, "x", "y"), scored("c", 1, "z", "y")},
			"a 1 yes, b 2 yes, c - no Different assessments: without x; with z",
		},
		"of two sets that are as common, the larger counts": {
			[]assessapi.Candidate{scored("a", 2, "x"), scored("b", 1, "x", "y")},
			"b 1 yes, a - no Different assessments: without y",
		},
		"the majority may have completed less": {
			[]assessapi.Candidate{scored("a", 3, "x", "y"), scored("b", 2, "x"), scored("c", 1, "x")},
			"b 1 yes, c 2 yes, a - no Different assessments: with y",
		},
		"an assessment that is not completed does not count": {
			[]assessapi.Candidate{invited(scored("a", 2, "x", "y"), "z", "INVITED"), scored("b", 1, "x", "y")},
			"a 1 yes, b 2 yes",
		},
		"results that are not known": {
			[]assessapi.Candidate{{ID: "a", Suitability: number(3)}, scored("b", 2, "x"), scored("c", 1, ""), scored("d", 0), {ID: "e"}},
			"a 1, b 2 yes, c 3, d 4, e - no score",
		},
		"an open result may be about the missing assessment if it names none": {
			[]assessapi.Candidate{scored("a", 1, "x", "y"), invited(unscored(scored("b", 0, "x")), "", "INVITED")},
			"a 1 yes, b - no score",
		},
		"why there is no score": {
			[]assessapi.Candidate{
				scored("a", 1, "x", "y"), unscored(scored("b", 0, "x")), invited(unscored(scored("c", 0, "x")), "y", "EXPIRED"),
				invited(unscored(scored("d", 0, "x")), "y", "IN_PROGRESS"), unscored(scored("e", 0)),
			},
			"a 1 yes, b - no score Not invited to y, d - no score, c - no score, e - no score",
		},
	} {
		r := one(test.candidates...)
		rows := records(t, render(t, r, report.Report.CSV))
		ranks, comparable := perCandidate(t, rows, "rank"), perCandidate(t, rows, "comparable")
		remarks := regexp.MustCompile(`(?m)^\| [\d–]+ \|.*\| (.*) \|$`).FindAllStringSubmatch(render(t, r, report.Report.Markdown), -1)
		var got []string
		for i, id := range perCandidate(t, rows, "candidate_id") {
			got = append(got, strings.Join(strings.Fields(fmt.Sprint(id, " ", cmp.Or(ranks[i], "-"), " ", comparable[i], " ", remarks[i][1])), " "))
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%s: the ranking is %s, want %s", name, got, test.want)
		}
	}
}

// If the user has chosen assessments, the report names those that the ranking is based on.
func TestRankingOverChosenAssessments(t *testing.T) {
	t.Parallel()
	const sentence = "This ranking uses only "
	r := one(scored("a", 9, "x"), scored("b", 2, "x", "y"), scored("c", 1, "y", "x"))
	if text := render(t, r, report.Report.Markdown); strings.Contains(text, sentence) {
		t.Errorf("all assessments:\n%s", text)
	}
	r.Sections[0].Filtered = true
	if text := render(t, r, report.Report.Markdown); !strings.Contains(text, sentence+"x and y.") {
		t.Errorf("chosen assessments:\n%s", text)
	}
	if got := column(t, records(t, render(t, r, report.Report.CSV)), "ranked_over")[0]; got != "x, y" {
		t.Errorf("ranked_over is %q", got)
	}
	r.Sections[0].Candidates = []assessapi.Candidate{unscored(scored("a", 0, "x"))}
	if text := render(t, r, report.Report.Markdown); strings.Contains(text, sentence) {
		t.Errorf("no scores:\n%s", text)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	invitations := func(all ...assessapi.Invitation) assessapi.Result { return assessapi.Result{Invitations: all} }
	for name, test := range map[string]struct {
		result assessapi.Result
		want   string
	}{
		"a percentile":     {assessapi.Result{Percentile: number(0)}, "1 of 1"},
		"a classification": {assessapi.Result{Classification: "AVERAGE"}, "1 of 1"},
		"a status":         {invitations(assessapi.Invitation{Status: "TESTED_WITH_RESULTS"}), "1 of 1"},
		"the first of two": {invitations(assessapi.Invitation{Status: "TESTED_WITH_RESULTS"}, assessapi.Invitation{}), "1 of 1"},
		"a time":           {invitations(assessapi.Invitation{}, assessapi.Invitation{Completed: "2026-03-03T10:00:00Z"}), "1 of 1"},
		"an expired one":   {invitations(assessapi.Invitation{Status: "EXPIRED"}), "0 of 1"},
		"placeholders": {assessapi.Result{
			Percentile: number(0), Classification: "AVERAGE", Validity: "INVALID",
			Invitations: []assessapi.Invitation{{Status: "EXPIRED"}, {Status: "INVITED"}},
		}, "0 of 1"},
		"only a time":     {invitations(assessapi.Invitation{Status: "INVITED", Completed: "2026-03-03"}), "0 of 1"},
		"only an address": {assessapi.Result{Type: "SCORED", ReportURL: "https://assess.example.com"}, "0 of 1"},
	} {
		ada := assessapi.Candidate{Name: "Ada", Results: []assessapi.Result{test.result}}
		text := render(t, one(ada), report.Report.Markdown)
		if !strings.Contains(text, "| Ada | No score | "+test.want+" |") || test.want == "0 of 1" && strings.Contains(text, "✓") {
			t.Errorf("%s: want %s in\n%s", name, test.want, text)
		}
		if noResult := strings.Contains(text, "| Ada | Assessment |  |  |"); noResult != (test.want == "0 of 1") {
			t.Errorf("%s: no result is %t in\n%s", name, noResult, text)
		}
	}
}

// Whoever has an open invitation has not finished, also if another result does not say which assessment it is about.
func TestOpenInvitationBesideUnnamedResult(t *testing.T) {
	t.Parallel()
	ada := invited(unscored(scored("ada", 0, "")), "x", "INVITED")
	if text := render(t, one(ada), report.Report.Markdown); !strings.Contains(text, "1 not finished yet") {
		t.Errorf("no candidate is called unfinished in\n%s", text)
	}
}

// In the table by assessment, a dash means "not invited", so candidates whose results are not known have empty cells.
func TestCellsOfUnknownResults(t *testing.T) {
	t.Parallel()
	text := render(t, one(
		scored("a", 9, "x"), assessapi.Candidate{ID: "b", Suitability: number(8)}, scored("c", 7),
		assessapi.Candidate{ID: "d"}, unscored(scored("e", 0)),
	), report.Report.HTML)
	for id, want := range map[string]string{"b": "<td>", "c": "<td>", "d": "<td>", "e": "<td class=o>–"} {
		if cells := "<th scope=row><bdi>" + id + "</bdi>" + want + "\n"; !strings.Contains(text, cells) {
			t.Errorf("no %q in\n%s", cells, text)
		}
	}
}

// Options limit the candidates that a report shows. The report says so, and how many there are.
func TestPresets(t *testing.T) {
	t.Parallel()
	candidates := []assessapi.Candidate{
		scored("first", 9, "x", "y"), scored("second", 8, "x", "y"), scored("third", 8, "x", "y"),
		scored("other", 10, "x"), invited(scored("verifying", 7, "x", "y"), "z", "INVITED"),
		unscored(scored("half", 0, "x")), invited(unscored(scored("waiting", 0, "x")), "y", "INVITED"),
	}
	for _, test := range []struct {
		options report.Options
		shows   string
		says    []string
	}{
		{report.Options{}, "first second third verifying other half waiting", nil},
		{
			report.Options{Top: 2},
			"first second",
			[]string{"Only the top 2 of the ranking", "Not shown: 1 with the same score as the last candidate shown"},
		},
		{report.Options{FinishedOnly: true}, "first second third other half", []string{"Finished candidates only"}},
		{
			report.Options{FinishedOnly: true, Top: 10},
			"first second third",
			[]string{"Finished candidates only", "Only the top 10 of the ranking"},
		},
	} {
		r := one(candidates...)
		r.Options = test.options
		rows := records(t, render(t, r, report.Report.CSV))
		if got := strings.Join(slices.Compact(column(t, rows, "candidate_id")), " "); got != test.shows {
			t.Errorf("%+v: the report shows %s, want %s", test.options, got, test.shows)
		}
		text := render(t, r, report.Report.Markdown)
		for _, says := range append(test.says, "5 of 7 candidates finished, 4 ranked. Not finished: 2.") {
			if !strings.Contains(text, says) {
				t.Errorf("%+v: no %q in\n%s", test.options, says, text)
			}
		}
	}
}

// Pages can be recognized by the beginning that files.Folder reads, and other files are no pages.
func TestIsPage(t *testing.T) {
	t.Parallel()
	x := report.Index{Report: one(scored("a", 1, "x")), Pages: []string{"a.html"}, Table: "results.csv"}
	for name, html := range map[string]func(io.Writer) error{"page": x.Report.HTML, "index": x.HTML} {
		var page strings.Builder
		if err := html(&page); err != nil || !report.IsPage([]byte(page.String()[:4096])) {
			t.Errorf("the %s is not recognized: %v", name, err)
		}
	}
	if report.IsPage([]byte("<html>mine</html>")) {
		t.Error("another file is recognized as a page")
	}
}

// Every attribute is in the file, and what is not known is null. Without options, candidates keep their
// order.
func TestJSON(t *testing.T) {
	t.Parallel()
	full := scored("a", 82.4, "x")
	full.Name, full.ReportURL = "Ada", "https://assess.example.com/a"
	full.Results[0].Percentile, full.Results[0].Classification, full.Results[0].Validity = number(0), "AVERAGE", "VALID"
	r := report.Report{Sections: []report.Section{{
		PositionID: "pos-1", Title: "Engineer",
		Candidates: []assessapi.Candidate{{Results: []assessapi.Result{{Invitations: []assessapi.Invitation{{}}}}}, full},
	}}}
	var got, want any
	if err := json.Unmarshal([]byte(render(t, r, report.Report.JSON)), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"positions": [{"position_id": "pos-1", "title": "Engineer", "candidates": [
		{"id": null, "name": null, "report_url": null, "suitability": null, "results": [{
			"assessment_id": null, "type": null, "report_url": null, "percentile": null, "classification": null,
			"validity": null, "invitations": [{
				"id": null, "type": null, "status": null, "expiry": null, "created": null, "completed": null}]}]},
		{"id": "a", "name": "Ada", "report_url": "https://assess.example.com/a", "suitability": 82.4, "results": [{
			"assessment_id": "x", "type": "REPORT_ONLY", "report_url": "https://assess.example.com/report/x", "percentile": 0,
			"classification": "AVERAGE", "validity": "VALID", "invitations": [{
				"id": "inv-x", "type": "REMOTE", "status": "TESTED_WITH_RESULTS", "expiry": "2026-03-15",
				"created": "2026-03-01T09:00:00Z", "completed": "2026-03-03T17:45:00.5Z"}]}]}
	]}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the file is\n%s", render(t, r, report.Report.JSON))
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
		"<b>&amp;":                  `\<b\>\&·amp;`,
		"[x](http://e.example)":     `\[·x\](http:·//e.example)`,
		"www.e.example":             `www·.e.example`,
		"a@e.example":               "a@·e.example",
		"\u202eevil\u2066":          "evil",
		"*_~#!$":                    `\*\_\~\#\!\$`,
		"#12 !7 GH-12 JOB-9":        `\#·12 \!·7 GH-·12 JOB-·9`,
		":tada: 1:30 a: b":          `:·tada: 1:·30 a: b`,
		"0123456789abcdef":          "012345·6789ab·cdef",
		"mailto:a":                  "mailto:·a",
	} {
		want = strings.ReplaceAll(want, "·", "\u2060") // an invisible character
		text := render(t, one(assessapi.Candidate{Name: name}), report.Report.Markdown)
		if !strings.Contains(text, "\n| – | "+want+" | No score |  |  |\n") {
			t.Errorf("%q did not become %q:\n%s", name, want, text)
		}
	}
}
