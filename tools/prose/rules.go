// SPDX-License-Identifier: MPL-2.0

package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed rules.txt
var rulesText string

// rule is a pattern that texts must not match.
type rule struct {
	pattern   *regexp.Regexp
	advice    string
	only      string // kinds of text that the rule is for, or "" for all
	except    string // beginning of the paths that the rule is not for
	bad, good []string
}

// parseRules reads rules.txt, which explains its own form.
func parseRules(text string) ([]rule, error) {
	var rules []rule
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !strings.HasPrefix(line, " ") {
			// A line break in the text counts as a space.
			pattern, err := regexp.Compile("(?i)" + strings.ReplaceAll(line, " ", `\s+`))
			if err != nil {
				return nil, fmt.Errorf("rules.txt:%d: %w", number, err)
			}
			rules = append(rules, rule{pattern: pattern})
			continue
		}
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if len(rules) == 0 || value == "" {
			return nil, fmt.Errorf("rules.txt:%d: expected KEY: VALUE below a pattern", number)
		}
		r := &rules[len(rules)-1]
		switch key {
		case "say":
			r.advice = value
		case "only":
			r.only = value
		case "except":
			r.except = value
		case "bad":
			r.bad = append(r.bad, value)
		case "good":
			r.good = append(r.good, value)
		default:
			return nil, fmt.Errorf("rules.txt:%d: unknown key %q", number, key)
		}
	}
	return rules, nil
}

// findings returns a line for each match of the rule in a passage.
func (r rule) findings(file string, p passage) []string {
	if r.only != "" && !strings.Contains(r.only, string(p.kind)) || r.except != "" && strings.HasPrefix(file, r.except) {
		return nil
	}
	var found []string
	for _, at := range r.pattern.FindAllStringIndex(p.text, -1) {
		match := strings.Join(strings.Fields(p.text[at[0]:at[1]]), " ")
		found = append(found, fmt.Sprintf("%s:%d: %q: %s", file, p.lineAt(at[0]), match, r.advice))
	}
	return found
}
