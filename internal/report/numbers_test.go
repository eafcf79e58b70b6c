// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// All numbers under one heading have as many decimals as distinguish them.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language string
		numbers  []float64
		want     []string
	}{
		{"en", []float64{91.4, 74, 70.125}, []string{"91.4", "74.0", "70.1"}},
		{"en", []float64{0.8241, 0.5}, []string{"0.8", "0.5"}},
		{"fr", []float64{20, -0.04}, []string{"20,0", "0,0"}},
		{"en", []float64{79.64, 79.61, 79.6, 79.55}, []string{"79.64", "79.61", "79.60", "79.55"}},
		{"en", []float64{0.5, 1e308}, []string{"0.5", wordsOf("en").grouped(strconv.FormatFloat(1e308, 'f', 0, 64)) + ".0"}},
		{"en", []float64{1234.5, -1234}, []string{"1,234.5", "−1,234.0"}},
		{"de", []float64{1234567, 5}, []string{"1.234.567", "5"}},
		{"fr", []float64{12345.5, 5}, []string{"12\u202f345,5", "5,0"}},
	} {
		for i, n := range test.numbers {
			if got := scoreScale(test.numbers).text(n, wordsOf(test.language)); got != test.want[i] {
				t.Errorf("%v is %q in %s, want %q", n, got, test.language, test.want[i])
			}
		}
	}
	for n, want := range map[float64]string{99.95: "99.9", 100: "100.0", 79.96: "80.0"} {
		if got := (scale{high: 100, decimals: 1}).percentile(n, wordsOf("en")); got != want {
			t.Errorf("the percentile %v is %q, want %q, because only 100 is 100", n, got, want)
		}
	}
}

// Bars begin at zero, or at the lowest number if it is negative.
func TestBars(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		numbers []float64
		want    string
	}{
		{[]float64{80, 40, 0}, "[100 50 0]"},
		{[]float64{10, 0, -10}, "[100 50 0]"},
		{[]float64{-10, -20}, "[50 0]"},
		{[]float64{0}, "[0]"},
		{[]float64{1.7e308, -1.7e308}, "[100 0]"},
	} {
		bars := []int{}
		for _, n := range test.numbers {
			bars = append(bars, scaleOf(test.numbers).position(n))
		}
		if got := fmt.Sprint(bars); got != test.want {
			t.Errorf("the bars of %v end at %s, want %s", test.numbers, got, test.want)
		}
	}
	for percentile, want := range map[float64]int{-5: 0, 0: 0, 50: 50, 100: 100, 250: 100} {
		if got := (scale{high: 100}).position(percentile); got != want {
			t.Errorf("the bar of the percentile %v ends at %d, want %d", percentile, got, want)
		}
	}
}

// The chart counts every score, and each count has a bar.
func TestDistribution(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		scores []float64
		texts  string // the counts of ten ranges
		label  string
	}{
		"even":   {[]float64{0, 5, 10, 50, 99, 100}, "2 1    1    2", "Candidates by suitability: 0–10: 2; 10–20: 1; 20–30: 0; "},
		"single": {append([]float64{20}, slices.Repeat([]float64{50.5}, 1538)...), "1         1,538", "20.0–23.1: 1; "},
		"close":  {[]float64{70, 71, 72, 73, 75}, "1  1  1  1   1", "70.0–70.5: 1; 70.5–71.0: 0; 71.0–71.5: 1; "},
		"far":    {[]float64{-1.7e308, 0, 0, 0, 1.7e308}, "1     3    1", ""},
		"tiny":   {[]float64{0, 0, 0, 0, 5e-324}, "", ""},
		"few":    {[]float64{1, 2, 3, 4}, "", ""},
		"equal":  {[]float64{5, 5, 5, 5, 5}, "", ""},
	} {
		d := distributionOf(row.scores, scoreScale(row.scores), wordsOf("en"))
		var texts []string
		for _, bar := range d.Bars {
			texts = append(texts, bar.Text)
			if (bar.Text == "") != (bar.Height == 0) || bar.Y+bar.Height != chartHeight || bar.Y < chartTop {
				t.Errorf("%s: %+v", name, bar)
			}
		}
		if got := strings.Join(texts, " "); got != row.texts || !strings.Contains(d.Label, row.label) {
			t.Errorf("%s: the counts are %q, want %q, and the label is %q", name, got, row.texts, d.Label)
		}
	}
	if distributionOf([]float64{5}, scale{}, wordsOf("en")) != nil {
		t.Error("one score has a distribution")
	}
	for want, scores := range map[string][]float64{"1 3 9": {1, 4, 2, 9}, "70.0 70.5 71.0": {71, 70}} {
		d := distributionOf(scores, scale{}, wordsOf("en"))
		if got := d.Lowest + " " + d.Median + " " + d.Highest; got != want {
			t.Errorf("the lowest, median and highest scores are %s, want %s", got, want)
		}
	}
}

// Only an address of the web is a link.
func TestSafeLink(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://assess.example.com/r/1?a=b&c=d": "https://assess.example.com/r/1?a=b&c=d",
		"http://localhost:8080/r":                "http://localhost:8080/r",
		" HTTPS://assess.example.com/ ":          "https://assess.example.com/",
		"":                                       "",
		"JaVaScRiPt://x.example/%0aalert(1)":     "",
		"data:text/html,x":                       "",
		"//assess.example.com/r":                 "",
		"file:///etc/passwd":                     "",
		"https://exa mple.com/":                  "",
		"https://example.com/\x1b[2J":            "",
		"https://example.com/\u202er":            "https://example.com/%E2%80%AEr",
		"https://example.com/?\u202er":           "",
		"https://example.com/?q=é":               "https://example.com/?q=é",
	} {
		if got := safeLink(address); got != want {
			t.Errorf("%q is the link %q, want %q", address, got, want)
		}
	}
}
