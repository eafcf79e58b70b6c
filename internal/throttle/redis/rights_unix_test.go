// SPDX-License-Identifier: MPL-2.0

//go:build unix

package redis

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

const guide = "../../../templates/guides/sharing-a-key.md"

// guidedRights returns the arguments of the ACL SETUSER line of the guide.
func guidedRights(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\s*ACL SETUSER (.*)$`).FindSubmatch(text)
	if line == nil {
		t.Fatal("the guide has no line ACL SETUSER")
	}
	return strings.Fields(string(line[1]))
}

// as returns the URL of the server for a user with these rights.
func as(r *redistest.Server, rights []string) string {
	user, password := rights[0], "its-own-password"
	arguments := []any{"SETUSER", user, "reset", "on"}
	for _, right := range rights[1:] {
		arguments = append(arguments, strings.ReplaceAll(right, "PASSWORD", password))
	}
	r.Must("ACL", arguments...)
	return strings.Replace(r.URL, ":"+redistest.Password, user+":"+password, 1)
}

// Without one of these rights, the run does not start, and the error names the right.
func TestRightIsMissing(t *testing.T) {
	t.Parallel()
	r, rights := redistest.Start(t), guidedRights(t)
	taken := 0
	for i, right := range rights {
		if !strings.HasPrefix(right, "+") && !strings.HasPrefix(right, "~") {
			continue
		}
		taken++
		_, err := Open(t.Context(), Config{URL: as(r, slices.Delete(slices.Clone(rights), i, i+1)), Key: "key"})
		var lacks *RightsError
		if !errors.As(err, &lacks) || !slices.Equal(lacks.Missing, []string{right}) {
			t.Errorf("without %s: %v", right, err)
		}
	}
	if taken != 7 {
		t.Errorf("the guide names %d rights in %q, want the key and six commands", taken, rights)
	}
}

// The guide contains every answer that is final, and the oldest version.
func TestGuideHasTheFinalAnswers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range append(finalAnswers, "Redis 7.0") {
		if !strings.Contains(string(text), strings.TrimSpace(answer)) {
			t.Errorf("the guide does not contain %q", answer)
		}
	}
}
