// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// loginURL lets someone sign in. It is in the record of a candidate, and in no report.
const loginURL = "https://login.example.com/1"

// everyText returns a report in which an attacker has chosen every text.
func everyText(t *testing.T, text string) report.Report {
	t.Helper()
	c := assessapi.Candidate{ID: text, Name: text, ReportURL: text, Suitability: number(1), Results: []assessapi.Result{{
		AssessmentID: text, Type: text, ReportURL: text, Percentile: number(-1.5), Classification: text, Validity: text,
		Invitations: []assessapi.Invitation{
			{ID: text, Type: text, Status: text, Expiry: text, Created: text, Completed: text, LoginURL: loginURL},
		},
	}}}
	earlier, err := report.ReadEarlier(strings.NewReader("position,candidate_id,candidate_name,rank,finished\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	return report.Report{
		Title: text, Home: "index.html", Earlier: earlier,
		Sections: slices.Repeat([]report.Section{{
			PositionID: text, Title: text, Candidates: []assessapi.Candidate{c, c, {Name: text}},
			Assessments: []string{text}, Benchmarks: map[string]string{text: text},
			RankedOver: []string{text}, Without: []string{text},
		}}, 2),
		Options: report.Options{Source: text, Date: text, AssessmentNames: map[string]string{text: text}},
	}
}

// forms returns a report in each form.
func forms(t *testing.T, r report.Report) map[string]string {
	t.Helper()
	all := map[string]string{}
	for ending, write := range formats {
		all[ending] = render(t, r, write)
	}
	r.Options.Wide = true
	all["wide csv"] = render(t, r, report.Report.CSV)
	x := report.Index{Report: r, Pages: []string{"page.html", "page.html"}, Table: "results.csv"}
	for _, s := range r.Sections {
		x.Empty, x.Missing = append(x.Empty, s.Title), append(x.Missing, report.Missing{Name: s.Title, Reason: report.Gone})
	}
	var index strings.Builder
	if err := x.HTML(&index); err != nil {
		t.Fatal(err)
	}
	all["index html"] = index.String()
	return all
}

// No text of the service becomes markup, a link, a formula or a control character, in any form of a report. Each page
// shows every name.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, text := range hostileNames {
		all := forms(t, everyText(t, text))
		for form, content := range all {
			if strings.Contains(content, "login.example.com") {
				t.Errorf("%s shows a sign-in address", form)
			}
			if found := control.FindString(withoutStyle(content)); found != "" {
				t.Errorf("%q in %s: the control character %q", text, form, found)
			}
		}
		for _, form := range []string{"html", "index html"} {
			if names := checkPage(t, all[form]); !names[visible(text)] {
				t.Errorf("the %s shows %v, not %q", form, names, text)
			}
		}
		for _, form := range []string{"csv", "wide csv"} {
			checkCells(t, all[form])
		}
		checkMarkdown(t, all["md"])
	}
}

// control matches what a terminal obeys, and what changes the direction of a whole line, also as an escape of JSON or
// HTML.
var control = regexp.MustCompile(`[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\x{2028}\x{202e}\x{2067}]|\\u00[0189]|\\u20|&#27;`)

// The elements of the templates.
var elements = strings.Fields("html head meta title style body header main section div nav h1 h2 h3 p a small span b i bdi " +
	"dl dt dd time ul li table thead tbody tr th td details summary svg rect path text")

var (
	address = regexp.MustCompile(`^(#s\d+(c\d+|-title|-notes|-matrix|-details)?$|#legend$|https?://|page\.html$|index\.html$|results\.csv$)`)
	styling = regexp.MustCompile(`^(--n:\d+|--[vb]:(\d|[1-9]\d|100))$`)
	// footer matches the only text in the style sheet. No text may end its string.
	footer = regexp.MustCompile(`@bottom-left \{ content: "((?:[^"\\\n]|\\.)*)"; \}\n`)
)

// checkPage fails if a page contains something that no template writes. It returns the names in the page.
func checkPage(t *testing.T, page string) (names map[string]bool) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	names = map[string]bool{}
	for node := range root.Descendants() {
		if node.Type == html.CommentNode || node.Type == html.ElementNode && !slices.Contains(elements, node.Data) {
			t.Errorf("the page contains %q", node.Data)
		}
		for _, a := range node.Attr {
			if a.Key == "href" && !address.MatchString(a.Val) || a.Key == "style" && !styling.MatchString(a.Val) ||
				strings.HasPrefix(a.Key, "on") || a.Key == "src" {
				t.Errorf("<%s %s=%q>", node.Data, a.Key, a.Val)
			}
		}
		switch style := textOf(node); {
		case node.Type != html.ElementNode:
		case node.Data == "h1" || node.Data == "bdi":
			names[visible(textOf(node))] = true
		case node.Data == "style" && (!footer.MatchString(style) || strings.Count(style, "{") != strings.Count(style, "}")):
			t.Errorf("a text ends its string: %s", style[strings.Index(style, "@bottom-left"):])
		}
	}
	return names
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

// visible returns a text without differences that readers cannot see.
func visible(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.IsControl(r) || r == '\u2028':
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

var (
	formulaCell = regexp.MustCompile(`^[\s\pZ\pC]*[=+\-@＝＋－＠]`)
	numberCell  = regexp.MustCompile(`^-?\d+([.,]\d+)?$`)
)

// checkCells fails if a cell is a formula, whatever separator the spreadsheet expects.
func checkCells(t *testing.T, text string) {
	t.Helper()
	for _, separator := range ",;\t" {
		lenient := csv.NewReader(strings.NewReader(text))
		lenient.Comma, lenient.LazyQuotes, lenient.FieldsPerRecord = separator, true, -1
		for {
			row, err := lenient.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, cell := range row {
				if formulaCell.MatchString(cell) && !numberCell.MatchString(cell) {
					t.Errorf("a spreadsheet that separates at %q runs %q of\n%s", separator, cell, text)
				}
			}
		}
	}
}

var (
	// linked matches the texts that GitHub or GitLab turn into links, mentions or pictures after Markdown is rendered.
	linked = regexp.MustCompile(
		`@[\pL\pN_]|[#!$%&~^][\pL\pN_"]|\pL{2}-\pN|:[\pL\pN_+-]+:|://|(?i:www\.|mailto:[\pL\pN]|ghsa-)|\[\[|[0-9a-fA-F]{7}`)
	// escapes matches the escapes that Markdown removes before that.
	escapes = regexp.MustCompile(`\\([[:punct:]])`)
)

// checkMarkdown fails if a text is markup, becomes a link, or leaves its cell.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	if found := linked.FindString(escapes.ReplaceAllString(text, "$1")); found != "" {
		t.Errorf("%q becomes a link in\n%s", found, text)
	}
	cells := 0
	for line := range strings.Lines(text) {
		plain := escapes.ReplaceAllString(line, "")
		if strings.ContainsAny(strings.TrimLeft(plain, "#"), "`<>[]*_~#!\\") {
			t.Errorf("markup in %q", line)
		}
		pipes := strings.Count(plain, "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			cells = 0
		case cells == 0:
			cells = pipes
		}
		if pipes != cells || pipes > 0 && !strings.HasSuffix(plain, "|\n") {
			t.Errorf("%d pipes, want %d in %q", pipes, cells, line)
		}
	}
}
