// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// doubtful returns reports whose best result is doubtful.
func doubtful() map[string]report.Report {
	invalid := scored("invalid", 9, "x", "y")
	invalid.Results[1].Validity = "INVALID"
	careful := scored("careful", 9, "x", "y")
	careful.Results[0].Validity = "INTERPRET_WITH_CAUTION"
	open := scored("open", 9, "x", "y")
	open.Results[0].Invitations = append(open.Results[0].Invitations,
		report.Invitation{Type: "SUPERVISED", Status: "INVITED", Expiry: "2039-12-31"})
	fine := scored("fine", 5, "x", "y")
	fine.Results[0].Validity = "VALID"
	fine.Results[1].Invitations = append(
		fine.Results[1].Invitations,
		report.Invitation{
			Type:   "SUPERVISED",
			Status: "EXPIRED",
		},
		report.Invitation{Type: "SUPERVISED", Completed: "2026-03-03"},
	)
	return map[string]report.Report{
		"Answer check: not passed (y)":                            one(invalid, fine),
		"Answer check: interpret with caution (x)":                one(careful, fine),
		"supervised test still open, so the score may change (x)": one(open, fine),
	}
}

// A doubtful result is marked in the row of the ranking, in the table by assessment, in
// the details and above the ranking. Other results are not.
func TestDoubtfulResultsAreMarked(t *testing.T) {
	t.Parallel()
	for remark, r := range doubtful() {
		doubt, _, _ := strings.Cut(remark, " (")
		html, markdown := withoutStyle(render(t, r, report.Report.HTML)), render(t, r, report.Report.Markdown)
		for _, want := range []string{
			"<small class=\"w\">⚠\ufe0e " + remark + "</small>", "<td>Done ⚠\ufe0e", "<small class=w>⚠\ufe0e " + doubt + "</small>",
			"⚠\ufe0e Result in doubt: 1 of 2 ranked candidates (rank 1).</span>",
		} {
			if strings.Count(html, want) != 1 {
				t.Errorf("%s: %d times %q in\n%s", remark, strings.Count(html, want), want, html)
			}
		}
		if !strings.Contains(markdown, "⚠\ufe0e Result in doubt: 1 of 2 ranked candidates (rank 1).\n") || strings.Count(markdown, "⚠\ufe0e "+remark) != 1 {
			t.Errorf("%s: no mark in\n%s", remark, markdown)
		}
		if got := perCandidate(
			t,
			records(t, render(t, r, report.Report.CSV)),
			"doubtful",
		); !slices.Equal(
			got,
			[]string{"yes", "no"},
		) {
			t.Errorf("%s: CSV has %q", remark, got)
		}
	}
}

// Above the ranking, a report says who is ahead, why candidates have no rank, and what
// the scores do not say.
func TestBeginning(t *testing.T) {
	t.Parallel()
	text := render(t, one(
		scored("a", 9, "x", "y"), scored("b", 9, "x", "y"), scored("c", 8, "x", "y"), scored("other", 99, "x"),
		unscored(scored("partial", 0, "x")), invited(unscored(scored("late", 0, "x")), "y", "EXPIRED"),
		invited(unscored(scored("waiting", 0, "x")), "y", "INVITED"),
	), report.Report.HTML)
	beginning, _, _ := strings.Cut(withoutStyle(text), "<table")
	for _, want := range []string{
		"<p>5 of 7 candidates finished, 3 of them ranked. Not ranked:</p>\n<ul class=\"others\">\n" +
			"<li>1 took different assessments than most candidates</li>\n<li>1 finished, but not invited to every assessment</li>\n" +
			"<li>1 not finished yet</li>\n<li>1 with an expired invitation</li>\n</ul>",
		"<b>Ahead</b>: <bdi>a</bdi>, <bdi>b</bdi> (9). <b>Next</b>: <bdi>c</bdi> (8). <b>Gap</b>: 1. " +
			"<span>No ranked candidate has a result in doubt.</span>",
		"80 does not mean 80 percent. Small differences may mean nothing.", "do not reject anyone because of a rank",
	} {
		if !strings.Contains(beginning, want) {
			t.Errorf("no %q in\n%s", want, beginning)
		}
	}
	if markdown := render(t, one(scored("a", 79.64), scored("b", 79.6)), report.Report.Markdown); !strings.Contains(
		markdown, "\nAhead: a (79.64). Next: b (79.60). Gap: 0.04.\n",
	) {
		t.Errorf("no gap in\n%s", markdown)
	}
	if strings.Contains(beginning, "option top") {
		t.Errorf("unexpected text in\n%s", beginning)
	}
	if text := render(t, thousands(2000), report.Report.HTML); !strings.Contains(text, "2,000 of 2,000 candidates finished, 2,000 of them ranked.") ||
		!strings.Contains(text, "option top") || !strings.Contains(text, "<td>2,000<th") {
		t.Error("a long report has no separators, or does not suggest the option top")
	}
}

