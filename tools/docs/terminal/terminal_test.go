// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/xml"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	bold, red := style{bold: true}, style{color: "red"}
	for name, c := range map[string]struct {
		text string
		want [][]span
	}{
		"plain":         {"a b\n\nc\r\n", [][]span{{{0, "a b", style{}}}, nil, {{0, "c", style{}}}}},
		"styles":        {"\x1b[1mA\x1b[31mB\x1b[0mC", [][]span{{{0, "A", bold}, {1, "B", style{bold: true, color: "red"}}, {2, "C", style{}}}}},
		"codes at once": {"\x1b[1;31mA\x1b[m\x1b[0mB", [][]span{{{0, "A", style{bold: true, color: "red"}}, {1, "B", style{}}}}},
		"over lines":    {"\x1b[31mA\nB", [][]span{{{0, "A", red}}, {{0, "B", red}}}},
		"columns":       {"éàüöabc", [][]span{{{0, "éàüöa", style{}}}, {{0, "bc", style{}}}}},
		"edge": {"\x1b[31m│\x1b[0m abcde", [][]span{
			{{0, "│", red}, {1, " abc", style{}}}, {{0, "│", red}, {2, "de", style{}}},
		}},
		"exactly full": {"abcde\x1b[0m\nf", [][]span{{{0, "abcde", style{}}}, {{0, "f", style{}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(c.text, 5)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	for name, text := range map[string]string{"color": "\x1b[48;5;1mA", "cursor": "\x1b[2KA", "tab": "a\tb"} {
		if got, err := parse(text, 5); err == nil {
			t.Errorf("%s: got %v, want an error", name, got)
		}
	}
}

func TestDraw(t *testing.T) {
	lines, err := parse("\x1b[31m│\x1b[0m   <b> &  \"c\"  \n", 80)
	if err != nil {
		t.Fatal(err)
	}
	picture := draw(lines, "A <title>", 80)
	for _, want := range []string{
		"<title id=\"title\">A &lt;title&gt;</title>",
		"<rect class=\"red\" x=\"27\" y=\"36\" width=\"2\" height=\"18\"/>",
		"x=\"56\" y=\"49\" textLength=\"40\" lengthAdjust=\"spacingAndGlyphs\">&lt;b&gt; &amp;</text>",
		"x=\"112\" y=\"49\" textLength=\"24\" lengthAdjust=\"spacingAndGlyphs\">&#34;c&#34;</text>",
	} {
		if !strings.Contains(picture, want) {
			t.Errorf("the picture has no %s", want)
		}
	}
	for decoder := xml.NewDecoder(strings.NewReader(picture)); ; {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
