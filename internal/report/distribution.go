// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// fewestScores is the smallest number of scores for which a chart of their distribution
// is useful.
const fewestScores = 5

// The size of the chart in units of its view box, which are pixels on a phone.
const (
	chartWidth, chartHeight = 360, 96
	chartTop                = 14 // room for the count above the highest bar
	chartDigit              = 7  // the width of a digit
)

// distribution describes how the scores of a ranking are distributed.
type distribution struct {
	Lowest, Median, Highest string
	Bars                    []chartBar // empty if there are few scores, or all are equal
	Edges                   []chartEdge
	Label                   string // describes the chart in words
}

// chartBar is one range of scores.
type chartBar struct {
	X, Y, Width, Height, Middle, Count int
	Text                               string
}

// chartEdge is the number between two ranges.
type chartEdge struct {
	X      int
	Text   string
	Hidden bool
}

// spreadOf describes the scores of a section, which are sorted from the highest. It
// returns nil for fewer than two scores, or if they are too far apart for a chart.
func spreadOf(scores []float64, s scale, w *words) *distribution {
	if len(scores) < 2 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(scores))
	last := len(sorted) - 1
	median := sorted[last/2]/2 + sorted[(last+1)/2]/2
	d := &distribution{Lowest: s.text(sorted[0], w), Median: s.text(median, w), Highest: s.text(sorted[last], w)}
	if len(scores) < fewestScores {
		return d
	}
	d.Bars, d.Edges = barsOf(sorted, w)
	var parts []string
	for i, bar := range d.Bars {
		parts = append(parts, d.Edges[i].Text+"–"+d.Edges[i+1].Text+w.Colon+bar.Text)
	}
	d.Label = fmt.Sprintf(w.Counted, strings.Join(parts, w.Semicolon))
	return d
}

// barsOf counts sorted scores in ranges of a round width. It returns no bars if the
// scores are equal, or too far apart for a float64.
func barsOf(sorted []float64, w *words) ([]chartBar, []chartEdge) {
	low, high := sorted[0], sorted[len(sorted)-1]
	step := roundStep(high/8 - low/8)
	from := math.Floor(low/step) * step
	ranges := math.Floor((high-from)/step) + 1
	if step == 0 || !(ranges >= 2 && ranges <= 20) {
		return nil, nil
	}
	n := int(ranges)
	counts := make([]int, n)
	for _, score := range sorted {
		counts[min(int((score-from)/step), n-1)]++
	}
	most := slices.Max(counts)
	// As many decimals as distinguish the edges.
	written := scale{low: from, high: from + ranges*step, decimals: max(0, int(-math.Floor(math.Log10(step))))}
	if written.decimals > mostDecimals {
		return nil, nil
	}
	longest := 0
	edges := make([]chartEdge, n+1)
	for i := range edges {
		edges[i].Text = written.text(from+float64(i)*step, w)
		longest = max(longest, utf8.RuneCountInString(edges[i].Text)*chartDigit)
	}
	side := max(longest/2, 14) // room for half of the first and last number
	width := (chartWidth - 2*side) / n
	each := longest/width + 1 // shows only some numbers if they are long
	for i := range edges {
		edges[i].X, edges[i].Hidden = side+i*width, i%each > 0
	}
	var bars []chartBar
	for i, count := range counts {
		height := count * (chartHeight - chartTop) / most
		if count > 0 {
			height = max(height, 2)
		}
		bars = append(bars, chartBar{
			X: edges[i].X + 1, Y: chartHeight - height, Width: width - 2, Height: height,
			Middle: edges[i].X + width/2, Count: count, Text: w.count(count),
		})
	}
	return bars, edges
}

// roundStep returns the smallest round number that is not below a width: 1, 2 or 5,
// multiplied by a power of ten. It returns 0 if there is none.
func roundStep(width float64) float64 {
	if width <= 0 || math.IsInf(width, 0) {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(width)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if step := factor * power; step >= width && !math.IsInf(step, 0) {
			return step
		}
	}
	return 0
}
