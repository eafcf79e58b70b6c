// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Names, titles and messages are not trusted: they come from the service and from the author
// of a pull request. They reach a comment only through the functions of this file.

// maxName is how many characters of a name a table shows.
const maxName = 120

// codeSpan returns a name for a table, as HTML in <code>, in which hosts ignore mentions, references and links. For an
// empty name, it returns "(empty)". It cuts a name after maxName characters. Every ASCII character except letters,
// digits and spaces becomes a numeric entity, so that no Markdown and no HTML can form. Spaces that a browser would not
// show become ␣, and invisible characters become \u{...} ([showInvisible]).
func codeSpan(name string) string {
	name = showInvisible(strings.ReplaceAll(name, "\t", `\u{0009}`))
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName]) + "…"
	}
	if name == "" {
		return "(empty)"
	}
	var b strings.Builder
	b.WriteString("<code>")
	for i, r := range name {
		switch {
		case r == ' ' && (i == 0 || i == len(name)-1 || name[i-1] == ' '):
			b.WriteRune('␣')
		case r > unicode.MaxASCII, r == ' ', unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	b.WriteString("</code>")
	return b.String()
}

// codeSpans returns the names as code spans, separated by commas. If the list is long, it returns only the first names
// and says how many more there are.
func codeSpans(names []string) string {
	const most = 8
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, codeSpan(name))
	}
	if more := len(names) - len(shown); more > 0 {
		return strings.Join(shown, ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(shown, ", ")
}

// side is the side of a text that is kept if the text is too long.
type side int

const (
	beginning side = iota
	end
)

const indent = "    " // of each line of a code block

// indentedBlock returns a text as an indented code block of at most limit bytes, and whether the text was cut. If the
// text is too long, the parameter keep determines which side is kept, and the block is "" if only spaces fit. Each line
// is indented, so no line can end the block, and is safe in a log ([literal]). It leaves out empty lines around it.
func indentedBlock(text string, limit int, keep side) (block string, cut bool) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var whole strings.Builder
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		whole.WriteString(indent + literal(line) + "\n")
		if whole.Len() > limit && keep == beginning {
			break // the rest does not fit
		}
	}
	block = whole.String()
	switch {
	case len(block) <= limit:
		return block, false
	case keep == beginning:
		return closed(block[:max(0, limit-len("\n"))]), true
	}
	return endOfBlock(block, limit), true
}

// endOfBlock returns the last lines of a longer block, in at most limit bytes. The first line may be incomplete. Its
// indentation is replaced with indent.
func endOfBlock(block string, limit int) string {
	last := block[len(block)-max(0, limit-len(indent)):]
	last = strings.ToValidUTF8(last, "") // the cut may have split a character
	return closed(indent + strings.TrimLeft(last, " \n"))
}

// closed ends a part of a block with one line break. It removes a character that the cut has split. It returns "" if
// the part contains only spaces.
func closed(part string) string {
	part = strings.TrimRight(strings.ToValidUTF8(part, ""), " \n")
	if part == "" {
		return ""
	}
	return part + "\n"
}

// showInvisible replaces characters that a reader cannot see, or that move other text, with \u{...}. These are control
// and format characters (some change the direction of text), line breaks, unusual spaces, characters that Unicode does
// not define or leaves to private use, the characters in invisible, and each combining mark that follows two others.
// Tabs stay. Bytes that are not UTF-8 become \x{...}.
func showInvisible(text string) string {
	var b strings.Builder
	marks := 0 // in a row
	for i, r := range text {
		marks++
		if !unicode.Is(unicode.M, r) {
			marks = 0
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1: // not UTF-8. A U+FFFD in the text has three bytes
			fmt.Fprintf(&b, `\x{%02x}`, text[i])
		case r == '\t', unicode.IsPrint(r) && marks <= 2 && !strings.ContainsRune(invisible, r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%04x}`, r)
		}
	}
	return b.String()
}

// literal returns a text that is safe in a log: it shows invisible characters, and changes commands of a pipeline (see
// [assessapi.WithoutCommands]).
func literal(text string) string { return assessapi.WithoutCommands(showInvisible(text)) }

// invisible contains characters that Unicode classifies as printable, but that show nothing. It does not contain the
// variation selectors, because emoji need them.
const invisible = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159"
