// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// fuzzed checks reports in which an attacker chooses every text: two candidates, one of
// them with a score, and two sections.
func fuzzed(f *testing.F, check func(t *testing.T, r report.Report, name, other string, score float64)) {
	for _, candidate := range hostile() {
		f.Add(candidate.Name, candidate.ID, candidate.ReportURL, 82.4)
	}
	f.Add("", "\x00\r\r\n\u2028", "https://e.example/`|)\u202e", -0.1)
	f.Fuzz(func(t *testing.T, name, other, address string, score float64) {
		if !utf8.ValidString(name+other+address) || math.IsNaN(score) || math.IsInf(score, 0) {
			t.Skip("not a value that the CLIs support")
		}
		candidates := []report.Candidate{
			{ID: other, Name: name, ReportURL: address},
			{ID: name, Name: other, ReportURL: address, Suitability: &score, Results: []report.Result{
				{
					AssessmentID:   name,
					Type:           other,
					ReportURL:      address,
					Percentile:     &score,
					Classification: name,
					Validity:       other,
					Invitations: []report.Invitation{
						{ID: name, Type: name, Status: other, Expiry: name, Created: other, Completed: name},
					},
				},
			}},
		}
		check(
			t,
			report.Report{
				Title:    name,
				Sections: []report.Section{{Title: "x" + other, Candidates: candidates}, {Title: name}},
			},
			name,
			other,
			score,
		)
	})
}

// markup contains every element of the page with its attributes.
var markup = map[string][]string{
	"html": {
		"lang",
	},
	"head":    nil,
	"meta":    {"charset", "name", "content", "http-equiv"},
	"title":   nil,
	"style":   nil,
	"body":    nil,
	"header":  nil,
	"main":    nil,
	"section": {"class", "id", "aria-labelledby"},
	"div":     {"class", "role", "aria-labelledby", "tabindex"},
	"h1": {
		"dir",
	},
	"h2":    {"id", "dir"},
	"h3":    {"id"},
	"p":     {"class"},
	"a":     {"href"},
	"small": {"class"},
	"nav":   {"aria-label"},
	"b":     nil,
	"i":     nil,
	"bdi":   nil,
	"span":  {"class"},
	"dl":    {"class"},
	"dt":    nil,
	"dd":    nil,
	"time":  {"datetime"},
	"ul":    {"class"},
	"li":    nil,
	"table": {
		"class",
		"aria-labelledby",
		"style",
	},
	"thead": nil,
	"tbody": {"id"},
	"tr":    nil,
	"th":    {"scope", "colspan"},
	"td":    {"class", "style"},
	"svg": {
		"viewbox",
		"role",
		"aria-label",
	},
	"rect": {"x", "y", "width", "height"},
	"path": {"d"},
	"text": {"class", "x", "y", "dy"},
}

var (
	address = regexp.MustCompile(`^(#s\d+(c\d+|-title|-matrix|-details)?$|#legend$|https?://)`)
	styling = regexp.MustCompile(`^--(v|z|a:\d+;--b):(\d|[1-9]\d|100)$`)
)

// checkPage fails if a page contains anything that the template does not write. It
// returns how often each element occurs.
func checkPage(t *testing.T, text string) (root *html.Node, count map[string]int) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	count = map[string]int{}
	for node := range root.Descendants() {
		switch {
		case node.Type == html.CommentNode:
			t.Errorf("a comment: %q", node.Data)
		case node.Type != html.ElementNode:
			continue
		}
		count[node.Data]++
		allowed, ok := markup[node.Data]
		if !ok {
			t.Errorf("an element <%s>", node.Data)
		}
		for _, a := range node.Attr {
			if !slices.Contains(allowed, strings.ToLower(a.Key)) {
				t.Errorf("an attribute %q of <%s>", a.Key, node.Data)
			}
			if a.Key == "href" && !address.MatchString(a.Val) || a.Key == "style" && !styling.MatchString(a.Val) {
				t.Errorf("<%s %s=%q>", node.Data, a.Key, a.Val)
			}
		}
	}
	return root, count
}

// The style sheet also contains texts: the footer of printed pages. No text may end its
// string.
func checkStyle(t *testing.T, root *html.Node) {
	t.Helper()
	for node := range root.Descendants() {
		if node.Data != "style" {
			continue
		}
		footer := regexp.MustCompile(`@bottom-left \{ content: "((?:[^"\\\n]|\\.)*)"; \}\n`)
		style := textOf(node)
		if !footer.MatchString(style) ||
			strings.Count(style, "{") != strings.Count(style, "}") {
			t.Errorf("a text ends its string: %s", style[strings.Index(style, "@bottom-left"):])
		}
	}
}

