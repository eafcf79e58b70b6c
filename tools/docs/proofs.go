// SPDX-License-Identifier: MPL-2.0

package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	// promise matches the words of a promise.
	promise = regexp.MustCompile(`(?i)\b(?:always|never|every|cannot|guarantee[sd]?)\b`)
	// proof is a comment that names the tests that prove what its paragraph promises.
	proof = regexp.MustCompile(`<!-- proof: ([^>]+) -->`)
	// notSaid matches what a page does not say: comments, tags, addresses of links, and names in a configuration.
	notSaid = regexp.MustCompile("<[!/a-z][^>]*>|\\]\\([^)]*\\)|`[^`]*`")
	// newPart matches a line that begins a list item or a row of a table.
	newPart = regexp.MustCompile(`^\s*(?:[-*] |\||\d+\. )`)
	test    = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// checkProofs fails if a guide or SECURITY.md promises something without a proof, or names a test that does not exist.
// A paragraph, a list item or a row of a table that promises something contains a comment such as
// "<!-- proof: TestLifecycle -->".
func checkProofs(root string) error {
	tests, err := testsOf(root)
	if err != nil {
		return err
	}
	files := os.DirFS(root)
	guides, err := fs.Glob(files, "templates/guides/*.md")
	if err != nil {
		return err
	}
	var problems problems
	for _, file := range append(guides, "SECURITY.md") {
		source, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		for _, part := range partsOf(string(source)) {
			proofs := proof.FindAllStringSubmatch(part, -1)
			if word := promise.FindString(notSaid.ReplaceAllString(part, "")); word != "" && len(proofs) == 0 {
				problems.add("%s: %q has no proof: %s", path.Base(file), word, strings.Join(strings.Fields(part), " "))
			}
			for _, match := range proofs {
				for name := range strings.SplitSeq(match[1], ",") {
					if name = strings.TrimSpace(name); !tests[name] {
						problems.add("%s: the proof %s does not exist", path.Base(file), name)
					}
				}
			}
		}
	}
	return problems.err()
}

// partsOf returns the paragraphs, list items and rows of tables of a page. A comment on a line of its own belongs to
// the part before it. Headings are no parts.
func partsOf(source string) (parts []string) {
	eachProse(frontMatter.ReplaceAllString(source, ""), func(prose string) string {
		for paragraph := range strings.SplitSeq(prose, "\n\n") {
			start := true
			for line := range strings.Lines(paragraph) {
				switch {
				case strings.HasPrefix(line, "#"):
					start = true
				case start || newPart.MatchString(line):
					parts, start = append(parts, line), false
				default:
					parts[len(parts)-1] += line
				}
			}
		}
		return prose
	})
	return parts
}

// testsOf returns the names of all tests of the repository.
func testsOf(root string) (map[string]bool, error) {
	names := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && file != root
		switch {
		case err != nil:
			return err
		case entry.IsDir() && hidden:
			return fs.SkipDir
		case !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(file)
		for _, match := range test.FindAllStringSubmatch(string(source), -1) {
			names[match[1]] = true
		}
		return err
	})
	return names, err
}
