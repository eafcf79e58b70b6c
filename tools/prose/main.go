// SPDX-License-Identifier: MPL-2.0

// Command prose checks the English of this repository:
//
//	prose ROOT [PATH ...]  fails if a text breaks a rule of rules.txt, or if a sentence has more than 30 words
//
// It reads Markdown, comments and the strings of programs: messages and
// descriptions are strings. Paths are relative to ROOT, and limit what is read.
// docs/ is left out, because it is generated from texts that are read.
//
// It also prints the rhythm of the pages that it reads: the average number of words in a sentence,
// and the share of sentences with fewer than eight words. This never fails.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: prose ROOT [PATH ...]")
		os.Exit(2)
	}
	findings, read, pages, err := check(context.Background(), os.Args[1], os.Args[2:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, finding := range findings {
		fmt.Println(finding)
	}
	fmt.Fprintf(os.Stderr, "prose: %d findings in %d files\n%s\n", len(findings), read, pages)
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// check reads the files that git knows below the paths, or all of them.
func check(ctx context.Context, root string, paths ...string) (findings []string, read int, pages rhythm, err error) {
	rules, err := parseRules(rulesText)
	if err != nil {
		return nil, 0, pages, err
	}
	arguments := append([]string{"ls-files", "-z", "-co", "--exclude-standard", "--"}, paths...)
	list := exec.CommandContext(ctx, "git", arguments...)
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return nil, 0, pages, fmt.Errorf("could not list the files of %s: %w", root, err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		extract := extractorOf(name)
		if extract == nil {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, but not committed
		}
		if err != nil {
			return nil, 0, pages, err
		}
		read++
		for _, p := range extract(string(source)) {
			for _, r := range rules {
				findings = append(findings, r.findings(name, p)...)
			}
			findings = append(findings, p.longSentences(name)...)
			pages.add(p)
		}
	}
	return findings, read, pages, nil
}
