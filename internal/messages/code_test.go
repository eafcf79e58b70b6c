// SPDX-License-Identifier: MPL-2.0

package messages_test

import (
	"os"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// The code of a summary is what a program finds in a message with its link.
func TestCodeOfAMessage(t *testing.T) {
	t.Parallel()
	for summary, code := range map[string]string{
		"Already attached":                             "already-attached",
		"Supervisor's profile will be deleted":         messages.ProfileDeleted,
		"Could not list the position's assessments":    "could-not-list-the-positions-assessments",
		"Existing position assessment adopted":         messages.Adopted,
		"Cannot remove: candidates were invited":       messages.RejectedRemoval,
		"Scores will not be comparable":                messages.ScoresDiffer,
		"Position assessment was not removed":          messages.NotRemoved,
		"Could not read the sign-in link (strict)":     "could-not-read-the-sign-in-link-strict",
		"Supervisor's profile may be replaced":         messages.ProfileMaybeReplaced,
		"Supervisor's profile will be replaced":        messages.ProfileReplaced,
		"Existing position assessment will be adopted": messages.WillBeAdopted,
		"Candidates lose their ranking":                messages.RankingEnds,
		"Answer 429 of the service to all 3 retries":   "answer-429-of-the-service-to-all-3-retries",
	} {
		link := messages.Link(summary)
		for _, detail := range []string{link, "It is so.\n\n" + link, "It is so. See " + link} {
			if got := messages.CodeIn(detail); got != code || messages.CodeOf(summary) != code {
				t.Errorf("%q has the code %q, and its summary %q, want %q", detail, got, messages.CodeOf(summary), code)
			}
		}
	}
}

// A message of each version has the code, because the comment may be of another version than the provider.
func TestCodeOfAnotherVersion(t *testing.T) {
	t.Parallel()
	const detail = "It is so.\n\nhttps://registry.terraform.io/providers/assessascode/assess/1.2.3/docs/guides/messages#already-attached"
	if got := messages.CodeIn(detail); got != "already-attached" {
		t.Errorf("the code is %q", got)
	}
}

// A build that is not a release links to pages of the repository, which exist.
func TestPagesOfDevelopmentBuild(t *testing.T) {
	t.Parallel()
	const repository = "https://github.com/assessascode/terraform-provider-assess/blob/main/"
	for _, page := range []string{"guides/messages", "guides/does-it-work", "guides/getting-started"} {
		file, ok := strings.CutPrefix(messages.Page(page), repository)
		if _, err := os.Stat("../../" + file); !ok || err != nil {
			t.Errorf("%s: %v", messages.Page(page), err)
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

// Only the last word of a message is its code, because names that a message quotes can contain anything.
func TestForeignMessagesHaveNoCode(t *testing.T) {
	t.Parallel()
	for _, detail := range []string{
		"", "x", "\n", messages.Link("Already attached") + " is not the end", "https://example.com/messages#already-attached",
		messages.Link(""),
	} {
		if got := messages.CodeIn(detail); got != "" {
			t.Errorf("%q has the code %q", detail, got)
		}
	}
}
