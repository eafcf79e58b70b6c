// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// loginURL lets someone sign in. It is in the record of a candidate, and in no report.
const loginURL = "https://login.example.com/1"

// hostile are texts that careless reports handle wrongly, and what would then be in a form of a report.
var hostile = []struct{ text, form, wrong string }{
	{"<script>alert(1)</script>", "html", "<script"},
	{`"><b onclick=x>`, "html", "<b onclick"},
	{`</style></title>"}<!--`, "html", "</style></title>|<!--"},
	{"javascript:alert(1)", "html", `href="javascript:`},
	{"//evil.example/r", "html", `href="//`},
	{"=1+1", "csv", `(?m)(^|[,;"])=1`},
	{"x\n| y | <b>", "md", `(?m)^\| y|[^\\]<b`},
	{"[a](b) `c` *d* ~e~ @f #1", "md", "[^\\\\][\\[`*~]|@f|#1"},
	{"a\x00b\x1b[31mc\u202ed\u2067e\u2028f\x9bg\u00a0\th", "", control},
	{"https://e.example/?a\u009b[2J\u202eb", "", control},
}

// control matches what a terminal obeys, and what changes the direction of a whole line, also as an escape of JSON or
// HTML.
const control = `[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\x{2028}\x{202e}\x{2067}]|\\u00[0189]|\\u20|&#27;`

// footer matches the only text in a style sheet. No text ends its string.
var footer = regexp.MustCompile(`@bottom-left \{ content: "((?:[^"\\\n]|\\.)*)"; \}\n`)

// No text of the service becomes markup, a link, a formula or a control character, in any form of a report and wherever
// it is in the results. TestCSVCells, TestMarkdownCells and TestSafeLink say what becomes of it.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, h := range hostile {
		r := everyText(t, h.text)
		if got := r.Shown()[0].Candidates[0].Results[0].Invitations[0].LoginURL; got != "" {
			t.Errorf("%q: the candidates shown have the sign-in address %q", h.text, got)
		}
		for form, content := range forms(t, r) {
			if strings.HasSuffix(form, "html") && !footer.MatchString(content) {
				t.Errorf("%q in %s ends the string in the style sheet", h.text, form)
			}
			content = withoutStyle(content)
			if found := regexp.MustCompile(h.wrong).FindString(content); found != "" && strings.HasSuffix(form, h.form) {
				t.Errorf("%q in %s: %q", h.text, form, found)
			}
			if strings.Contains(content, "login.example.com") {
				t.Errorf("%s shows a sign-in address", form)
			}
		}
	}
}

// everyText returns a report in which an attacker has chosen every text.
func everyText(t *testing.T, text string) report.Report {
	t.Helper()
	c := assessapi.Candidate{ID: text, Name: text, ReportURL: text, Suitability: number(1), Results: []assessapi.Result{{
		AssessmentID: text, Type: text, ReportURL: text, Percentile: number(-1.5), Classification: text, Validity: text,
		Invitations: []assessapi.Invitation{
			{ID: text, Type: text, Status: text, Expiry: text, Created: text, Completed: text, LoginURL: loginURL},
		},
	}}}
	earlier, err := report.ReadEarlier(strings.NewReader("position,candidate_id,candidate_name,rank,finished\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	return report.Report{
		Title: text, Home: "index.html", Earlier: earlier,
		Sections: slices.Repeat([]report.Section{{
			PositionID: text, Title: text, Candidates: []assessapi.Candidate{c, c, {Name: text}},
			Assessments: []string{text}, Benchmarks: map[string]string{text: text},
			RankedOver: []string{text}, Without: []string{text},
		}}, 2),
		Options: report.Options{Source: text, Date: text, AssessmentNames: map[string]string{text: text}},
	}
}

// forms returns a report in each form.
func forms(t *testing.T, r report.Report) map[string]string {
	t.Helper()
	all := map[string]string{}
	for ending, write := range formats {
		all[ending] = render(t, r, write)
	}
	r.Options.Wide = true
	all["wide csv"] = render(t, r, report.Report.CSV)
	x := report.Index{Report: r, Pages: []string{"page.html", "page.html"}, Table: "results.csv"}
	for _, s := range r.Sections {
		x.Empty, x.Missing = append(x.Empty, s.Title), append(x.Missing, report.Missing{Name: s.Title, Reason: report.Gone})
	}
	var index strings.Builder
	if err := x.HTML(&index); err != nil {
		t.Fatal(err)
	}
	all["index html"] = index.String()
	return all
}
