// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// fragments are pieces of text that careless reports handle wrongly.
var fragments = append(strings.Split(`a|b c|Ö|"|""|'|=|+|-|@|;|,|	|
|`+"\r|\r\n|\u2028|\u00a0|\u200b|\u202e|\u2067|\x00|\x1b|`"+`|<|>|&|&amp;|</style>|</title>|<script>|<!--|-->|{{|\|#|12|GH-|!7|~x|:x:|://|http|`+
	`https://e.example/|www.|*|_|[|]|(|)|$|%|^|0123456789abcdef|＝|cmd|1|()|;"=1|,"@x|	"+1|--|/*|*/|}|\22 `, "|"), "|", "||")

var numbers = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.1, 70.125, 99.99, 100,
	1e-9, -1e-9, 5e-324, 1e12, 1e15, math.MaxFloat64, -math.MaxFloat64,
}

// words decide what a report shows.
var words = []string{"x", "y", "INVITED", "EXPIRED", "TESTED_WITH_RESULTS", "SUPERVISED", "VALID", "INVALID"}

// generator fills reports with hostile texts and numbers.
type generator struct {
	*rand.Rand
	texts []string // that it composes texts of
}

// anything returns a hostile report. It is the same for the same seed and text.
func anything(seed uint64, text string) (r report.Report) {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test, not a secret
	g := generator{random, append(slices.Clone(fragments), text)}
	g.fill(reflect.ValueOf(&r).Elem())
	r.Home = "index.html"
	if g.IntN(2) == 0 {
		r.Earlier, _ = report.ReadEarlier(strings.NewReader("position,candidate_id,candidate_name,rank,finished\r\nx,y,z,3,no\r\n"))
	}
	r.Options.Language = []string{"en", "de", "fr", ""}[g.IntN(4)]
	return r
}

func (g generator) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(g.text())
	case reflect.Bool:
		v.SetBool(g.IntN(3) == 0)
	case reflect.Int:
		v.SetInt(g.Int64N(4))
	case reflect.Pointer: // to a number, or null
		if g.IntN(4) > 0 && v.Type() == reflect.TypeFor[*float64]() {
			v.Set(reflect.ValueOf(number(numbers[g.IntN(len(numbers))])))
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"x": g.text(), "y": g.text(), g.text(): g.text()}))
	case reflect.Slice:
		if n := g.IntN(5); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			g.fill(v.Index(i))
		}
	default:
		for i := range v.NumField() {
			g.fill(v.Field(i))
		}
	}
}

func (g generator) text() string {
	if g.IntN(3) == 0 {
		return words[g.IntN(len(words))]
	}
	var b strings.Builder
	for range g.IntN(5) {
		b.WriteString(g.texts[g.IntN(len(g.texts))])
	}
	return b.String()
}

// fuzzed checks reports in which an attacker chooses every text. Without fuzzing, it checks
// hundreds of them.
func fuzzed(f *testing.F, check func(t *testing.T, r report.Report)) {
	for seed := range uint64(400) {
		f.Add(seed, hostileNames[seed%uint64(len(hostileNames))])
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		if !utf8.ValidString(text) {
			t.Skip("not a value that the CLIs support")
		}
		check(t, anything(seed, text))
	})
}

// shown returns the candidates that a report shows, with pseudonyms.
func shown(r report.Report) (all []assessapi.Candidate) {
	for _, s := range r.Shown() {
		all = append(all, s.Candidates...)
	}
	return all
}

// markup contains every element of the page with its attributes.
var markup = map[string]string{
	"html": "lang", "head": "", "meta": "charset name content http-equiv", "title": "", "style": "", "body": "", "header": "",
	"main": "", "section": "class id aria-labelledby aria-label", "div": "class role aria-labelledby tabindex", "nav": "aria-label",
	"h1": "dir", "h2": "id dir", "h3": "id", "p": "class", "a": "href", "small": "class", "span": "class", "b": "", "i": "",
	"bdi": "", "dl": "class", "dt": "", "dd": "", "time": "datetime", "ul": "class", "li": "",
	"table": "class aria-labelledby aria-label style", "thead": "", "tbody": "id", "tr": "", "th": "scope colspan", "td": "class style",
	"details": "class", "summary": "", "svg": "viewbox role aria-label", "rect": "x y width height", "path": "d", "text": "class x y dy",
}

