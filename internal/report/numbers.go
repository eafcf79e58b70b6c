// SPDX-License-Identifier: MPL-2.0

package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// exact returns the shortest text that means the same float64, which is how a service
// writes it. It returns "" for nil.
func exact(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// scale is the range of the numbers that a report shows under one heading. All of them
// have the same number of decimals, so that they align.
type scale struct {
	low, high float64
	decimals  int
}

// mostDecimals is the largest number of decimals that a report shows.
const mostDecimals = 6

// scaleOf returns the scale of some numbers. Large numbers have fewer decimals. If
// distinct is set, the scale has as many decimals as distinguish different numbers, so
// that two ranks never show the same score.
func scaleOf(numbers []float64, distinct bool) scale {
	if len(numbers) == 0 {
		return scale{}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(numbers)))
	s := scale{low: sorted[0], high: sorted[len(sorted)-1]}
	exactly := 0 // decimals without rounding
	for _, n := range sorted {
		if _, fraction, ok := strings.Cut(exact(&n), "."); ok {
			exactly = max(exactly, len(fraction))
		}
	}
	useful := 3
	switch size := s.size(); {
	case size >= 10:
		useful = 1
	case size >= 1:
		useful = 2
	}
	s.decimals = min(exactly, useful)
	for distinct && s.decimals < min(exactly, mostDecimals) && s.merges(sorted) {
		s.decimals++
	}
	return s
}

func (s scale) size() float64 { return max(math.Abs(s.low), math.Abs(s.high)) }

// merges reports whether two different numbers look the same.
func (s scale) merges(sorted []float64) bool {
	same := func(a, b float64) bool { return s.round(a) == s.round(b) }
	return len(slices.CompactFunc(slices.Clone(sorted), same)) < len(sorted)
}

// round rounds halves up, as people expect: 70.25 becomes 70.3.
func (s scale) round(n float64) float64 {
	power := math.Pow10(s.decimals)
	return math.Round(n*power) / power
}

// largest is the number from which numbers are written as 1.0e12.
const largest = 1e12

// text writes a number in the form of the language.
func (s scale) text(n float64, w *words) string {
	if s.size() >= largest {
		text := strconv.FormatFloat(n, 'e', 1, 64)
		return strings.Replace(strings.Replace(text, "+", "", 1), ".", w.Decimal, 1)
	}
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

// percentile writes a percentile. 99.95 becomes 99.9, because 100 would be wrong.
func (s scale) percentile(n float64, w *words) string {
	if n < 100 && s.round(n) >= 100 {
		n = 100 - math.Pow10(-s.decimals)
	}
	return s.text(n, w)
}

// grouped writes the separators of the language into a whole number.
func (w *words) grouped(digits string) string {
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + w.Thousands + digits[at:]
	}
	return digits
}

// count writes a count in the form of the language.
func (w *words) count(n int) string { return w.grouped(strconv.Itoa(n)) }

// bar returns where the bar of a number begins and ends, from 0 to 100. It begins at
// zero, so a negative number has a bar to its left.
func (s scale) bar(n float64) [2]int {
	zero, at := s.position(0), s.position(n)
	return [2]int{min(zero, at), max(zero, at)}
}

// position returns the position of a number between the lowest and the highest number,
// or zero if that is lower or higher.
func (s scale) position(n float64) int {
	// Uses halves, because the difference of two large numbers can overflow. The
	// difference of two tiny numbers can be zero.
	from := min(s.low, 0) / 2
	whole := max(s.high, 0)/2 - from
	if whole <= 0 {
		return 0
	}
	return int(math.Round(min(max((n/2-from)/whole, 0), 1) * 100))
}

// timeOf reads a date or an ISO 8601 timestamp, in UTC.
func timeOf(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// dated writes a date or a timestamp in another form. Other text is not changed.
func dated(text string, write func(time.Time) string) string {
	if t, ok := timeOf(text); ok {
		return write(t)
	}
	return text
}

func isoDay(t time.Time) string { return t.Format(time.DateOnly) }
