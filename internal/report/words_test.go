// SPDX-License-Identifier: MPL-2.0

package report

import (
	"strings"
	"testing"
)

// An id that turns the direction of what follows does not turn the sentence that
// names it.
func TestSentencesKeepTheirDirection(t *testing.T) {
	t.Parallel()
	const turned = "asm-\u202e\u2067x"
	for name, text := range map[string]string{
		"caution":    standings{common: []string{turned}, differ: 1}.caution(),
		"difference": standing{without: []string{turned}, also: []string{turned}}.difference(),
		"cell":       cell(turned),
	} {
		if !strings.Contains(text, "asm-x") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
