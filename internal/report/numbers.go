// SPDX-License-Identifier: MPL-2.0

package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// exact returns the shortest decimal text from which the same float64 can be read again. It returns "" for nil.
func exact(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// scale describes the numbers under one heading: the lowest and highest number, and how many decimals are shown. All
// numbers have the same number of decimals, so that they align.
type scale struct {
	low, high float64
	decimals  int
}

// scaleOf returns the scale of some numbers. It has no decimals if all numbers are whole, and otherwise one decimal.
func scaleOf(numbers []float64) scale {
	if len(numbers) == 0 {
		return scale{}
	}
	s := scale{low: slices.Min(numbers), high: slices.Max(numbers)}
	if slices.ContainsFunc(numbers, func(n float64) bool { return n != math.Trunc(n) }) {
		s.decimals = 1
	}
	return s
}

// mostDecimals is the largest number of decimals that a report shows.
const mostDecimals = 6

// scoreScale returns a scale with enough decimals to show different scores as different numbers, but with at most
// mostDecimals.
func scoreScale(scores []float64) scale {
	s := scaleOf(scores)
	sorted := slices.Compact(slices.Sorted(slices.Values(scores)))
	same := func(a, b float64) bool { return s.round(a) == s.round(b) }
	for s.decimals > 0 && s.decimals < mostDecimals && len(slices.CompactFunc(slices.Clone(sorted), same)) < len(sorted) {
		s.decimals++
	}
	return s
}

// round rounds a number to the decimals of the scale. Halves are rounded away from zero: 70.25 becomes 70.3.
func (s scale) round(n float64) float64 {
	power := math.Pow10(s.decimals)
	if rounded := math.Round(n*power) / power; !math.IsInf(rounded, 0) {
		return rounded
	}
	return n // so large that it is whole
}

// text writes a number in the form of the language.
func (s scale) text(n float64, w *words) string {
	text := strconv.FormatFloat(s.round(n), 'f', s.decimals, 64)
	if strings.Trim(text, "-0.") == "" { // a negative number that was rounded to zero
		text = strings.TrimPrefix(text, "-")
	}
	whole, fraction, ok := strings.Cut(text, ".")
	if ok {
		fraction = w.Decimal + fraction
	}
	return strings.Replace(w.grouped(whole), "-", "−", 1) + fraction
}

// percentile writes a percentile in the form of the language. A percentile below 100 is never shown as 100: 99.95
// becomes 99.9.
func (s scale) percentile(n float64, w *words) string {
	if n < 100 && s.round(n) >= 100 {
		n = 100 - math.Pow10(-s.decimals)
	}
	return s.text(n, w)
}

// grouped returns a whole number with the thousands separators of the language.
func (w *words) grouped(digits string) string {
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + w.Thousands + digits[at:]
	}
	return digits
}

// count writes a count in the form of the language.
func (w *words) count(n int) string { return w.grouped(strconv.Itoa(n)) }

// position returns where a number lies on a bar, from 0 to 100. The bar starts at zero, or at the lowest number if that
// is negative. It ends at the highest number, or at zero if all numbers are negative.
func (s scale) position(n float64) int {
	from := min(s.low, 0) / 2 // halves, because the difference of large numbers can overflow
	whole := max(s.high, 0)/2 - from
	if whole <= 0 {
		return 0
	}
	return int(math.Round(min(max((n/2-from)/whole, 0), 1) * 100))
}

// timeOf parses a date (2006-01-02) or an RFC 3339 timestamp as a time in UTC. It returns false for other text.
func timeOf(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// dated formats a date or a timestamp with the function write. Other text is returned unchanged.
func dated(text string, write func(time.Time) string) string {
	if t, ok := timeOf(text); ok {
		return write(t)
	}
	return text
}

func isoDay(t time.Time) string { return t.Format(time.DateOnly) }
