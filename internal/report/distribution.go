// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// fewestScores is the smallest number of scores for which a chart of their distribution is useful.
const fewestScores = 5

// The chart divides the range from the lowest to the highest score into bars of equal width. Sizes are in SVG units,
// each of which is about one pixel on a phone.
const (
	chartBars   = 10
	barWidth    = 36
	chartHeight = 96
	chartTop    = 14 // room for the count above the highest bar
)

// distribution describes how the scores of a ranking are distributed.
type distribution struct {
	Lowest, Median, Highest string
	Bars                    []chartBar // empty if there are fewer than fewestScores, or all scores are equal
	Label                   string     // describes the chart in words
}

// chartBar is the bar for one range of scores.
type chartBar struct {
	X, Y, Width, Height, Middle int
	Text                        string // the number of candidates, or empty if it is 0
}

// distributionOf returns the distribution of scores, or nil if there are fewer than two scores. It adds a chart only if
// the number of scores is at least fewestScores, and the scores are not all equal. s is the scale of all scores of
// the ranking.
func distributionOf(scores []float64, s scale, w *words) *distribution {
	if len(scores) < 2 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(scores))
	last := len(sorted) - 1
	lowest, highest := sorted[0], sorted[last]
	median := sorted[last/2]/2 + sorted[(last+1)/2]/2                 // halves: a sum of large numbers can overflow
	s.decimals = max(s.decimals, scaleOf([]float64{median}).decimals) // the median of whole scores can be 70.5
	d := &distribution{Lowest: s.text(lowest, w), Median: s.text(median, w), Highest: s.text(highest, w)}
	if len(sorted) >= fewestScores && lowest/2 != highest/2 { // half of the smallest number is 0
		d.addChart(sorted, s, w)
	}
	return d
}

// addChart adds a bar for each range of scores, and the chart in words. The scores must be sorted and must not all be
// equal.
func (d *distribution) addChart(sorted []float64, s scale, w *words) {
	lowest, highest := sorted[0], sorted[len(sorted)-1]
	for s.decimals < mostDecimals && (highest-lowest)/chartBars < math.Pow10(-s.decimals) {
		s.decimals++ // otherwise, both edges of a range could have the same text
	}
	edge := func(i int) string { // the lower edge of range i
		share := float64(i) / chartBars
		return s.text(lowest*(1-share)+highest*share, w)
	}
	counts := countRanges(sorted)
	var ranges []string
	for i, count := range counts {
		d.Bars = append(d.Bars, barOf(i, count, slices.Max(counts), w))
		ranges = append(ranges, edge(i)+"–"+edge(i+1)+w.Colon+w.count(count))
	}
	d.Label = fmt.Sprintf(w.Counted, strings.Join(ranges, w.Semicolon))
}

// countRanges divides scores into chartBars ranges of equal width, and returns the number of scores in each range. The
// scores must be sorted and must not all be equal.
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
