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

// findings returns what checks have found, in at most room bytes.
func findings(title string, texts []string, room int) string {
	if len(texts) == 0 {
		return ""
	}
	indented, cut := block(strings.Join(texts, "\n\n"), room-len(title)-100, false)
	if cut {
		indented += "\nThis list was cut: the log of the run has the rest.\n"
	}
	return title + "\n\n" + indented + "\n"
}

// forReaders returns a message without advice that requires access to the state. The
// guide to which the message links has it. address replaces the placeholder of an address.
func forReaders(detail, address string) string {
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
	text := strings.Join(kept, "\n\n")
	if address == "" {
		return text
	}
	return strings.NewReplacer("'ADDRESS'", "'"+address+"'", "<address>", address).Replace(text)
}

// isCommand reports whether a paragraph is a command of the CLI, or turns checks off.
func isCommand(paragraph string) bool {
	return strings.HasPrefix(strings.TrimSpace(paragraph), "terraform ") || advice.MatchString(paragraph)
}

var advice = regexp.MustCompile(
	`ASSESS_PLAN_CHECKS|ASSESS_ADOPT_EXISTING|plan_checks = false|this command|-lock=false|state rm`)

// messages returns the errors and warnings of the CLI and the provider, in at most room bytes.
func (c comment) messages(room int) string {
	const reserve = 120 // for the last sentence
	var b strings.Builder
	for i, d := range c.events.diagnostics {
		title := fmt.Sprintf("Warning (message %d):\n\n", i+1)
		if d.Severity == "error" {
			title = fmt.Sprintf("Error (message %d):\n\n", i+1)
		}
		text := d.Summary + "\n"
		if d.Address != "" {
			text += "(" + d.Address + ")\n"
		}
		text += "\n" + forReaders(d.Detail, d.Address)
		indented, cut := block(text, room-b.Len()-len(title)-reserve, false)
		if indented == "" {
			return b.String() + "There are more messages: the log of the run has the rest.\n\n"
		}
		b.WriteString(title + indented + "\n")
		if cut {
			return b.String() + "This message was cut: the log of the run has the rest.\n\n"
		}
	}
	return b.String()
}
