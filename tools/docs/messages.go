// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The messages of the provider link to troubleshooting, the index of the pages with a section for each
// message. So a section can move to another page, and the links of released versions still work.
const (
	troubleshooting      = "docs/guides/troubleshooting.md"
	troubleshootingPages = "docs/guides/troubleshooting-*.md"
	indexMark            = "<!-- sections -->\n" // the line of the index that addIndex replaces
)

// section explains a message, or something else that its title names.
type section struct{ title, page string }

// rowPattern matches a message in the first cell of a row.
var rowPattern = regexp.MustCompile(`<a id="[^"]+"></a>([^<|,]+)`)

// sections returns the sections of the troubleshooting pages. The heading of a section is the summary of its
// message, or of several messages separated by commas, with their anchors directly before it. A section can
// also be a row of a table that begins with anchors and summaries.
func sections(root string) (all []section, err error) {
	files, err := filepath.Glob(filepath.Join(root, troubleshootingPages))
	for _, file := range files {
		guide, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		page := filepath.Base(file)
		afterAnchor := false
		for line := range strings.Lines(string(guide)) {
			if title, ok := strings.CutPrefix(strings.TrimSpace(line), "### "); ok {
				titles := []string{title}
				if afterAnchor {
					titles = strings.Split(title, ", ")
				}
				for _, title := range titles {
					all = append(all, section{title, page})
				}
			}
			if cells, ok := strings.CutPrefix(line, "| <a id="); ok {
				first, _, _ := strings.Cut("<a id="+cells, " | ")
				for _, match := range rowPattern.FindAllStringSubmatch(first, -1) {
					all = append(all, section{strings.TrimSpace(match[1]), page})
				}
			}
			afterAnchor = strings.HasPrefix(line, "<a id=")
		}
	}
	return all, err
}

// addIndex lists the sections of the troubleshooting pages in their index. Each has there the anchor
// to which the link in the message leads.
func addIndex(root string) error {
	index := filepath.Join(root, troubleshooting)
	text, err := os.ReadFile(index)
	if err != nil {
		return err
	}
	all, err := sections(root)
	if err != nil {
		return err
	}
	var rows []string
	for _, s := range all {
		rows = append(rows, fmt.Sprintf("- [%s](%s#%[3]s)<a id=\"%[3]s\"></a>\n", s.title, s.page, anchorOf(s.title)))
	}
	slices.SortFunc(rows, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	before, after, found := strings.Cut(string(text), indexMark)
	if !found {
		return fmt.Errorf("%s has no line %q", troubleshooting, strings.TrimSpace(indexMark))
	}
	return os.WriteFile(index, []byte(before+strings.Join(rows, "")+after), 0o644)
}

// anchorOf returns the anchor of a message. The provider computes it in the same way
// (sectionURL in internal/provider).
func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

var (
	// build matches where the provider builds a message, with a summary or the name of one.
	build = regexp.MustCompile(
		`\b(?:(?:newError|newWarning|failure|sectionURL)\(|newAttributeError\((?:[^"]|"\w+"\))*?,)\s*("[^"]+"|\w+)[,)]`)
	// named matches a name and its summary.
	named = regexp.MustCompile(`(?m)\b(\w+)\s*:?= ("[^"]+")$`)
	// unlinked matches functions of the framework, which add no link to the message.
	unlinked = regexp.MustCompile(`\bdiag\.New\w+Diagnostic\(|\.Add(?:Attribute)?(?:Error|Warning)\(`)
)

// checkMessages fails if the index lacks a message of the provider, or if a message has no link to it. Tests of
// internal/rules and internal/provider check the messages of the rules, and those whose summaries are built at
// run time.
func checkMessages(root string) error {
	index, err := os.ReadFile(filepath.Join(root, troubleshooting))
	if err != nil {
		return err
	}
	var problems problems
	files, _ := filepath.Glob(filepath.Join(root, "internal", "provider", "*.go"))
	var source strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		switch name := filepath.Base(file); {
		case strings.HasSuffix(name, "_test.go"):
		case name != "diagnostics.go" && unlinked.Match(text):
			problems.add("%s: build messages with the functions of diagnostics.go, which add a link", name)
		default:
			source.Write(text)
		}
	}
	names := map[string][]string{}
	for _, match := range named.FindAllStringSubmatch(source.String(), -1) {
		names[match[1]] = append(names[match[1]], match[2])
	}
	for _, match := range build.FindAllStringSubmatch(source.String(), -1) {
		summaries := names[match[1]]
		if match[1][0] == '"' {
			summaries = match[1:]
		}
		for _, summary := range summaries {
			if anchor := `<a id="` + anchorOf(summary) + `"></a>`; !strings.Contains(string(index), anchor) {
				problems.add("%s: no section for the message %s", troubleshootingPages, summary)
			}
		}
	}
	return problems.err()
}
