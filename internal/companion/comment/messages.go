// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// forReaders splits a message into a part for all readers (what) and a part for engineers (fix), because most readers
// do not write configurations. It splits only a message of the provider that contains lines of code. It returns any
// other message whole, with "" as the part for engineers. In both parts, the address of the resource replaces the
// placeholders 'ADDRESS' and <address>.
func (d diagnostic) forReaders() (what, fix string) {
	detail := strings.TrimPrefix(d.Detail, "\n") // a detail may begin with an empty line
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

// messageSections returns the errors and warnings of the CLI and the provider, in about room bytes. It cuts what is too
// long. If there is no room for a message or a part of it, the result ends there, with a sentence that says so. It
// leaves out each message that [numberOf] replaces with an earlier one, without renumbering the others.
func (c comment) messageSections(room int) string {
	const rest = "Not everything fits here: the log of the run has the rest.\n\n"
	text := ""
	for i, d := range c.events.diagnostics {
		if numberOf(i, c.events.diagnostics) != i+1 {
			continue
		}
		section, fits := d.section(i+1, room-len(text)-len(rest))
		text += section
		if !fits {
			return text + rest
		}
	}
	return text
}

// numberOf returns the number of the message at an index, or the number of the first message with the same summary if
// the message has no details. The rows of the table then name the objects.
func numberOf(index int, all []diagnostic) int {
	if !all[index].isShort() {
		return index + 1
	}
	return slices.IndexFunc(all, func(d diagnostic) bool { return d.Summary == all[index].Summary }) + 1
}

// section returns a numbered message followed by the part for engineers. The parameter room is the maximum length in
// bytes. section cuts a part that is too long. If there is no room for a part, it leaves out the part, and fits is
// false.
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

// head returns the first lines of a message: its summary, the address of the resource, and the place in a file. For a
// message of the provider, it leaves out the place, because the message names what to correct. For a message about an
// adoption, it leaves out the address, which can be that of another resource.
func (d diagnostic) head() string {
	head := d.Summary + "\n"
	if d.Address != "" && !d.warns(messages.Adopted) {
		head += "(" + d.Address + ")\n"
	}
	if d.Range != nil && d.Range.Filename != "" && d.code() == "" {
		head += fmt.Sprintf("%s line %d\n", d.Range.Filename, d.Range.Start.Line)
	}
	return head
}
