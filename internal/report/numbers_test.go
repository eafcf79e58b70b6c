// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
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
		for i, n := range test.numbers {
			if got := scaleOf(test.numbers, true).text(n, wordsOf(test.language)); got != test.want[i] {
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

// Bars begin at zero and end at the number. Negative numbers have a bar to the left of zero.
func TestBars(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		numbers []float64
		want    string
	}{
		{[]float64{80, 40, 0}, "[[0 100] [0 50] [0 0]]"},
		{[]float64{400, 100}, "[[0 100] [0 25]]"},
		{[]float64{10, -10}, "[[50 100] [0 50]]"},
		{[]float64{-10, -20}, "[[50 100] [0 100]]"},
		{[]float64{0}, "[[0 0]]"},
		{[]float64{1.7e308, -1.7e308}, "[[50 100] [0 50]]"},
	} {
		bars := [][2]int{}
		for _, n := range test.numbers {
			bars = append(bars, scaleOf(test.numbers, true).bar(n))
		}
		if got := fmt.Sprint(bars); got != test.want {
			t.Errorf("the bars of %v are %s, want %s", test.numbers, got, test.want)
		}
	}
	for percentile, want := range map[float64]int{-5: 0, 0: 0, 50: 50, 100: 100, 250: 100} {
		if got := (scale{high: 100}).position(percentile); got != want {
			t.Errorf("the bar of the percentile %v ends at %d, want %d", percentile, got, want)
		}
	}
}

// The numbers below the chart differ from each other, and each score draws a bar.
func TestDistribution(t *testing.T) {
	t.Parallel()
	for name, scores := range map[string][]float64{
		"close":  {79.41, 79.5, 79.55, 79.6, 79.61, 79.64},
		"small":  {0.88, 0.881, 0.8825, 0.886, 0.89},
		"single": append([]float64{20}, slices.Repeat([]float64{50.5}, 538)...),
	} {
		bars, edges := barsOf(scores, wordsOf("en"))
		texts, counted := map[string]bool{}, 0
		for _, edge := range edges {
			texts[edge.Text] = true
		}
		for _, bar := range bars {
			counted += bar.Count
			if bar.Count > 0 && bar.Height == 0 {
				t.Errorf("%s: a count without a bar: %+v", name, bar)
			}
		}
		if counted != len(scores) || len(texts) != len(bars)+1 {
			t.Errorf("%s: %d scores between %v", name, counted, texts)
		}
	}
	for name, scores := range map[string][]float64{"equal": {5, 5}, "too close": {5, 5 + 1e-9}, "too far": {-1.7e308, 1.7e308}} {
		if bars, _ := barsOf(scores, wordsOf("en")); bars != nil {
			t.Errorf("%s: %+v", name, bars)
		}
	}
}

func TestRoundSteps(t *testing.T) {
	t.Parallel()
	for width, want := range map[float64]float64{0.9: 1, 1: 1, 1.1: 2, 8.2: 10, 0.03: 0.05, 0: 0, -1: 0, 1.7e308: 0} {
		if got := roundStep(width); got < want*0.999 || got > want*1.001 {
			t.Errorf("the step for %v is %v, want %v", width, got, want)
		}
	}
}

// No text of the service controls a terminal, breaks a line, or changes the direction of the sentence around it.
func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"asm-\u202e\u2067x": "asm-x",
		"a\x1b[31mb\x00c":   "a [31mb c",
		"a\r\nb\tc\u2028d":  "a  b c d",
		"محمد بن موسى":      "محمد بن موسى",
		"Zoë 陳大文":           "Zoë 陳大文",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
