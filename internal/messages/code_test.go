// SPDX-License-Identifier: MPL-2.0

package messages_test

import (
	"os"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// The code of a summary is the last word of a message with its link. The message can be of another version.
func TestCodes(t *testing.T) {
	t.Parallel()
	for summary, code := range map[string]string{
		"Supervisor's profile will be deleted":       messages.ProfileDeleted,
		"Cannot remove: candidates were invited":     messages.RejectedRemoval,
		"Could not read the sign-in link (strict)":   "could-not-read-the-sign-in-link-strict",
		"Answer 429 of the service to all 3 retries": "answer-429-of-the-service-to-all-3-retries",
	} {
		detail := "It is so.\n\n" + messages.Link(summary)
		if got := messages.CodeIn(detail); got != code || messages.CodeOf(summary) != code {
			t.Errorf("%q has the code %q, and its summary %q, want %q", detail, got, messages.CodeOf(summary), code)
		}
	}
	for detail, code := range map[string]string{
		"See https://registry.terraform.io/providers/assessascode/assess/1.2.3/docs/guides/messages#already-attached": "already-attached",
		// Names that a message quotes can contain anything.
		messages.Link("Already attached") + " is not the end": "",
		"": "", "x": "", "\n": "", "https://example.com/messages#already-attached": "", messages.Link(""): "",
	} {
		if got := messages.CodeIn(detail); got != code {
			t.Errorf("%q has the code %q, want %q", detail, got, code)
		}
	}
}

// The page Messages has a section for each code that the comment of a pipeline reads, so a summary that changes there
// changes here, too.
func TestCodesHaveSections(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../templates/guides/messages.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if summary, ok := strings.CutPrefix(line, "### "); ok {
			sections[messages.CodeOf(strings.TrimSpace(summary))] = true
		}
	}
	for _, code := range []string{
		messages.WillBeAdopted, messages.Adopted, messages.RejectedRemoval, messages.NotRemoved,
		messages.ScoresDiffer, messages.RankingEnds, messages.ProfileDeleted, messages.ProfileReplaced,
		messages.ProfileMaybeReplaced,
	} {
		if !sections[code] {
			t.Errorf("the page has no section %s", code)
		}
	}
}