var (
	address = regexp.MustCompile(`^(#s\d+(c\d+|-title|-notes|-matrix|-details)?$|#legend$|https?://|page\.html$|index\.html$|results\.csv$)`)
	styling = regexp.MustCompile(`^(--n:\d+|--[vb]:(\d|[1-9]\d|100))$`)
)

// footer matches the only text in the style sheet. No text may end its string.
var footer = regexp.MustCompile(`@bottom-left \{ content: "((?:[^"\\\n]|\\.)*)"; \}\n`)

// With any texts and numbers, the page contains only what the template writes, and every name.
func FuzzHTML(f *testing.F) {
	fuzzed(f, func(t *testing.T, r report.Report) {
		names := checkPage(t, render(t, r, report.Report.HTML))
		for _, c := range append(shown(r), assessapi.Candidate{Name: r.Title}) {
			if !names[seen(c.Name)] {
				t.Errorf("no name %q in %v", c.Name, names)
			}
		}
	})
}

// The same holds for an index, which contains every position.
func FuzzIndex(f *testing.F) {
	fuzzed(f, func(t *testing.T, r report.Report) {
		x := report.Index{Report: r, Table: "results.csv"}
		reasons := []report.Reason{report.Unknown, report.Gone, report.Forbidden, report.Unreadable, report.NotTried}
		for i, s := range r.Sections {
			x.Pages = append(x.Pages, "page.html")
			x.Missing = append(x.Missing, report.Missing{Name: s.PositionID, Reason: reasons[i%len(reasons)]})
			x.Empty = append(x.Empty, "empty "+s.Title)
		}
		var text bytes.Buffer
		if err := x.HTML(&text); err != nil {
			t.Fatal(err)
		}
		names := checkPage(t, text.String())
		for _, s := range r.Sections {
			if !names[seen(s.Title)] || !names[seen(s.PositionID)] || !names[seen("empty "+s.Title)] {
				t.Errorf("no %q or %q in %v", s.Title, s.PositionID, names)
			}
		}
	})
}

// checkPage fails if a page contains something that no template writes. It returns the names in the page.
func checkPage(t *testing.T, page string) (names map[string]bool) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	names = map[string]bool{"": true}
	count := map[string]int{}
	for node := range root.Descendants() {
		if node.Type == html.CommentNode {
			t.Errorf("a comment: %q", node.Data)
		}
		if node.Type != html.ElementNode {
			continue
		}
		checkElement(t, node)
		count[node.Data]++
		if node.Data == "h1" || node.Data == "bdi" {
			names[seen(textOf(node))] = true
		}
		if style := textOf(node); node.Data == "style" && (!footer.MatchString(style) || strings.Count(style, "{") != strings.Count(style, "}")) {
			t.Errorf("a text ends its string: %s", style[strings.Index(style, "@bottom-left"):])
		}
	}
	if count["h1"] != 1 || count["style"] != 1 {
		t.Errorf("unexpected elements: %v", count)
	}
	return names
}

// checkElement fails if the template does not write such an element.
func checkElement(t *testing.T, node *html.Node) {
	t.Helper()
	allowed, ok := markup[node.Data]
	if !ok {
		t.Errorf("an element <%s>", node.Data)
	}
	for _, a := range node.Attr {
		if !slices.Contains(strings.Fields(allowed), strings.ToLower(a.Key)) {
			t.Errorf("an attribute %q of <%s>", a.Key, node.Data)
		}
		if a.Key == "href" && !address.MatchString(a.Val) || a.Key == "style" && !styling.MatchString(a.Val) {
			t.Errorf("<%s %s=%q>", node.Data, a.Key, a.Val)
		}
	}
}

