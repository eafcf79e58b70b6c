// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"slices"
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
	var kept []string
	paragraphs := strings.Split(detail, "\n\n")
	for i, text := range paragraphs {
		command := isCommand(text)
		before := strings.HasSuffix(text, ":") && i+1 < len(paragraphs) && isCommand(paragraphs[i+1])
		after := strings.HasPrefix(text, "Then ") && i > 0 && isCommand(paragraphs[i-1])
		if !command && !before && !after {
			kept = append(kept, text)
		}
	}
	text := strings.Join(kept, "\n\n")
	if address != "" {
		text = strings.NewReplacer("'ADDRESS'", "'"+address+"'", "<address>", address).Replace(text)
	}
	return text
}

// isCommand reports whether a paragraph is a command of the CLI, or turns checks off.
func isCommand(paragraph string) bool {
	return strings.HasPrefix(strings.TrimSpace(paragraph), "terraform ") ||
		slices.ContainsFunc([]string{
			"ASSESS_PLAN_CHECKS", "ASSESS_ADOPT_EXISTING", "plan_checks = false", "this command", "-lock=false", "state rm",
		}, func(text string) bool { return strings.Contains(paragraph, text) })
}

// messages returns the errors and warnings of the CLI and the provider, in at most room bytes.
func (c comment) messages(room int) string {
	var b strings.Builder
	add := func(title, text string) bool {
		const reserve = 120 // for the last sentence
		indented, cut := block(text, room-b.Len()-len(title)-reserve, false)
		if indented == "" {
			b.WriteString("There are more messages: the log of the run has them.\n\n")
			return false
		}
		b.WriteString(title + "\n\n" + indented + "\n")
		if cut {
			b.WriteString("This message was cut: the log of the run has the rest.\n\n")
		}
		return !cut
	}
	for i, d := range c.events.diagnostics {
		word := "Warning"
		if d.Severity == "error" {
			word = "Error"
		}
		detail := forReaders(d.Detail, d.Address)
		text := d.Summary + "\n\n" + detail
		if d.Address != "" {
			text = d.Summary + "\n(" + d.Address + ")\n\n" + detail
		}
		if !add(fmt.Sprintf("%s (message %d):", word, i+1), text) {
			return b.String()
		}
	}
	return b.String()
}
