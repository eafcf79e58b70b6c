// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"strings"
)

// forReaders returns the part of a message for all readers, and the part for engineers. The parts are separate only in
// a message of the provider that contains code, because most readers do not write configurations. Otherwise, fix is "".
// The address of the resource replaces the placeholders for it.
func (d diagnostic) forReaders() (what, fix string) {
	detail := strings.TrimPrefix(d.Detail, "\n") // an empty line after the address
	if d.Address != "" {
		quoted := "'" + strings.ReplaceAll(d.Address, "'", `'\''`) + "'" // for a shell
		detail = strings.NewReplacer("'ADDRESS'", quoted, "<address>", d.Address).Replace(detail)
	}
	what, fix, _ = strings.Cut(detail, "\n\n")
	if d.code() == "" || !strings.Contains("\n"+fix, "\n  ") {
		return detail, ""
	}
	return what, fix
}

// messageSections returns the errors and warnings of the CLI and the provider, in at most room bytes. If not all have
// room, a sentence at the end says so, also without room for it. A message without details is left out if its summary
// was shown before, because the rows of the table name the objects. Messages that are left out have numbers, too. In a
// comment about drift, the warnings are last, and a click opens them.
func (c comment) messageSections(room int) string {
	const more = "There are more messages: the log of the run has the rest.\n\n"
	room -= len(more) + len(foldedSection("Warnings", " ")) // both may follow the messages
	text, warnings, rest := "", "", ""
	shown := map[string]bool{} // by summary
	for i, d := range c.events.diagnostics {
		if d.isShort() && shown[d.Summary] {
			continue
		}
		shown[d.Summary] = true
		section, fits := d.section(i+1, room-len(text)-len(warnings))
		if c.Kind == "drift" && !d.isError() { // the table says already what has drifted
			warnings += section
		} else {
			text += section
		}
		if !fits {
			rest = more
			break
		}
	}
	return text + foldedSection("Warnings", warnings) + rest
}

// section returns a message with its number, and then the part for engineers, in at most room bytes. It cuts a part
// that is too long, and leaves out a part without room. fits is false if it has left out a part.
func (d diagnostic) section(number, room int) (text string, fits bool) {
	what, fix := d.forReaders()
	word := "Warning"
	if d.isError() {
		word = "Error"
	}
	title := fmt.Sprintf("%s (message %d):\n\n", word, number)
	message := cutSection(title, d.head()+"\n"+what, "\n", room, beginning)
	title = fmt.Sprintf("<details><summary>For engineers: how to fix message %d</summary>\n\n", number)
	advice := cutSection(title, fix, folded, room-len(message), beginning)
	return message + advice, message != "" && (advice != "" || fix == "")
}

// head returns the first lines of a message: its summary, the address of the resource, and the place in a file. A
// message of the provider has no place, because it names what to correct.
func (d diagnostic) head() string {
	head := d.Summary + "\n"
	if d.Address != "" {
		head += "(" + d.Address + ")\n"
	}
	if d.Range != nil && d.Range.Filename != "" && d.code() == "" {
		head += fmt.Sprintf("%s line %d\n", d.Range.Filename, d.Range.Start.Line)
	}
	return head
}

// foldedSection returns a section that a click opens, or "" if there is no text.
func foldedSection(title, text string) string {
	if text == "" {
		return ""
	}
	return "<details><summary>" + title + "</summary>\n\n" + text + folded
}
