// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"regexp"
	"strings"
)

// style is how a terminal shows text. The zero value is plain text.
type style struct {
	bold, underline bool
	color           string // a CSS class, or "" for the color of plain text
}

// span is a part of one line with one style.
type span struct {
	column int // of its first character, from 0
	text   string
	style  style
}

// colors are the classes of the ANSI colors that the CLIs and tools/pictures.sh use.
var colors = map[string]string{"31": "red", "32": "green", "33": "yellow", "36": "cyan", "90": "gray"}

var sequence = regexp.MustCompile(`^\x1b\[([0-9;]*)m`)

// parse returns the lines of the text, each at most as long as the terminal is wide. It
// returns an error for a control character or an ANSI sequence that it cannot draw.
func parse(text string, columns int) ([][]span, error) {
	var lines [][]span
	var now style
	for source := range strings.Lines(text) {
		var line []span
		column := 0
		for rest := strings.TrimRight(source, "\r\n"); rest != ""; {
			if found := sequence.FindStringSubmatch(rest); found != nil {
				var err error
				if now, err = now.after(found[1]); err != nil {
					return nil, err
				}
				rest = rest[len(found[0]):]
				continue
			}
			if column == columns {
				lines = append(lines, line)
				line, column = continued(line)
			}
			char := []rune(rest)[0]
			if char < ' ' {
				return nil, fmt.Errorf("cannot draw the control character %q", char)
			}
			if last := len(line) - 1; last >= 0 && line[last].style == now {
				line[last].text += string(char)
			} else {
				line = append(line, span{column: column, text: string(char), style: now})
			}
			rest = rest[len(string(char)):]
			column++
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// continued returns the beginning of the line after a line that is too long, and its first
// free column. A message keeps its edge.
func continued(line []span) ([]span, int) {
	if edge := line[0]; edge.text == "│" {
		return []span{edge}, 2
	}
	return nil, 0
}

// after returns the style after an ANSI sequence with these codes.
func (s style) after(codes string) (style, error) {
	for code := range strings.SplitSeq(codes, ";") {
		switch color, known := colors[code]; {
		case known:
			s.color = color
		case code == "" || code == "0":
			s = style{}
		case code == "1":
			s.bold = true
		case code == "4":
			s.underline = true
		default:
			return s, fmt.Errorf("cannot draw the ANSI code %q", code)
		}
	}
	return s, nil
}
