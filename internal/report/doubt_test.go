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

// A result is in doubt if the answer check found a problem, or an open supervised test may change it.
func TestDoubtfulResults(t *testing.T) {
	t.Parallel()
	const open = "The candidate must still repeat this test under supervision, so the result may change"
	supervised := func(i assessapi.Invitation) func(*assessapi.Result) {
		i.Type = "SUPERVISED"
		return func(r *assessapi.Result) { r.Invitations = append(r.Invitations, i) }
	}
	for name, test := range map[string]struct {
		change func(*assessapi.Result)
		remark string
	}{
		"no check":               {func(*assessapi.Result) {}, ""},
		"passed":                 {func(r *assessapi.Result) { r.Validity = "VALID" }, ""},
		"not passed":             {func(r *assessapi.Result) { r.Validity = "INVALID" }, "Answer check: not passed"},
		"with caution":           {func(r *assessapi.Result) { r.Validity = "INTERPRET_WITH_CAUTION" }, "Answer check: interpret with caution"},
		"something new":          {func(r *assessapi.Result) { r.Validity = "NOT_CHECKED_YET" }, "Answer check: Not checked yet"},
		"open":                   {supervised(assessapi.Invitation{Status: "INVITED"}), open},
		"expired":                {supervised(assessapi.Invitation{Status: "EXPIRED"}), ""},
		"completed":              {supervised(assessapi.Invitation{Completed: "2026-03-03"}), ""},
		"open, without a result": {func(r *assessapi.Result) { *r = assessapi.Result{}; supervised(assessapi.Invitation{})(r) }, ""},
	} {
		c := scored("a", 9, "x")
		test.change(&c.Results[0])
		text, doubtful := render(t, one(c), report.Report.Markdown), "no"
		if test.remark != "" {
			doubtful = "yes"
		}
		if strings.Contains(text, "| ⚠\ufe0e x – "+test.remark+" |\n") != (test.remark != "") || strings.Contains(text, "⚠") != (test.remark != "") {
			t.Errorf("%s: want %q in\n%s", name, test.remark, text)
		}
		if got := column(t, records(t, render(t, one(c), report.Report.CSV)), "doubtful")[0]; got != doubtful {
			t.Errorf("%s: CSV has %q", name, got)
		}
	}
}

// ranks returns a report on candidates with the ranks 1 to n, of whom some are doubtful.
func ranks(n int, doubtful ...int) report.Report {
	all := []assessapi.Candidate{}
	for rank := 1; rank <= n; rank++ {
		c := scored(fmt.Sprint(rank), float64(-rank), "x")
		if slices.Contains(doubtful, rank) {
			c.Results[0].Validity = "INVALID"
		}
		all = append(all, c)
	}
	return one(all...)
}

// An index names who is ahead in each position.
func TestLeaders(t *testing.T) {
	t.Parallel()
	tied, crowd := ranks(3, 1), ranks(1)
	tied.Sections[0].Candidates = append(tied.Sections[0].Candidates, scored("1b", -1, "x"))
	crowd.Sections[0].Candidates = slices.Repeat(crowd.Sections[0].Candidates, 4)
	for want, r := range map[string]report.Report{
		"Ahead: 1 (−1)": one(scored("1", -1, "x"), scored("2", -2, "x")),
		"The only ranked candidate: 1 ⚠\ufe0e (−1)":    ranks(1, 1),
		"Ahead: 1 ⚠\ufe0e, 1b (−1)":                    tied,
		"Ahead: 4 candidates with the same score (−1)": crowd,
		"Ahead: a (79.64)":                             one(scored("a", 79.64), scored("b", 79.6)),
	} {
		var page strings.Builder
		if err := (report.Index{Report: r, Pages: []string{"a.html"}}).HTML(&page); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("<bdi>", "", "</bdi>", "").Replace(page.String())
		if !strings.Contains(text, "<small>"+want+"</small>") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
