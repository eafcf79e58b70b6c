// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Sizes in pixels.
const (
	charWidth  = 8
	lineHeight = 18
	baseline   = 13 // from the top of a line
	margin     = 24
	bar        = 36 // the bar at the top of the window
)

const look = `
    rect, circle { fill: #30363d; }
    .window { fill: #0d1117; stroke: #30363d; }
    text { font: 13.3px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #e6edf3; }
    .bold { font-weight: 700; }
    .underline { text-decoration: underline; }
    text.red, rect.red { fill: #ff7b72; }
    text.green, rect.green { fill: #7ee787; }
    text.yellow, rect.yellow { fill: #e3b341; }
    text.cyan, rect.cyan { fill: #79c0ff; }
    text.gray, rect.gray { fill: #9198a1; }
`

// edges are the characters at the left of a message. Fonts leave gaps between lines, so
// they are drawn as rectangles: the top and the height of each.
var edges = map[string][2]int{"╷": {lineHeight / 2, lineHeight / 2}, "│": {0, lineHeight}, "╵": {0, lineHeight / 2}}

// words matches the text of one element. Browsers show several spaces as one.
var words = regexp.MustCompile(`[^ ]+( [^ ]+)*`)

// draw returns an SVG. Each span has a fixed width, so that the picture looks the same in
// any monospaced font.
func draw(lines [][]span, title string, columns int) string {
	width := columns*charWidth + 2*margin
	height := bar + len(lines)*lineHeight + margin
	var b strings.Builder
	fmt.Fprintf(
		&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d"`,
		width,
		height,
	)
	fmt.Fprintf(&b, " role=\"img\" aria-labelledby=\"title\">\n")
	fmt.Fprintf(&b, "  <title id=\"title\">%s</title>\n  <style>%s  </style>\n", html.EscapeString(title), look)
	fmt.Fprintf(
		&b,
		"  <rect class=\"window\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n",
		width-1,
		height-1,
	)
	for i := range 3 {
		fmt.Fprintf(&b, "  <circle cx=\"%d\" cy=\"18\" r=\"5\"/>\n", margin+5+i*18)
	}
	for i, line := range lines {
		for _, s := range line {
			s.draw(&b, bar+i*lineHeight)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// draw writes the span into the line that begins at top.
func (s span) draw(b *strings.Builder, top int) {
	if edge, ok := edges[s.text]; ok {
		fmt.Fprintf(b, "  <rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"2\" height=\"%d\"/>\n",
			s.style.classes(), margin+s.column*charWidth+charWidth/2-1, top+edge[0], edge[1])
		return
	}
	class := ""
	if names := s.style.classes(); names != "" {
		class = fmt.Sprintf(" class=\"%s\"", names)
	}
	for _, at := range words.FindAllStringIndex(s.text, -1) {
		text := s.text[at[0]:at[1]]
		column := s.column + utf8.RuneCountInString(s.text[:at[0]])
		fmt.Fprintf(b, "  <text%s x=\"%d\" y=\"%d\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\">%s</text>\n",
			class, margin+column*charWidth, top+baseline, utf8.RuneCountInString(text)*charWidth, html.EscapeString(text))
	}
}

// classes returns the CSS classes of the style.
func (s style) classes() string {
	var classes []string
	if s.bold {
		classes = append(classes, "bold")
	}
	if s.underline {
		classes = append(classes, "underline")
	}
	if s.color != "" {
		classes = append(classes, s.color)
	}
	return strings.Join(classes, " ")
}
