// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"regexp"
	"strings"
)

// Error returns an ExpectError that matches a text with all these parts, in this order, regardless of line breaks.
func Error(parts ...string) *regexp.Regexp {
	words := []string{}
	for _, part := range parts {
		quoted := strings.Fields(part)
		for i := range quoted {
			quoted[i] = regexp.QuoteMeta(quoted[i])
		}
		words = append(words, strings.Join(quoted, `\s+`))
	}
	return regexp.MustCompile(`(?s)` + strings.Join(words, `.*`))
}
