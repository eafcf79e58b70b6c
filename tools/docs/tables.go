// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// longestCell is the number of characters of a table's cell that fit on a screen.
const longestCell = 120

// notCounted matches links and tags. Links do not count, because their addresses are not shown.
var notCounted = regexp.MustCompile(`\[[^\]]*\]\([^)]*\)|<[^>]+>`)

// checkTables fails if a cell of a table is too long. Examples show comments with tables that the provider wrote.
func checkTables(root string) error {
	pages, err := readPages(root)
	if err != nil {
		return err
	}
	var problems []string
	for _, p := range pages {
		if strings.HasPrefix(p.path, "examples/") {
			continue
		}
		number, inFence := 0, false
		for line := range strings.Lines(p.source) {
			number++
			inFence = inFence != fenceMark.MatchString(line)
			if inFence || !strings.HasPrefix(line, "|") {
				continue
			}
			for _, cell := range strings.Split(notCounted.ReplaceAllString(line, ""), "|") {
				if n := utf8.RuneCountInString(strings.TrimSpace(cell)); n > longestCell {
					problems = append(problems, fmt.Sprintf("%s:%d: %d characters in a cell, want at most %d: %s",
						p.path, number, n, longestCell, strings.TrimSpace(cell)))
				}
			}
		}
	}
	return joined(problems)
}
