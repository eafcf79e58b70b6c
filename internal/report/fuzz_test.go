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

// fuzzed is a report whose every text was chosen by somebody else: two
// candidates, one of them with a score, and two sections.
func fuzzed(f *testing.F, check func(t *testing.T, r report.Report, name, other string, score float64)) {
	for _, candidate := range hostile() {
		f.Add(candidate.Name, candidate.ID, candidate.ReportURL, 82.4)
	}
	f.Add("", "\x00\r\r\n\u2028", "https://e.example/`|)\u202e", -0.1)
	f.Fuzz(func(t *testing.T, name, other, address string, score float64) {
		if !utf8.ValidString(name+other+address) || math.IsNaN(score) || math.IsInf(score, 0) {
			t.Skip("not a value that the CLIs can hold")
		}
		candidates := []report.Candidate{
			{ID: other, Name: name, ReportURL: address},
			{ID: name, Name: other, ReportURL: address, Suitability: &score, Results: []report.Result{{
				AssessmentID: name, Type: other, ReportURL: address, Percentile: &score, Classification: name, Validity: other,
				Invitations: []report.Invitation{{ID: name, Type: name, Status: other, Expiry: name, Created: other, Completed: name}},
			}}},
		}
		check(t, report.Report{Title: name, Sections: []report.Section{{Title: "x" + other, Candidates: candidates}, {Title: name}}}, name, other, score)
	})
}

// markup is all that the page is made of, and where which attributes may stand.
var markup = map[string][]string{
	"html": {"lang"}, "head": nil, "meta": {"charset", "name", "content", "http-equiv"}, "title": nil, "style": nil, "body": nil,
	"header": nil, "main": nil, "section": nil, "article": {"class", "id", "aria-labelledby"}, "div": {"class"}, "span": {"class"},
	"h1": {"dir"}, "h2": {"dir"}, "h3": {"id", "dir"}, "p": {"class"}, "a": {"href", "rel"}, "small": nil, "b": nil, "bdi": nil, "data": {"value"},
	"table": {"class"}, "caption": {"class"}, "thead": nil, "tbody": nil, "tr": {"class"}, "th": {"scope", "class", "colspan"}, "td": {"data-label"},
	"svg": {"viewbox", "role", "aria-label"}, "rect": {"width", "height", "rx"},
}

func FuzzHTML(f *testing.F) {
	fuzzed(f, func(t *testing.T, r report.Report, name, other string, _ float64) {
		text := render(t, r, report.Report.HTML)
		root, err := html.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		var names []string
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
			for _, attribute := range node.Attr {
				if !slices.Contains(allowed, strings.ToLower(attribute.Key)) {
					t.Errorf("an attribute %q of <%s>", attribute.Key, node.Data)
				}
				if attribute.Key == "href" && !regexp.MustCompile(`^(#section-\d+-candidate-\d+$|https?://)`).MatchString(attribute.Val) {
					t.Errorf("a link to %q", attribute.Val)
				}
			}
			if node.Data == "h1" || node.Data == "h3" {
				names = append(names, textOf(node))
			}
		}
		want := map[string]int{"html": 1, "h1": 1, "h2": 2, "h3": 1, "style": 1, "table": 2, "caption": 2, "svg": 3, "article": 1}
		for _, element := range slices.Sorted(maps.Keys(want)) {
			if count[element] != want[element] {
				t.Errorf("%d <%s>, want %d", count[element], element, want[element])
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

func textOf(node *html.Node) string {
	var b strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data)
		}
	}
	return b.String()
}

// seen is a text with the differences gone that no reader sees.
func seen(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\x00", "\ufffd")), " ")
}

func FuzzCSV(f *testing.F) {
	runs := regexp.MustCompile(`^[\s\pZ\pC]*[=+\-@＝＋－＠]|^[\t\r\n]`)
	fuzzed(f, func(t *testing.T, r report.Report, name, other string, score float64) {
		rows := records(t, render(t, r, report.Report.CSV))
		if len(rows) != 3 {
			t.Fatalf("%d rows, want a header and two", len(rows))
		}
		for title, want := range map[string][]string{
			"position":             {"x" + other, "x" + other},
			"candidate_id":         {name, other},
			"candidate_name":       {other, name},
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
				for _, part := range regexp.MustCompile(`[;\t\n]`).Split(got, -1) {
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

// bare is a cell without apostrophes, its own ones included, and with the line
// breaks of a spreadsheet.
func bare(cell string) string {
	return strings.NewReplacer("'", "", "\r\n", "\n", "\r", "\n").Replace(cell)
}

func FuzzMarkdown(f *testing.F) {
	escaped := regexp.MustCompile(`\\[[:punct:]]`)
	ours := regexp.MustCompile(`\[[^\[\]]*\]\(https?://[^\s()<>|\[\]` + "`" + `\\]*\)`)
	fuzzed(f, func(t *testing.T, r report.Report, name, _ string, _ float64) {
		text := render(t, r, report.Report.Markdown)
		if !strings.HasPrefix(text, "# ") || strings.Count(text, "\n## ") > 2 || strings.ContainsAny(text, "\r\t\x00") {
			t.Errorf("a text has left its line:\n%q", text)
		}
		tables := 0
		cells := 0
		for line := range strings.Lines(text) {
			// What is left once escapes and links are gone must not be markup.
			plain := ours.ReplaceAllString(escaped.ReplaceAllString(line, ""), "")
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
		if tables != 2 || strings.Count(text, "\n|") != 3+1+3 {
			t.Errorf("%d tables with %d lines, want 2 with 7:\n%s", tables, strings.Count(text, "\n|"), text)
		}
	})
}
