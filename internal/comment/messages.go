// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"regexp"
	"strings"
)

// withoutChecks returns the messages without those of check blocks, and what failed checks say.
func (e events) withoutChecks() (others []diagnostic, failed []string) {
	for _, d := range e.diagnostics {
		switch d.Summary {
		case "Check block assertion known after apply": // only says that a check runs during the apply
		case "Check block assertion failed":
			failed = append(failed, d.Detail)
		default:
			others = append(others, d)
		}
	}
	return others, failed
}

// forReaders returns a message without advice that requires access to the state. The guide to which the
// message links has it. address replaces the placeholder of an address. If the advice contains code, it is
// returned separately, because most readers do not write configurations.
func forReaders(detail, address string) (what, fix string) {
	paragraphs := strings.Split(detail, "\n\n")
	command := func(i int) bool { return i >= 0 && i < len(paragraphs) && isCommand(paragraphs[i]) }
	var kept []string
	for i, text := range paragraphs {
		before := strings.HasSuffix(text, ":") && command(i+1)
		after := strings.HasPrefix(text, "Then ") && command(i-1)
		if !command(i) && !before && !after {
			kept = append(kept, text)
		}
	}
	what = strings.Join(kept, "\n\n")
	if address != "" {
		what = strings.NewReplacer("'ADDRESS'", "'"+address+"'", "<address>", address).Replace(what)
	}
	if begin := strings.Index(what, "To fix this:"); begin >= 0 && strings.Contains(what[begin:], "\n\n  ") {
		return what[:begin], what[begin:]
	}
	return what, ""
}

// isCommand reports whether a paragraph is a command of the CLI, or turns checks off.
func isCommand(paragraph string) bool {
	return strings.HasPrefix(strings.TrimSpace(paragraph), "terraform ") || advice.MatchString(paragraph)
}

var advice = regexp.MustCompile(
	`ASSESS_PLAN_CHECKS|ASSESS_ADOPT_EXISTING|plan_checks = false|this command|-lock=false|state rm`)

// messages returns the errors and warnings of the CLI and the provider, in at most room bytes.
func (c comment) messages(room int) string {
	const more = "There are more messages: the log of the run has the rest.\n\n"
	text := ""
	for i, d := range c.events.diagnostics {
		word := map[bool]string{true: "Error", false: "Warning"}[d.Severity == "error"]
		detail := d.Summary + "\n"
		if d.Address != "" {
			detail += "(" + d.Address + ")\n"
		}
		what, fix := forReaders(d.Detail, d.Address)
		left := room - len(text) - len(more)
		message := section(fmt.Sprintf("%s (message %d):\n\n", word, i+1), detail+"\n"+what, "\n", left, false)
		title := fmt.Sprintf("<details><summary>For engineers: how to fix message %d</summary>\n\n", i+1)
		advice := section(title, fix, folded, left-len(message), false)
		text += message + advice
		if message == "" || advice == "" && fix != "" {
			return text + more
		}
	}
	return text
}
