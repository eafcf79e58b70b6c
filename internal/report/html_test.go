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

func TestOnlyWebAddressesBecomeLinks(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]int{
		"https://assess.example.com/r/1?a=b&c=d": 2, // of the candidate and of the result
		"http://localhost:8080/r":                2,
		"HTTPS://assess.example.com/":            2,
		"":                                       0,
		"javascript:alert(1)":                    0,
		"JaVaScRiPt://assess.example.com/%0aalert(1)": 0,
		"data:text/html,x":                            0,
		"//assess.example.com/r":                      0,
		"/r/1":                                        0,
		"https:evil":                                  0,
		"file:///etc/passwd":                          0,
		"https://exa mple.com/":                       0,
		"https://example.com/\n)":                     0,
	} {
		r := one(report.Candidate{Name: "Ada", ReportURL: address, Results: []report.Result{{ReportURL: address}}})
		if got := strings.Count(render(t, r, report.Report.HTML), "<i> Ada</i></a>"); got != want {
			t.Errorf("HTML has %d links to %q, want %d", got, address, want)
		}
		if text := render(t, r, report.Report.Markdown); strings.Contains(text, "](") || strings.Contains(text, "://") {
			t.Errorf("Markdown links to %q:\n%s", address, text)
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
		{"en", []float64{79.64, 79.61, 79.6, 79.55}, []string{"79.64", "79.61", "79.60", "79.55"}},
		{"en", []float64{1234.5, -1234}, []string{"1,234.5", "−1,234.0"}},
		{"de", []float64{1234567, 5}, []string{"1.234.567", "5"}},
		{"fr", []float64{12345.5, 5}, []string{"12\u202f345,5", "5,0"}},
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

// The bars of scores with a rank begin at zero and end at the score. Negative scores have
// a bar to the left of zero. The bars of percentiles end at 100.
func TestBars(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scores []float64
		bars   []string
		zero   string
	}{
		{[]float64{80, 40, 0}, []string{"0;--b:100", "0;--b:50", "0;--b:0"}, ""},
		{[]float64{400, 100}, []string{"0;--b:100", "0;--b:25"}, ""},
		{[]float64{10, -10}, []string{"50;--b:100", "0;--b:50"}, "50"},
		{[]float64{-10, -20}, []string{"50;--b:100", "0;--b:100"}, "100"},
		{[]float64{0}, []string{"0;--b:0"}, ""},
		{[]float64{1.7e308, -1.7e308}, []string{"50;--b:100", "0;--b:50"}, "50"},
	} {
		var candidates []report.Candidate
		for _, n := range test.scores {
			candidates = append(candidates, report.Candidate{Suitability: &n})
		}
		text := render(t, one(candidates...), report.Report.HTML)
		for _, bar := range test.bars {
			if !strings.Contains(text, "<td style=--a:"+bar+"><b>") {
				t.Errorf("%v have no bar of %s:\n%s", test.scores, bar, withoutStyle(text))
			}
		}
		if strings.Contains(text, `style="--z:`+test.zero+`"`) != (test.zero != "") {
			t.Errorf("%v: want zero at %q", test.scores, test.zero)
		}
	}
	for percentile, want := range map[float64]string{-5: "0", 0: "0", 50: "50", 100: "100", 250: "100"} {
		r := one(report.Candidate{Results: []report.Result{{Percentile: &percentile}}})
		if text := render(t, r, report.Report.HTML); !strings.Contains(text, "<td style=--v:"+want+">") {
			t.Errorf("percentile %v has no bar of %s", percentile, want)
		}
	}
}

// A percentile below 100 is never written as 100, and its shade follows its exact value.
func TestPercentilesAreNotRoundedUp(t *testing.T) {
	t.Parallel()
	var candidates []report.Candidate
	for _, n := range []float64{99.95, 79.5, 80} {
		candidates = append(candidates, report.Candidate{Results: []report.Result{sat("x", "SCORED", &n, "")}})
	}
	text := render(t, one(candidates...), report.Report.HTML)
	for _, want := range []string{"<td class=p4>99.9", "<td class=p3>79.5", "<td class=p4>80.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The numbers below the chart differ from each other, and each score draws a bar.
func TestDistribution(t *testing.T) {
	t.Parallel()
	edge := regexp.MustCompile(`class="edge"[^>]*>([^<]*)`)
	for name, scores := range map[string][]float64{
		"close":  {79.64, 79.61, 79.6, 79.55, 79.5, 79.41},
		"small":  {0.88, 0.881, 0.8825, 0.886, 0.89},
		"single": append(slices.Repeat([]float64{50.5}, 538), 20),
	} {
		var candidates []report.Candidate
		for _, n := range scores {
			candidates = append(candidates, report.Candidate{Suitability: &n})
		}
		text := render(t, one(candidates...), report.Report.HTML)
		found := edge.FindAllStringSubmatch(text, -1)
		for i := 1; i < len(found); i++ {
			if found[i][1] == found[i-1][1] {
				t.Errorf("%s: two edges are %s", name, found[i][1])
			}
		}
		if len(found) < 2 || strings.Count(text, "</text>") < 1+len(found) {
			t.Errorf("%s: no chart in\n%s", name, text)
		}
		for _, bar := range regexp.MustCompile(`height="0"/><text`).FindAllString(text, -1) {
			t.Errorf("%s: a count without a bar: %s", name, bar)
		}
	}
}
