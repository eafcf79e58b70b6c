// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// builtSummaries are the summaries that are built at run time.
var builtSummaries = []string{
	"Could not check the benchmarks", "Could not check the positions", "Could not check the profiles",
	"Could not list the assessments", "Could not list the benchmarks", "Could not list the packages",
	"Could not list the positions", "Could not list the profiles", "Could not list the skills tests",
	"Missing API key", "Missing Client Identifier", "Missing address of the service",
	"No assessment found", "No benchmark found", "No package found", "No position assessment found",
	"No position found", "No profile found", "No skills test found",
	"Several assessments found", "Several benchmarks found", "Several packages found",
	"Several positions found", "Several profiles found", "Several skills tests found",
}

// summary matches the forms in which the source gives the summary of a message, a constant among them.
var summary = regexp.MustCompile(`(?m)(?:` + strings.Join([]string{
	`Summary:\s+`, `Problem\{\s*`, `summary :?= `, `^(?:const |\t)\w+\s+= `,
	`\b(?:Error|ErrorIn|Warning|changeFailure|Failure|Link|add)\(`, `AttributeError\([^,\n]*,\s*`, `Warn\([^,\n]+,\s*`,
}, "|") + `)"([A-Z][a-z][^"\\]* [^"\\]*[A-Za-z0-9])"`)

// Each summary is a heading of the guide "Messages", word for word and once, so that a search for it finds the section.
// Each heading is the summary of a message.
func TestEachMessageHasItsSection(t *testing.T) {
	t.Parallel()
	guide := clitest.ReadFile(t, "../../templates/guides/messages.md")
	count := func(heading string) int { return strings.Count(guide+"\n", "\n"+heading+"\n") }
	if count("## "+tf.Responses) != 1 {
		t.Errorf("the guide has no part %q", tf.Responses)
	}
	summaries := slices.Clone(builtSummaries)
	for name, source := range sources(t) {
		if strings.Contains(name, "/companion/") {
			continue
		}
		for _, found := range summary.FindAllStringSubmatch(source, -1) {
			if found[1] != tf.Responses {
				summaries = append(summaries, found[1])
			}
		}
	}
	for _, summary := range summaries {
		if count("### "+summary) != 1 {
			t.Errorf("the guide has no heading %q, or two", summary)
		}
	}
	for _, heading := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(guide, -1) {
		if !slices.Contains(summaries, heading[1]) {
			t.Errorf("the guide has a heading %q, and the source has no message", heading[1])
		}
	}
}

// A message that names a guide uses its title, by which a reader finds it in the registry.
func TestMessagesNameExistingGuides(t *testing.T) {
	t.Parallel()
	pages, _ := filepath.Glob("../../templates/guides/*.md")
	var titles strings.Builder
	for _, page := range pages {
		head, _, _ := strings.Cut(clitest.ReadFile(t, page), "\n---\n")
		titles.WriteString(head + "\n")
	}
	named := 0
	for name, source := range sources(t) {
		text := regexp.MustCompile(`" \+\n\s*"`).ReplaceAllString(source, "") // parts of one string
		for _, guide := range regexp.MustCompile(`the guide \\(".+?)\\"`).FindAllStringSubmatch(text, -1) {
			named++
			if !strings.Contains(titles.String(), "page_title: "+guide[1]+"\"\n") {
				t.Errorf("%s: no guide has the title %s", name, guide[1])
			}
		}
	}
	if named == 0 {
		t.Error("no message names a guide")
	}
}

// sources are the texts of all files of the packages, without tests.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, _ := filepath.Glob("../*/*.go")
	nested, _ := filepath.Glob("../*/*/*.go")
	all := map[string]string{}
	for _, name := range append(files, nested...) {
		if !strings.HasSuffix(name, "_test.go") {
			all[name] = clitest.ReadFile(t, name)
		}
	}
	return all
}

func TestLinkToSection(t *testing.T) {
	t.Parallel()
	const want = "https://github.com/assessascode/terraform-provider-assess/blob/main/docs/guides/messages.md#supervisors-profile-will-be-deleted"
	if got := messages.Link("Supervisor's profile will be deleted"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A release links to its own pages. The tests with a CLI run a program that is built like a release.
func TestLinkOfRelease(t *testing.T) {
	t.Parallel()
	c := clitest.NewBare(t)
	c.UseText("provider \"assess\" {\n  sandbox {}\n}\n\ndata \"assess_position\" \"none\" {\n  title = \"None\"\n}\n")
	c.Plan().Fails("No position found",
		`https://registry\.terraform\.io/providers/assessascode/assess/1\.2\.3/docs/guides/messages#no-position-found`)
}
