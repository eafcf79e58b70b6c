// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// WaitFor waits until a condition is true. It fails the test if that takes many minutes, because the test hangs.
func WaitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for tries := 0; !holds(); time.Sleep(time.Millisecond) {
		if tries++; tries > 300_000 {
			t.Fatalf("still waiting for %s", what)
		}
	}
}

// Contains fails the test unless a text contains all parts.
func Contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Fatalf("the %s does not contain %q:\n%s", what, part, text)
		}
	}
}

// MatchesAll matches each pattern as a regular expression. It joins the lines of the
// text first, because CLIs wrap their output.
func MatchesAll(text string, patterns []string) bool {
	text = strings.Join(strings.Fields(text), " ")
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(text) {
			return false
		}
	}
	return true
}
