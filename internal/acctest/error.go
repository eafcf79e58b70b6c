// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"regexp"
	"slices"
	"strings"
)

// Error returns an ExpectError that matches a text with all these parts, in any order, regardless of line breaks.
func Error(parts ...string) *regexp.Regexp {
	quoted := []string{}
	for _, part := range parts {
		words := strings.Fields(part)
		for i := range words {
			words[i] = regexp.QuoteMeta(words[i])
		}
		quoted = append(quoted, strings.Join(words, `\s+`))
	}
	orders := []string{}
	for _, order := range permutations(quoted) {
		orders = append(orders, strings.Join(order, `.*`))
	}
	return regexp.MustCompile(`(?s)` + strings.Join(orders, "|"))
}

func permutations(all []string) [][]string {
	if len(all) == 0 {
		return [][]string{{}}
	}
	found := [][]string{}
	for i := range all {
		for _, rest := range permutations(slices.Delete(slices.Clone(all), i, i+1)) {
			found = append(found, append([]string{all[i]}, rest...))
		}
	}
	return found
}