func textOf(node *html.Node) string {
	var b strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data)
		}
	}
	return b.String()
}

// seen returns a text without differences that readers cannot see.
func seen(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

var (
	formulaCell = regexp.MustCompile(`^[\s\pZ\pC]*[=+\-@＝＋－＠]`)
	textCell    = regexp.MustCompile(`^="[\w.:/-]+"$`) // an ID for Excel, which is no other formula
	numberCell  = regexp.MustCompile(`^-?\d+([.,]\d+)?$`)
)

// spreadsheetCells reads a file as tolerantly as spreadsheets do. Quotation marks count
// only at the beginning of a cell, and text after the closing mark is added to the
// cell.
func spreadsheetCells(text string, delimiter byte) []string {
	var (
		cells  []string
		cell   bytes.Buffer
		quoted bool
		begun  bool
	)
	end := func() {
		cells = append(cells, cell.String())
		cell.Reset()
		begun = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '"' && i+1 < len(text) && text[i+1] == '"':
			cell.WriteByte(c)
			i++
		case quoted && c == '"':
			quoted = false
		case quoted:
			cell.WriteByte(c)
		case c == '"' && !begun:
			quoted, begun = true, true
		case c == delimiter, c == '\n':
			end()
		case c == '\r':
		default:
			begun = true
			cell.WriteByte(c)
		}
	}
	end()
	return cells
}

// No cell begins with a formula, whatever separator the spreadsheet expects.
func FuzzCSV(f *testing.F) {
	fuzzed(f, func(t *testing.T, r report.Report) {
		text := render(t, r, report.Report.CSV)
		for _, delimiter := range []byte(",;\t") {
			for _, cell := range spreadsheetCells(text, delimiter) {
				if formulaCell.MatchString(cell) && !numberCell.MatchString(cell) && !textCell.MatchString(cell) {
					t.Errorf("a spreadsheet that separates at %q runs %q of\n%s", delimiter, cell, text)
				}
			}
		}
	})
}

// linked matches the texts that GitHub or GitLab turn into links, mentions or pictures
// after Markdown is rendered.
var linked = regexp.MustCompile(
	`@[\pL\pN_]|[#!$%&~^][\pL\pN_"]|\pL{2}-\pN|:[\pL\pN_+-]+:|://|(?i:www\.|mailto:\S|ghsa-)|\[\[|[0-9a-fA-F]{7}`)

// escapes matches the escapes that Markdown removes before that.
var escapes = regexp.MustCompile(`\\([[:punct:]])`)

// Each table has a fixed number of cells in each line, and no text is markup or becomes a link.
func FuzzMarkdown(f *testing.F) {
	fuzzed(f, func(t *testing.T, r report.Report) {
		text := render(t, r, report.Report.Markdown)
		if !strings.HasPrefix(text, "# ") || strings.Count(text, "\n## ") > len(r.Sections) || strings.ContainsAny(text, "\r\t\x00") {
			t.Errorf("a text continues on another line:\n%q", text)
		}
		if found := linked.FindString(escapes.ReplaceAllString(text, "$1")); found != "" {
			t.Errorf("%q becomes a link in\n%s", found, text)
		}
		cells := 0
		for line := range strings.Lines(text) {
			// The text without escapes must not be markup.
			plain := escapes.ReplaceAllString(line, "")
			if strings.ContainsAny(strings.TrimPrefix(strings.TrimPrefix(plain, "# "), "## "), "`<>[]*_~#!\\") {
				t.Errorf("markup in %q", line)
			}
			pipes := strings.Count(plain, "|")
			if cells == 0 {
				cells = pipes
			}
			if !strings.HasPrefix(line, "|") {
				cells = 0
			}
			if pipes != cells || pipes > 0 && !strings.HasSuffix(plain, "|\n") {
				t.Errorf("%d pipes, want %d in %q", pipes, cells, line)
			}
		}
	})
}
