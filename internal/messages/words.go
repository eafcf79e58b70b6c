// SPDX-License-Identifier: MPL-2.0

package messages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// mostShown is how many values a message lists.
const mostShown = 10

// Near lists valid values for a message about an invalid one. If there are many, those with
// the most similar id or name come first.
func Near(wrong string, values []assessapi.Label) string {
	if len(values) > mostShown {
		distance := func(l assessapi.Label) int {
			return min(levenshtein.Distance(wrong, l.ID, nil), levenshtein.Distance(wrong, l.Name, nil))
		}
		values = slices.Clone(values)
		slices.SortStableFunc(values, func(a, b assessapi.Label) int { return distance(a) - distance(b) })
	}
	return OneOf(values)
}

// OneOf lists up to ten values for a message, as [fmt.Sprint] writes them, then the number of others.
func OneOf[T any](values []T) string {
	if len(values) == 0 {
		return "none"
	}
	shown := make([]string, 0, mostShown)
	for _, v := range values[:min(len(values), mostShown)] {
		shown = append(shown, fmt.Sprint(v))
	}
	s := strings.Join(shown, ", ")
	if len(values) > mostShown {
		s += fmt.Sprintf(" and %d more", len(values)-mostShown)
	}
	return s
}

// SameLocale compares locales without regard to case and separator, so that en-GB equals en_gb (assumption A26).
func SameLocale(a, b string) bool {
	normal := func(locale string) string { return strings.ToLower(strings.ReplaceAll(locale, "_", "-")) }
	return normal(a) == normal(b)
}

// Similar reports whether two values differ only in case, spaces or a few characters, or one contains the other.
func Similar(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))
	return a != "" && b != "" &&
		(strings.Contains(a, b) || strings.Contains(b, a) || levenshtein.Distance(a, b, nil) <= len(b)/5)
}

// Latin1 returns why the service would reject a text (assumption A16). It returns "" if the service accepts the text.
func Latin1(text string) string {
	for _, r := range text {
		if r > 0xFF {
			return fmt.Sprintf("%q contains the character %q (%U). The service rejects requests with characters outside the "+
				"Latin1 charset.\n\nTo fix this: replace this character, and all others outside Latin1.", text, r, r)
		}
	}
	return ""
}

// Commands that users can copy from messages. They name both CLIs, because a CLI does not tell the provider its name.
const (
	StateRm = "\"terraform state rm 'ADDRESS'\"" + orTofu
	Taint   = "\"terraform taint 'ADDRESS'\"" + orTofu

	orTofu = " (or tofu)"
)

// Capitalized returns the text of an error with a capital letter at the beginning, and without a period at the end.
func Capitalized(err error) string { return strings.TrimSuffix(Sentence(err.Error()), ".") }

// Upper capitalizes a text.
func Upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// Sentence capitalizes a text and ends it with a period.
func Sentence(text string) string { return Upper(text[:1]+strings.TrimSuffix(text[1:], ".")) + "." }
