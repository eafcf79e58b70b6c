// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Each summary is a heading of the guide "Messages", word for word and once, so that a search for it finds the section.
// Each heading is the summary of a message.
func TestEachMessageHasItsSection(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../templates/guides/messages.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{tf.Answers: true}
	for _, heading := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllSubmatch(guide, -1) {
		if headings[string(heading[1])] {
			t.Errorf("the guide has two headings %q", heading[1])
		}
		headings[string(heading[1])] = true
	}
	source := strings.Join(slices.Collect(maps.Values(sources(t))), "\n")
	for _, summary := range summaries(source) {
		if !headings[summary] {
			t.Errorf("the guide has no heading %q", summary)
		}
	}
	for heading := range headings {
		isBegun := func(end int) bool { return strings.Contains(source, `"`+heading[:end+1]+`"`) } // as in "No " + what
		begun := slices.ContainsFunc(regexp.MustCompile(" ").FindAllStringIndex(heading, -1), func(space []int) bool {
			return isBegun(space[0])
		})
		if !begun && !strings.Contains(source, `"`+heading+`"`) {
			t.Errorf("the guide has a heading %q, and the source has no message", heading)
		}
	}
}

// Where a message gets its summary: as an argument of a function that makes it, or as a member of a rule. It is a text,
// or a name that has a text elsewhere. What is built of several texts is not checked.
var (
	ofMessage = []*regexp.Regexp{
		regexp.MustCompile(`\b(?:Error|Warning|Failure|SectionURL|changeFailure|problems\.add)\(\s*` + textOrName),
		regexp.MustCompile(`\b(?:AttributeError|ErrorIn)\(\s*[^,]+,\s*` + textOrName),
		regexp.MustCompile(`\b(?:Problem\{|Summary:)\s*` + textOrName),
	}
	ofName = `\b(?:, \w+)?\s*:?=\s*` + textOrName
)

const textOrName = `(?:"([^"\\]+)",?\s*([+]?)|(?:tf\.)?(\w+),)`

// summaries are the summaries in the source that are written as one text.
func summaries(source string) (found []string) {
	names := map[string]bool{}
	add := func(matches [][]string) {
		for _, m := range matches {
			if names[m[3]] = true; m[1] != "" && m[2] == "" {
				found = append(found, m[1])
			}
		}
	}
	for _, place := range ofMessage {
		add(place.FindAllStringSubmatch(source, -1))
	}
	for name := range maps.Clone(names) {
		if name != "" {
			add(regexp.MustCompile(`\b`+name+ofName).FindAllStringSubmatch(source, -1))
		}
	}
	return found
}

// A message that names a guide uses its title, by which a reader finds it in the registry.
func TestMessagesNameExistingGuides(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../templates/guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if title := regexp.MustCompile(`(?m)^page_title: (".+")$`).FindSubmatch(text); title != nil {
			titles = append(titles, string(title[1]))
		}
	}
	named := 0
	for name, source := range sources(t) {
		text := regexp.MustCompile(`" \+\n\s*"`).ReplaceAllString(source, "") // parts of one string
		for _, guide := range regexp.MustCompile(`the guide (\\".+?\\")`).FindAllStringSubmatch(text, -1) {
			named++
			if title := strings.ReplaceAll(guide[1], `\`, ""); !slices.Contains(titles, title) {
				t.Errorf("%s: no guide has the title %s", name, title)
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
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

func TestSectionURL(t *testing.T) {
	t.Parallel()
	const want = "https://github.com/assessascode/terraform-provider-assess/blob/main/docs/guides/messages.md#supervisors-profile-will-be-deleted"
	if got := tf.SectionURL("Supervisor's profile will be deleted"); got != want {
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
