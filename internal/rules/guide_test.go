// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const guide = "../../templates/guides/troubleshooting-plan.md"

var (
	guideTables = regexp.MustCompile(`(?s)\n## What a plan refuses\n(.*?)\n## `)
	// guideRow has messages, what is refused, and how to fix it.
	guideRow = regexp.MustCompile(`(?m)^\| (.*(?:</a>|\]\().*) \| (.+) \| (.+) \|$`)
	// guideMessage is a message with its anchor, or with a link to its section.
	guideMessage = regexp.MustCompile(`<a id="([a-z0-9-]+)"></a>([^,<|]+)|\[([^]]+)\]\(#([a-z0-9-]+)\)`)
)

// The tables "What a plan refuses" of the troubleshooting pages list exactly the rules. Each row
// has the anchor of its message, or links to the section of its message.
func TestGuideListsEveryRule(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	tables := guideTables.FindSubmatch(page)
	if tables == nil {
		t.Fatalf("%s has no section %q", guide, "What a plan refuses")
	}
	var got []string
	for _, row := range guideRow.FindAllSubmatch(tables[1], -1) {
		for _, message := range guideMessage.FindAllStringSubmatch(string(row[1]), -1) {
			summary, anchor := message[2]+message[3], message[4]
			got = append(got, summary)
			section := regexp.MustCompile(`<a id="` + anchor + `"></a>\n(?:<a id="[a-z0-9-]+"></a>\n)*### ([^\n]+)\n`).
				FindSubmatch(page)
			if anchor != "" && (section == nil || !slices.Contains(strings.Split(string(section[1]), ", "), summary)) {
				t.Errorf("the link %q does not lead to a heading with %q", anchor, summary)
			}
		}
	}
	slices.Sort(got)
	// The last one is the only warning that is not about a rule, but about a check that was not made.
	want := []string{"Could not check all removals"}
	for rule := range Summaries {
		want = append(want, Finding{Rule: rule}.Section())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the guide lists\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every constant from the first rule to the last has a summary.
func TestEveryRuleHasASummary(t *testing.T) {
	t.Parallel()
	for rule := UnknownAssessment; rule <= ProfileDeleted; rule++ {
		if Summaries[rule] == "" {
			t.Errorf("rule %d has no summary", rule)
		}
	}
	if n := len(Summaries); n != int(ProfileDeleted) {
		t.Errorf("%d summaries, want %d", n, ProfileDeleted)
	}
}
