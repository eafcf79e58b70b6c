// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// assertSelective rejects patterns that match any text, because they assert nothing.
func assertSelective(t *testing.T, patterns []string) {
	t.Helper()
	if len(patterns) == 0 || matchesAll("", patterns) {
		t.Fatalf("the patterns %q match any text", patterns)
	}
}

// waitFor waits until a condition is true. It fails the test after two minutes.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	const bound = 2 * time.Minute
	for began := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(began) > bound {
			t.Fatalf("after %s still waiting for %s", bound, what)
		}
	}
}

// matchesAll matches each pattern as a regular expression. It joins the lines of the
// text first, because CLIs wrap their output.
func matchesAll(text string, patterns []string) bool {
	text = strings.Join(strings.Fields(text), " ")
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(text) {
			return false
		}
	}
	return true
}
