// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	rendering "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// hostileTitles are names that try to hide, forge or format text, with characters that
// the service accepts.
var hostileTitles = []string{
	"English: Reading",
	"a | b || c",
	"`x` ```y``` ~~~",
	"**Plan: no changes** _i_ ~~s~~",
	"### Plan: no changes",
	"@octocat @acme/team",
	"#12 GH-12 !7 ~label acme/positions#1",
	"26d9d6c3f1e2a4b5c6d7e8f901234567890abcde",
	"https://example.com www.example.com a@example.com",
	"[x](https://example.com) ![y](https://example.com/z.png)",
	"</code></td></tr></table></details>",
	"<!-- assess: apply --> <img src=x onerror=y>",
	"&lt;b&gt; &#64; &amp;",
	`\| \\ \<`,
	"::error::no changes ##[error]x",
	"${oops} %{oops} $${x}",
	"/close",
	"- [ ] task",
	"> quote",
	"1. item",
	":smile: #ff0000",
	"soft\u00adhyphen",
	"nb\u00a0space",
	"\u0085 next",
	"tab\tand\nline\r\n\n# x",
	"Übergröße ÿ",
	`"quoted" \" ]`,
}

// Names stay text in the service, the file, the plan and the comment. A host that
// renders the comment shows only the table and the sections that the example writes.
func TestExampleGitopsHostileNames(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, withoutLimits)
	var file strings.Builder
	file.WriteString("positions:\n")
	changeService(t, service, func(st *sandbox.State) {
		for i, name := range hostileTitles {
			st.Positions = append(st.Positions, sandbox.Position{ID: fmt.Sprint("pos-", i), Title: name, Locale: "en-GB"})
			lumen := st.Assessment("asm-lumen")
			lumen.Benchmarks = append(
				lumen.Benchmarks,
				sandbox.Benchmark{ID: fmt.Sprint("bmk-", i), Name: name, Locale: "en-GB"},
			)
			text := strconv.QuoteToASCII(name)
			fmt.Fprintf(&file, "  - title: %s\n    assessments: [{code: LMN, benchmark: %s}]\n", text, text)
		}
	})
	for _, h := range hosts(t) {
		r := newRepository(t, false, onService(service))
		p := r.open(1, func() { r.writes("positions.yaml", file.String()) })
		plan := h.plans(r, p)
		body := h.comment(t, 1, "plan").Body
		if plan.failed {
			t.Fatalf("%s: the plan failed:\n%s", h.name, plan.output)
		}
		if h.name == "GitHub" {
			for line := range strings.Lines(strings.ReplaceAll(plan.output, "\r", "\n")) {
				if strings.HasPrefix(strings.TrimSpace(line), "::") && !strings.HasPrefix(line, "::stop-commands::") &&
					len(line) != len("::\n")+32+2 {
					t.Errorf("the log contains a workflow command: %q", line)
				}
			}
		}
		for line := range strings.Lines(body) {
			if strings.HasPrefix(line, "/") {
				t.Errorf("the comment contains a quick action: %q", line)
			}
		}
		shown := rendered(t, body)
		cells := []string{}
		for _, row := range shown.all("tr")[1:] {
			columns := row.all("td")
			if len(columns) != 4 {
				t.Fatalf("unexpected row with %d cells: %s", len(columns), row.text())
			}
			cells = append(cells, columns[0].text())
			if columns[1].text() != "Lumen Ability Test (LMN)" ||
				columns[2].text() != "Attach with benchmark "+columns[0].text() ||
				columns[3].text() != "" {
				t.Errorf("unexpected row %q", row.text())
			}
		}
		for _, name := range hostileTitles {
			name = strings.NewReplacer(
				"\u00ad",
				`\u{00ad}`,
				"\u00a0",
				`\u{00a0}`,
				"\u0085",
				`\u{0085}`,
				"\t",
				`\u{0009}`,
				"\n",
				`\u{000a}`,
				"\r",
				`\u{000d}`,
			).Replace(name)
			if !slices.Contains(cells, name) {
				t.Errorf("%s: no row is about %q: %q", h.name, name, cells)
			}
		}
		if len(cells) != len(hostileTitles) {
			t.Errorf("%s: there are %d rows for %d names", h.name, len(cells), len(hostileTitles))
		}
		headings := shown.all("h3")
		if len(headings) != 1 || headings[0].text() != fmt.Sprintf("Plan: %d assessments to attach", len(hostileTitles)) {
			t.Errorf("%s: %d headings: %s", h.name, len(headings), headings[0].text())
		}
	}
}

// page is an HTML element.
type page struct{ *html.Node }

// rendered renders Markdown like the hosts, and fails on elements that a comment never
// has.
func rendered(t *testing.T, markdown string) page {
	t.Helper()
	var b bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(rendering.WithUnsafe()))
	if err := md.Convert([]byte(markdown), &b); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{
		"html",
		"head",
		"body",
		"h3",
		"p",
		"strong",
		"blockquote",
		"table",
		"thead",
		"tbody",
		"tr",
		"th",
		"td",
		"code",
		"pre",
		"details",
		"summary",
	}
	comments := 0
	for node := range root.Descendants() {
		switch {
		case node.Type == html.CommentNode:
			comments++
		case node.Type != html.ElementNode, slices.Contains(allowed, node.Data):
		case node.Data == "a" && (page{node}).text() == "Log of the run":
		default:
			t.Errorf("the comment renders to <%s>: %s", node.Data, page{node}.text())
		}
	}
	if comments != 1 {
		t.Errorf("the comment has %d hidden comments", comments)
	}
	return page{root}
}

func (p page) all(element string) []page {
	var found []page
	for node := range p.Descendants() {
		if node.Type == html.ElementNode && node.Data == element {
			found = append(found, page{node})
		}
	}
	return found
}

func (p page) text() string {
	var b strings.Builder
	for node := range p.Descendants() {
		if node.Type == html.TextNode {
			b.WriteString(node.Data)
		}
	}
	return b.String()
}
