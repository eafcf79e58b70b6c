// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// safe matches a name in a table: one <code> element. All ASCII characters between its tags are letters, digits, spaces and
// numeric entities. None of them has a meaning in Markdown, HTML or on a host.
var safe = regexp.MustCompile(`^<code>(?:[A-Za-z0-9 ]|&#[0-9]{2,3};|[^\x00-\x7f])+</code>$`)

func TestNamesAreOnlyText(t *testing.T) {
	t.Parallel()
	for char := rune(0); char < 0x180; char++ {
		if got := codeSpan("a" + string(char) + "b"); !safe.MatchString(got) {
			t.Errorf("code(%q) = %q", char, got)
		}
	}
}

// A name shows its invisible characters.
func TestNamesInTables(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Engineers ": "Engineers␣", " Engineers": "␣Engineers", "two  spaces": "two ␣spaces", "": "(empty)",
		"tab\t": `tab\u{0009}`, "Engi\u200bneers": `Engi\u{200b}neers`,
		"HSL(1,2%,3%)": "HSL(1,2%,3%)", "Übergröße 🎭|": "Übergröße 🎭|", "\x1b[31m\u202e\u00a0": `\u{001b}[31m\u{202e}\u{00a0}`,
		"a\xff\ufffdb": `a\x{ff}` + "\ufffdb", "e\u0301\u0302\u0303x": "e\u0301\u0302" + `\u{0303}x`, "\u3164": `\u{3164}`, "\U0001d159": `\u{1d159}`, strings.Repeat("x", maxName+1): strings.Repeat("x", maxName) + "…",
	} {
		if got := strings.NewReplacer("<code>", "", "</code>", "").Replace(html.UnescapeString(codeSpan(name))); got != want {
			t.Errorf("code(%q) shows %q, want %q", name, got, want)
		}
	}
	if got := plain(codeSpans(strings.Fields("1 2 3 4 5 6 7 8 9 10"))); got != "[1], [2], [3], [4], [5], [6], [7], [8] and 2 more" {
		t.Error(got)
	}
}

// Each line of a block is indented, so no text ends the block. A line that does not fit is shortened between two characters,
// and dropped if there is no room for one.
func TestBlocks(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 20_000)
	for _, c := range []struct {
		text  string
		limit int
		keep  side
		want  string
	}{
		{"short\n" + long, 30, beginning, "    short\n    012345678901234\n"},
		{long + "\nend\n", 30, end, "    34567890123456789\n    end\n"},
		{"short\n" + long, 14, beginning, "    short\n"},
		{long + "\nend\n", 13, end, "    end\n"},
		{"äöü", 8, beginning, "    ä\n"},
		{"äöü", 8, end, "    ü\n"},
		{"\n\na\r\nb\rc\n", 100, beginning, "    a\n    b\n    c\n"},
		{"</code>\u2028```\n\n\x1b[2Jd\u202e\xff\n", 100, end, "    </code>\\u{2028}```\n    \n    \\u{001b}[2Jd\\u{202e}\\x{ff}\n"},
	} {
		if got, cut := indentedBlock(c.text, c.limit, c.keep); got != c.want || cut != (c.limit < 100) {
			t.Errorf("block of %d bytes: %q, cut %t, want %q", c.limit, got, cut, c.want)
		}
	}
}
