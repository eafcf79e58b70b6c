// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const guide = "../../templates/guides/troubleshooting.md"

var (
	guideTable = regexp.MustCompile(`(?s)\n## What a plan refuses\n(.*?)\n(?:## |\z)`)
	guideRow   = regexp.MustCompile(`^\| (\d+) \| \[([^]]+)\]\(#([a-z0-9-]+)\) \| (.+) \| (.+) \|$`)
)

// The table "What a plan refuses" of the troubleshooting guide lists exactly the rules,
// by number and summary. Each row links to the section of its message.
func TestGuideListsEveryRule(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	table := guideTable.FindSubmatch(page)
	if table == nil {
		t.Fatalf("%s has no section %q", guide, "What a plan refuses")
	}
	var got []string
	for line := range strings.Lines(string(table[1])) {
		line = strings.TrimSpace(line)
		if !regexp.MustCompile(`^\| *\d`).MatchString(line) {
			continue
		}
		row := guideRow.FindStringSubmatch(line)
		if row == nil {
			t.Errorf("row lacks a number, a linked summary, what is refused, or a fix: %s", line)
			continue
		}
		number, summary, anchor := row[1], row[2], row[3]
		got = append(got, number+" "+summary)
		section := regexp.MustCompile(`\n(?:<a id="[a-z0-9-]+"></a>\n)*<a id="` + anchor +
			`"></a>\n(?:<a id="[a-z0-9-]+"></a>\n)*### ([^\n]+)\n`).FindSubmatch(page)
		if section == nil || !slices.Contains(strings.Split(string(section[1]), ", "), summary) {
			t.Errorf("the link %q of rule %s does not lead to a heading with %q", anchor, number, summary)
		}
	}
	var want []string
	for _, rule := range slices.Sorted(maps.Keys(Summaries)) {
		want = append(want, fmt.Sprintf("%d %s", rule, Summaries[rule]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the guide lists\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every constant from the first rule to the last has a summary.
func TestEveryRuleHasASummary(t *testing.T) {
	t.Parallel()
	for rule := UnknownAssessment; rule <= KeptRemoved; rule++ {
		if Summaries[rule] == "" {
			t.Errorf("rule %d has no summary", rule)
		}
	}
	if n := len(Summaries); n != int(KeptRemoved) {
		t.Errorf("%d summaries, want %d", n, KeptRemoved)
	}
}
