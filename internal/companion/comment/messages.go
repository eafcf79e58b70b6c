// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"strings"
)

// forReaders returns what a message says. The rest of a message of the provider is separate if it contains code,
// because most readers do not write configurations. The address replaces its placeholders.
func (d diagnostic) forReaders() (what, fix string) {
	detail := strings.TrimPrefix(d.Detail, "\n") // an empty line after the address
	if d.Address != "" {
		detail = strings.NewReplacer("'ADDRESS'", "'"+d.Address+"'", "<address>", d.Address).Replace(detail)
	}
	what, fix, _ = strings.Cut(detail, "\n\n")
	if d.code() == "" || !strings.Contains("\n"+fix, "\n  ") {
		return detail, ""
	}
	return what, fix
}

// messages returns the errors and warnings of the CLI and the provider, in at most room bytes.
func (c comment) messages(room int) string {
	const more = "There are more messages: the log of the run has the rest.\n\n"
	text, said := "", map[string]bool{}
	for i, d := range c.events.diagnostics {
		if d.isShort() && said[d.Summary] { // the rows name the others
			continue
		}
		said[d.Summary] = true
		word := map[bool]string{true: "Error", false: "Warning"}[d.isError()]
		detail := d.Summary + "\n"
		if d.Address != "" {
			detail += "(" + d.Address + ")\n"
		}
		if d.Range != nil && d.Range.Filename != "" && d.code() == "" { // a message of the provider names what to correct
			detail += fmt.Sprintf("%s line %d\n", d.Range.Filename, d.Range.Start.Line)
		}
		what, fix := d.forReaders()
		left := room - len(text) - len(more)
		message := cutSection(fmt.Sprintf("%s (message %d):\n\n", word, i+1), detail+"\n"+what, "\n", left, false)
		title := fmt.Sprintf("<details><summary>For engineers: how to fix message %d</summary>\n\n", i+1)
		advice := cutSection(title, fix, folded, left-len(message), false)
		text += message + advice
		if message == "" || advice == "" && fix != "" {
			return text + more
		}
	}
	return text
}
