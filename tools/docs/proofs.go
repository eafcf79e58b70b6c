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
			checkPart(part, path.Base(file), tests, &problems)
		}
	}
	return problems.err()
}

// checkPart adds problems if a part of a file promises something without a proof, or names tests that do not exist.
func checkPart(part, file string, tests map[string]bool, problems *problems) {
	proofs := proof.FindAllStringSubmatch(part, -1)
	promised := promise.FindString(notSaid.ReplaceAllString(part, ""))
	if promised != "" && len(proofs) == 0 {
		problems.add("%s: %q has no proof: %s", file, promised, strings.Join(strings.Fields(part), " "))
	}
	for _, match := range proofs {
		for name := range strings.SplitSeq(match[1], ",") {
			name = strings.TrimSpace(name)
			if !tests[name] {
				problems.add("%s: the proof %s does not exist", file, name)
			}
		}
	}
}

// partsOf returns the paragraphs, list items and rows of tables of a page. A comment on a line of its own belongs to
// the part before it. Headings and blocks of code are no parts.
func partsOf(source string) (parts []string) {
	eachProse(frontMatter.ReplaceAllString(source, ""), func(prose string) string {
		for paragraph := range strings.SplitSeq(prose, "\n\n") {
			isNew := true // whether the next line begins a part
			for line := range strings.Lines(paragraph) {
				switch {
				case strings.HasPrefix(line, "#"):
					isNew = true
				case isNew || newPart.MatchString(line):
					parts, isNew = append(parts, line), false
				default:
					parts[len(parts)-1] += line
				}
			}
		}
		return prose // nothing changes
	})
	return parts
}

// testsOf returns the names of all tests of the repository. It skips hidden folders, which contain tools and caches.
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
