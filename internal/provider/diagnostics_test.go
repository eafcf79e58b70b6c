// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Summaries that are built at run time have a section in the troubleshooting pages.
// "make docs-check" checks all other summaries.
func TestBuiltSummariesHaveSections(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../templates/guides/troubleshooting-*.md")
	if err != nil {
		t.Fatal(err)
	}
	var page []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page = append(page, text...)
	}
	summaries := []string{
		"No position assessment found", "Could not list the disabled skills tests",
		"Could not check the benchmarks", "Could not check the profiles",
		"Missing address of the service", "Missing Client Identifier", "Missing API key",
	}
	for _, names := range [][2]variant{
		{assessmentLookup.singular, assessmentLookup.plural},
		{positionLookup.singular, positionLookup.plural},
		{packageLookup.singular, packageLookup.plural},
		{benchmarkLookup.singular, benchmarkLookup.plural},
		{profileLookup.singular, profileLookup.plural},
		{skillsTestLookup.singular, skillsTestLookup.plural},
	} {
		summaries = append(summaries, "No "+names[0].name+" found", "Several "+names[0].name+"s found",
			"Could not list the "+names[1].name)
	}
	for _, summary := range summaries {
		_, anchor, _ := strings.Cut(sectionURL(summary), "#")
		if !strings.Contains(string(page), `<a id="`+anchor+`"></a>`) || !strings.Contains(string(page), summary) {
			t.Errorf("the guide has no section %q with the anchor %q", summary, anchor)
		}
	}
}

func TestSectionURL(t *testing.T) {
	t.Parallel()
	const want = "https://registry.terraform.io/providers/assessascode/assess/latest/docs/guides/troubleshooting#could-not-list-the-positions-assessments"
	if got := sectionURL("Could not list the position's assessments"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
