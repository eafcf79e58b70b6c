// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

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
		r := one(
			report.Candidate{
				Name:      "Ada",
				ReportURL: address,
				Results:   []report.Result{{AssessmentID: "x", ReportURL: address}},
			},
		)
		text := render(t, r, report.Report.HTML)
		if got := strings.Contains(text, "<i> Ada</i></a>"); got != want {
			t.Errorf("HTML links to %q: %v, want %v", address, got, want)
		}
		text = render(t, r, report.Report.Markdown)
		if strings.Contains(text, "](") ||
			strings.Contains(text, "://") {
			t.Errorf("Markdown links to %q:\n%s", address, text)
		}
	}
}

// The text of each link to a report contains the name of the candidate.
func TestLinksNameTheCandidate(t *testing.T) {
	t.Parallel()
	text := render(t, demo(66), report.Report.HTML)
	links := strings.Split(text, `<a href="https://`)[1:]
	if len(links) < 66*4 {
		t.Fatalf("%d links", len(links))
	}
	for _, link := range links {
		if inner, _, _ := strings.Cut(link, "</a>"); !strings.Contains(inner, "<i> ") {
			t.Errorf("a link without a name: %s", inner)
		}
	}
}

func TestNumbersAlign(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language string
		numbers  []float64
		want     []string
	}{
		{"en", []float64{91.4, 74, 70.125}, []string{"91.4", "74.0", "70.1"}},
		{"de", []float64{91.4, 74, 70.125}, []string{"91,4", "74,0", "70,1"}},
		{"en", []float64{91, 74}, []string{"91", "74"}},
		{"en", []float64{4.25, 3.125}, []string{"4.25", "3.13"}},
		{"en", []float64{0.8241, 0.5}, []string{"0.824", "0.500"}},
		{"fr", []float64{20, -0.04}, []string{"20,0", "0,0"}},
		{"en", []float64{1e15, 3}, []string{"1.0e15", "3.0e00"}},
	} {
		var candidates []report.Candidate
		for i, n := range test.numbers {
			candidates = append(candidates, report.Candidate{Name: fmt.Sprintf("name-%c", 'a'+i), Suitability: &n})
		}
		r := one(candidates...)
		r.Options.Language = test.language
		html, markdown := render(t, r, report.Report.HTML), render(t, r, report.Report.Markdown)
		for i, want := range test.want {
			if !strings.Contains(html, "<b>"+want+"</b>") ||
				!strings.Contains(markdown, fmt.Sprintf("| name-%c | %s |", 'a'+i, want)) {
				t.Errorf("%v is not written as %s in %s:\n%s", test.numbers[i], want, test.language, markdown)
			}
		}
	}
}

// The bars of scores start at zero, or at the lowest score if that is negative, and end
// at the highest score. The bars of percentiles end at 100.
func TestBars(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scores []float64
		shares []string
	}{
		{[]float64{80, 40, 0}, []string{"100", "50", "0"}},
		{[]float64{400, 100}, []string{"100", "25"}},
		{[]float64{10, -10}, []string{"100", "0"}},
		{[]float64{-10, -20}, []string{"100", "0"}},
		{[]float64{0}, []string{"0"}},
		{[]float64{1.7e308, -1.7e308}, []string{"100", "0"}},
	} {
		var candidates []report.Candidate
		for _, n := range test.scores {
			candidates = append(candidates, report.Candidate{Suitability: &n})
		}
		text := render(t, one(candidates...), report.Report.HTML)
		for _, share := range test.shares {
			if !strings.Contains(text, "<td style=--v:"+share+"><b>") {
				t.Errorf("%v have no bar of %s:\n%s", test.scores, share, text)
			}
		}
	}
	for percentile, want := range map[float64]string{-5: "0", 0: "0", 50: "50", 100: "100", 250: "100"} {
		r := one(report.Candidate{Results: []report.Result{{Percentile: &percentile}}})
		if text := render(t, r, report.Report.HTML); !strings.Contains(text, "<td style=--v:"+want+">") {
			t.Errorf("percentile %v has no bar of %s", percentile, want)
		}
	}
}
