// SPDX-License-Identifier: MPL-2.0

package report

import (
	"math"
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
	known     bool
	low, high float64
	decimals  int // the largest number of decimals among the numbers, at most 3
}

func (s *scale) add(n float64) {
	if !s.known {
		s.known, s.low, s.high = true, n, n
	}
	s.low, s.high = min(s.low, n), max(s.high, n)
	if _, fraction, ok := strings.Cut(exact(&n), "."); ok {
		s.decimals = min(max(s.decimals, len(fraction)), 3)
	}
}

// largest is the number from which numbers are written as 1.0e12.
const largest = 1e12

// text writes a number in the form of the language, with as many decimals as are useful
// to distinguish the numbers of this scale.
func (s scale) text(n float64, w *words) string {
	size := max(math.Abs(s.low), math.Abs(s.high))
	decimals := s.decimals
	switch {
	case size >= 10:
		decimals = min(decimals, 1)
	case size >= 1:
		decimals = min(decimals, 2)
	}
	format := byte('f')
	if size >= largest {
		format, decimals = 'e', 1
	}
	if format == 'f' { // rounds halves up, as people expect: 70.25 becomes 70.3
		power := math.Pow10(decimals)
		n = math.Round(n*power) / power
	}
	text := strconv.FormatFloat(n, format, decimals, 64)
	if strings.Trim(text, "-+0.e") == "" { // a negative number that was rounded to zero
		text = strings.TrimPrefix(text, "-")
	}
	return strings.Replace(strings.Replace(text, "+", "", 1), ".", w.decimal, 1)
}

// share returns how much of a bar a number fills, from 0 to 100. A bar starts at zero,
// or at the lowest number if that is negative. It ends at the highest number.
func (s scale) share(n float64) int {
	// Uses halves, because the difference of two large numbers can overflow. The
	// difference of two tiny numbers can be zero.
	from := min(s.low, 0) / 2
	whole := s.high/2 - from
	if whole <= 0 {
		return 0
	}
	return int(math.Round(min(max((n/2-from)/whole, 0), 1) * 100))
}

// dayOf returns the date of an ISO 8601 timestamp. It returns other text unchanged.
func dayOf(timestamp string) string {
	if t, ok := timeOf(timestamp); ok {
		return t.Format(time.DateOnly)
	}
	return timestamp
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

// day writes a date in the short form of the language.
func (w *words) day(text string) string {
	if t, ok := timeOf(text); ok {
		return w.shortDate(t)
	}
	return text
}

// longDay writes a date in the long form of the language.
func (w *words) longDay(text string) string {
	if t, ok := timeOf(strings.TrimSpace(text)); ok {
		return w.longDate(t)
	}
	return text
}