func FuzzHTML(f *testing.F) {
	fuzzed(f, func(t *testing.T, r report.Report, name, other string, _ float64) {
		root, count := checkPage(t, render(t, r, report.Report.HTML))
		checkStyle(t, root)
		want := map[string]int{"html": 1, "h1": 1, "h2": 3, "style": 1, "table": 3, "svg": 0, "script": 0}
		for _, element := range slices.Sorted(maps.Keys(want)) {
			if count[element] != want[element] {
				t.Errorf("%d <%s>, want %d", count[element], element, want[element])
			}
		}
		var names []string
		for node := range root.Descendants() {
			if node.Data == "h1" || node.Data == "bdi" {
				names = append(names, textOf(node))
			}
		}
		if shown := seen(name); shown != "" && seen(names[0]) != shown {
			t.Errorf("the title is %q, want %q", names[0], name)
		}
		if shown := seen(other); shown != "" && seen(names[1]) != shown {
			t.Errorf("the name is %q, want %q", names[1], other)
		}
	})
}

// With any texts and numbers, the page contains only what the template writes.
func TestPagesOfAnything(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		r := anything(seed)
		root, count := checkPage(t, render(t, r, report.Report.HTML))
		checkStyle(t, root)
		if count["h1"] != 1 || count["script"] != 0 {
			t.Errorf("unexpected elements: %v", count)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
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
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\x00", "\ufffd")), " ")
}

func FuzzCSV(f *testing.F) {
	runs := regexp.MustCompile(`^["\s\pZ\pC]*[=+\-@＝＋－＠]|^[\t\r\n]`)
	fuzzed(f, func(t *testing.T, r report.Report, name, other string, score float64) {
		rows := records(t, render(t, r, report.Report.CSV))
		if len(rows) != 3 {
			t.Fatalf("%d rows, want a header and two", len(rows))
		}
		for title, want := range map[string][]string{
			"position":             {"x" + other, "x" + other},
			"candidate_id":         {name, other},
			"candidate_name":       {other, name},
			"assessment_name":      {name, ""},
			"assessment_id":        {name, ""},
			"classification":       {name, ""},
			"invitation_status":    {other, ""},
			"invitation_completed": {name, ""},
			"candidate_report_url": {r.Sections[0].Candidates[0].ReportURL, r.Sections[0].Candidates[0].ReportURL},
			"invitation_created":   {other, ""},
			"invitation_expiry":    {name, ""},
			"invitation_type":      {name, ""},
			"invitation_id":        {name, ""},
			"validity":             {other, ""},
			"type":                 {other, ""},
		} {
			for i, got := range column(t, rows, title) {
				for _, part := range regexp.MustCompile(`[,;\t\n]`).Split(got, -1) {
					if runs.MatchString(part) {
						t.Errorf("%s: a spreadsheet would run %q", title, got)
					}
				}
				if runs.MatchString(got) {
					t.Errorf("%s: a spreadsheet would run %q", title, got)
				}
				if bare(got) != bare(want[i]) {
					t.Errorf("%s: %q, want %q", title, got, want[i])
				}
			}
		}
		for _, title := range []string{"suitability", "percentile"} {
			if n, err := strconv.ParseFloat(column(t, rows, title)[0], 64); err != nil || n != score {
				t.Errorf("%s: %v, %v, want %v", title, n, err, score)
			}
		}
	})
}

// bare returns a cell without apostrophes, including its own, and with the line breaks
// of a spreadsheet.
func bare(cell string) string {
	return strings.NewReplacer("'", "", "\r\n", "\n", "\r", "\n").Replace(cell)
}

func FuzzMarkdown(f *testing.F) {
	escaped := regexp.MustCompile(`\\[[:punct:]]`)
	fuzzed(f, func(t *testing.T, r report.Report, name, _ string, _ float64) {
		text := render(t, r, report.Report.Markdown)
		if !strings.HasPrefix(text, "# ") || strings.Count(text, "\n## ") > 2 ||
			strings.ContainsAny(text, "\r\t\x00") {
			t.Errorf("a text continues on another line:\n%q", text)
		}
		if found := linked.FindString(escapes.ReplaceAllString(text, "$1")); found != "" {
			t.Errorf("%q becomes a link in\n%s", found, text)
		}
		tables, cells := 0, 0
		for line := range strings.Lines(text) {
			// The text without escapes must not be markup.
			plain := escaped.ReplaceAllString(line, "")
			if strings.ContainsAny(strings.TrimPrefix(strings.TrimPrefix(plain, "# "), "## "), "`<>[]*_~#!\\") {
				t.Errorf("markup in %q", line)
			}
			if !strings.HasPrefix(line, "|") {
				cells = 0
				if strings.Contains(plain, "|") {
					t.Errorf("a bare pipe in %q", line)
				}
				continue
			}
			if cells == 0 {
				tables++
				cells = strings.Count(plain, "|")
			}
			if got := strings.Count(plain, "|"); got != cells || !strings.HasSuffix(plain, "|\n") {
				t.Errorf("%d pipes, want %d in %q", got, cells, line)
			}
		}
		if tables != 2 || strings.Count(text, "\n|") != 4+3 {
			t.Errorf("%d tables with %d lines, want 2 with 7:\n%s", tables, strings.Count(text, "\n|"), text)
		}
	})
}
