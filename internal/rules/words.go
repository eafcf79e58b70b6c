// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// mostShown is how many values a message lists.
const mostShown = 10

// Near lists valid values for a message about an invalid one. If there are many,
// those with the most similar spelling come first.
func Near(wrong string, values []string) string {
	if len(values) > mostShown {
		values = slices.Clone(values)
		slices.SortStableFunc(values, func(a, b string) int {
			return levenshtein.Distance(wrong, a, nil) - levenshtein.Distance(wrong, b, nil)
		})
	}
	return OneOf(values)
}

// OneOf lists valid values for a message: ten at most, then a count.
func OneOf(values []string) string {
	if len(values) == 0 {
		return "none"
	}
	quoted := make([]string, 0, mostShown)
	for _, v := range values[:min(len(values), mostShown)] {
		quoted = append(quoted, fmt.Sprintf("%q", v))
	}
	s := strings.Join(quoted, ", ")
	if len(values) > mostShown {
		s += fmt.Sprintf(" and %d more", len(values)-mostShown)
	}
	return s
}

// SameLocale compares locales. Case and separator do not matter: en-GB is en_gb
// (assumption A26).
func SameLocale(a, b string) bool {
	normal := func(locale string) string { return strings.ToLower(strings.ReplaceAll(locale, "_", "-")) }
	return normal(a) == normal(b)
}
