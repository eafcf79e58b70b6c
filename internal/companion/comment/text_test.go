// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile are names that try to hide, imitate or format something.
var hostile = []string{
	"", " ", "  two  spaces  ", "a|b", "`code`", "```\nfence\n```", "~~~", "**bold**", "_it_", "~~gone~~", "# heading",
	"- item", "1. item", "> quote", "--- | ---", "\n### Plan: no changes\n", "\r\n\r\n# x", "a\rb\vc\fd", "@octocat",
	"@org/team", "#12", "GH-12", "!7", "%3", "~label", "&5", "$x$", "$`x`$", "owner/repo#1",
	"26d9d6c3f1e2a4b5c6d7e8f901234567890abcde", "https://example.com", "www.example.com", "http://a.b/?c=d&e",
	"mail@example.com", "[link](https://example.com)", "![i](https://example.com/i.png)", "[a]: https://example.com",
	"<https://example.com>", "<a href=x>y</a>", "</code></td></tr></table>", "<!-- assess: apply -->", "-->",
	"</details>", "<details open>", "<img src=x onerror=y>", "<script>", "&lt;b&gt;", "&#64;octocat", "&amp;", "\\`",
	`\|`, `\`, ":smile:", "#ff0000", "rgb(1, 2, 3)", "HSL(1,2%,3%)", "/close", "/merge\n/approve", "[x] task",
	"- [ ] task", "[[wiki]]", "{+ added +}", "[- removed -]", "::error::no", "##[error]no", "\x1b[2J\x1b[31mred",
	"\x00", "\x7f", "a\u0085b", "a\u2028b\u2029c", "\u202egnp.exe", "\u2066isolate", "zero\u200bwidth", "join\u2060er",
	"soft\u00adhyphen", "nb\u00a0sp", "\ufeffbom", "tag\U000e0041", "\u115f\u3164\u2800\uffa0",
	"pile\u0301\u0301\u0301\u0301\u0301", "pri\ue000vate", "\xff\xfebroken", "half\xc3", "\ufffd",
	strings.Repeat("long ", 1000), strings.Repeat("<", 500), "Chargé de clientèle, Lyon", "Controller (m/w/d), Hamburg",
	"שלום", "مرحبا",
}

// safe matches a name in a table: one <code> element. All ASCII characters between its tags are
// letters, digits, spaces and numeric entities. None of them has a meaning in Markdown, HTML or
// on a host.
var safe = regexp.MustCompile(`^(\(empty\)|<code>(?:[A-Za-z0-9 ]|&#[0-9]{2,3};|[^\x00-\x7f])+</code>)$`)

func FuzzNameIsOnlyText(f *testing.F) {
	for _, name := range hostile {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := codeSpan(name)
		if !utf8.ValidString(got) || !safe.MatchString(got) {
			t.Fatalf("code(%q) = %q", name, got)
		}
		shown := html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(got, "<code>"), "</code>"))
		if len([]rune(shown)) > maxName+3 {
			t.Errorf("code(%q) shows %d characters", name, len([]rune(shown)))
		}
		if again := showInvisible(shown); again != shown {
			t.Errorf("code(%q) shows %q, which has invisible parts: %q", name, shown, again)
		}
		if name != "" && utf8.RuneCountInString(name) < maxName && name == showInvisible(name) && !strings.Contains(name, "␣") &&
			!strings.Contains(name, "\t") &&
			strings.ReplaceAll(shown, "␣", " ") != name {
			t.Errorf("code(%q) shows %q", name, shown)
		}
	})
}

// A name shows its invisible characters.
func TestNamesInTables(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Engineers ": "Engineers␣", " Engineers": "␣Engineers", "two  spaces": "two ␣spaces", "": "(empty)",
		"tab\t": `tab\u{0009}`, "Engi\u200bneers": `Engi\u{200b}neers`,
		"HSL(1,2%,3%)": "HSL(1,2%,3%)", "Übergröße 🎭|": "Übergröße 🎭|", "\x1b[31m\u202e\u00a0": `\u{001b}[31m\u{202e}\u{00a0}`,
		"a\xff\ufffdb": `a\x{ff}` + "\ufffdb", "e\u0301\u0302\u0303x": "e\u0301\u0302" + `\u{0303}x`, "\u3164": `\u{3164}`, strings.Repeat("x", maxName+1): strings.Repeat("x", maxName) + "…",
	} {
		if got := strings.NewReplacer("<code>", "", "</code>", "").Replace(html.UnescapeString(codeSpan(name))); got != want {
			t.Errorf("code(%q) shows %q, want %q", name, got, want)
		}
	}
	if got := plain(codeSpans(strings.Fields("1 2 3 4 5 6 7 8 9 10"))); got != "[1], [2], [3], [4], [5], [6], [7], [8] and 2 more" {
		t.Error(got)
	}
}

func FuzzBlockCannotEnd(f *testing.F) {
	for _, text := range hostile {
		f.Add(text+"\nsecond line\n", 200, int(beginning))
		f.Add(strings.Repeat(text+"ü\n", 50), 100, int(end))
	}
	f.Add("äöü", 7, int(beginning))
	f.Add("äöü", 7, int(end))
	f.Fuzz(func(t *testing.T, text string, limit, keep int) {
		got, cut := indentedBlock(text, limit, side(keep))
		if len(got) > max(limit, 0) || !utf8.ValidString(got) {
			t.Fatalf("block(%q, %d) = %q", text, limit, got)
		}
		for line := range strings.Lines(got) {
			if !strings.HasPrefix(line, "    ") || !strings.HasSuffix(line, "\n") {
				t.Errorf("a line of block(%q, %d) is %q", text, limit, line)
			}
			if inner := strings.TrimSuffix(line, "\n"); showInvisible(inner) != inner {
				t.Errorf("a line of block(%q, %d) has invisible parts: %q", text, limit, line)
			}
		}
		if whole, _ := indentedBlock(text, 1<<30, side(keep)); cut != (got != whole) {
			t.Errorf("block(%q, %d) is cut: %t, and is %q of %q", text, limit, cut, got, whole)
		}
	})
}

// A line that does not fit is shortened. It is dropped only if there is no room for a character.
func TestBlockShortensTheLineThatDoesNotFit(t *testing.T) {
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
		{"\n\na\r\nb\rc\n", 100, beginning, "    a\n    b\n    c\n"},
	} {
		if got, cut := indentedBlock(c.text, c.limit, c.keep); got != c.want || cut != (c.limit < 100) {
			t.Errorf("block of %d bytes: %q, cut %t, want %q", c.limit, got, cut, c.want)
		}
	}
}