// French has a space before colons and semicolons, which does not break a line.
func TestFrenchPunctuation(t *testing.T) {
	t.Parallel()
	for name, r := range doubtful() {
		r.Sections = append(demo(66).Sections, r.Sections...)
		r.Options = report.Options{Language: "fr", Date: "2026-03-30", Source: "assess.example.com"}
		text := render(t, r, report.Report.Markdown)
		if wrong := regexp.MustCompile(`.{0,20}[\pL\pN)»][:;] .{0,20}`).FindString(text); wrong != "" {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

// Above the ranking, a report names the ranks whose results are doubtful, even if the options
// hide them. It says so if there are none, unless the results are not known.
func TestRanksInDoubt(t *testing.T) {
	t.Parallel()
	// candidates returns candidates with the ranks 1 to n, of whom some are doubtful.
	candidates := func(n int, doubtful ...int) report.Report {
		all := []report.Candidate{}
		for rank := 1; rank <= n; rank++ {
			c := scored(fmt.Sprint(rank), float64(-rank), "x")
			if slices.Contains(doubtful, rank) {
				c.Results[0].Validity = "INVALID"
			}
			all = append(all, c)
		}
		return one(all...)
	}
	limited := candidates(20, 12)
	limited.Options.Top = 5
	tied := candidates(3, 2)
	tied.Sections[0].Candidates = append(tied.Sections[0].Candidates, tied.Sections[0].Candidates[1])
	for want, r := range map[string]report.Report{
		"No ranked candidate has a result in doubt.":                                             candidates(3),
		"Result in doubt: 1 of 3 ranked candidates (rank 2).":                                    candidates(3, 2),
		"Result in doubt: 2 of 4 ranked candidates (rank 2).":                                    tied,
		"Result in doubt: 2 of 9 ranked candidates (ranks 1, 3).":                                candidates(9, 1, 3),
		"Result in doubt: 1 of 20 ranked candidates (rank 12). None among the first 11.":         limited,
		"Result in doubt: 11 of 12 ranked candidates (ranks 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …).": candidates(12, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
	} {
		for _, ending := range []string{"html", "md"} {
			text := render(t, r, formats[ending])
			if !strings.Contains(text, want+"<") && !strings.Contains(text, want+"\n") {
				t.Errorf("%s: no %q in\n%s", ending, want, withoutStyle(text))
			}
		}
	}
	unknown := one(report.Candidate{Suitability: number(2)}, scored("known", 1, "x"))
	if text := render(t, unknown, report.Report.Markdown); strings.Contains(text, "doubt") {
		t.Errorf("a sentence about results that are not known:\n%s", text)
	}
}

// A report about several positions says that their scores must not be compared.
func TestSeveralPositions(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{
		"en": "Do not compare scores across positions.",
		"de": "Werte verschiedener Stellen sind nicht vergleichbar.",
		"fr": "Les scores de postes différents ne se comparent pas.",
	} {
		r := demo(12)
		r.Options.Language = language
		for positions := range 3 {
			for _, ending := range []string{"html", "md"} {
				if text := render(t, r, formats[ending]); strings.Contains(text, want) != (positions > 0) {
					t.Errorf("%s, %s, %d positions:\n%s", language, ending, positions+1, withoutStyle(text))
				}
			}
			r.Sections = append(r.Sections, report.Section{Title: "Nobody yet"})
		}
	}
}
