// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
)

// fewestScores is the smallest number of scores for which a chart of their distribution is useful.
const fewestScores = 5

// The chart has bars of the same width from the lowest to the highest score. Sizes are pixels on a phone.
const (
	chartBars   = 10
	barWidth    = 36
	chartHeight = 96
	chartTop    = 14 // room for the count above the highest bar
)

// distribution describes how the scores of a ranking are distributed.
type distribution struct {
	Lowest, Median, Highest string
	Bars                    []chartBar // empty if there are few scores, or all are equal
	Label                   string     // describes the chart in words
}

// chartBar is one range of scores.
type chartBar struct {
	X, Y, Width, Height, Middle int
	Text                        string // how many candidates, or empty
}

// spreadOf describes scores. It returns nil for fewer than two.
func spreadOf(scores []float64, s scale, w *words) *distribution {
	if len(scores) < 2 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(scores))
	last := len(sorted) - 1
	median := sorted[last/2]/2 + sorted[(last+1)/2]/2
	d := &distribution{Lowest: s.text(sorted[0], w), Median: s.text(median, w), Highest: s.text(sorted[last], w)}
	if len(sorted) < fewestScores || sorted[0] == sorted[last] {
		return d
	}
	counts := countRanges(sorted)
	var ranges []string
	for i, count := range counts {
		d.Bars = append(d.Bars, barOf(i, count, slices.Max(counts), w))
		edge := func(i int) string {
			share := float64(i) / chartBars
			return s.text(sorted[0]*(1-share)+sorted[last]*share, w)
		}
		ranges = append(ranges, edge(i)+"–"+edge(i+1)+w.Colon+w.count(count))
	}
	d.Label = fmt.Sprintf(w.Counted, strings.Join(ranges, w.Semicolon))
	return d
}

// countRanges counts sorted scores, which are not all equal, in ranges of the same width.
func countRanges(sorted []float64) []int {
	counts := make([]int, chartBars)
	low, high := sorted[0]/2, sorted[len(sorted)-1]/2 // halves, because the difference of large numbers can overflow
	for _, score := range sorted {
		share := (score/2 - low) / (high - low)
		counts[min(int(share*chartBars), chartBars-1)]++
	}
	return counts
}

func barOf(i, count, most int, w *words) chartBar {
	bar := chartBar{X: i*barWidth + 1, Y: chartHeight, Width: barWidth - 2, Middle: i*barWidth + barWidth/2}
	if count > 0 {
		bar.Height = max(count*(chartHeight-chartTop)/most, 2)
		bar.Y -= bar.Height
		bar.Text = w.count(count)
	}
	return bar
}
