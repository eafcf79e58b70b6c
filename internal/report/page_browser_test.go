// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/browsertest"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// axe returns the source of axe-core, which npm installs from the lock file.
func axe(t *testing.T) string {
	t.Helper()
	npm := browsertest.Program(t, "npm")
	directory := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", "axe", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(directory, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	install := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = directory
	if out, err := install.CombinedOutput(); err != nil {
		browsertest.Unavailable(t, "npm cannot install axe-core: %v\n%s", err, out)
	}
	source, err := os.ReadFile(filepath.Join(directory, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// The rules of WCAG 2.2 AA and best practices, and the only one that depends on the color scheme.
const (
	allRules = `"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"`
	contrast = `"color-contrast"`
)

// violations returns the elements of the page that break rules of axe-core.
func violations(t *testing.T, b *browsertest.Browser, rules string) []string {
	t.Helper()
	return list(t, b, "axe.run({runOnly: ["+rules+`]}).then(r => JSON.stringify(
		r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join("; "))))`)
}

// list evaluates an expression whose value is a list of texts as JSON.
func list(t *testing.T, b *browsertest.Browser, expression string) (texts []string) {
	t.Helper()
	text, _ := b.Value(expression).(string)
	if err := json.Unmarshal([]byte(text), &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// displays returns the parts of tables that are not displayed as tables. Assistive
// technology does not recognize them as tables.
const displays = `JSON.stringify([...document.querySelectorAll("table, tr, td, th")]
	.filter(e => !/^(table|none)/.test(getComputedStyle(e).display)).map(e => e.outerHTML).slice(0, 3))`

var (
	widths  = []int{390, 1280, 1600}
	schemes = []string{"light", "dark"}
)

// pages returns reports like those that people see.
func pages(t *testing.T) map[string]report.Report {
	t.Helper()
	anonymous, top := demo(t, 66), demo(t, 66)
	anonymous.Options.Language, anonymous.Options.Anonymous, anonymous.Options.FinishedOnly = "de", true, true
	top.Options.Language, top.Options.Top = "fr", 7
	return map[string]report.Report{
		"0":  demo(t, 0),
		"1":  demo(t, 1),
		"12": demo(t, 12),
		"66": demo(t, 66),
		"de": anonymous,
		"fr": top,

		"scripts":   one(named(scripts...)...),
		"hostile":   {Title: `<script>alert("title")</script>`, Sections: []report.Section{{Candidates: named(hostileNames...)}}},
		"positions": severalPositions(t),
		"crowded":   crowded(t),
		"names":     one(projection("Ada Lovelace", "Grace Hopper")...),
		"close": one(scored("Ada", 79.64, "x", "y"), scored("Grace", 79.61, "x", "y"), scored("Alan", 79.6, "x", "y"),
			scored("Edsger", 79.55, "x", "y"), scored("Barbara", 40, "x", "y"), scored("Donald", 99, "x")),
		"negative": one(scored("Ada", 12.5, "x"), scored("Grace", 3, "x"), scored("Alan", -4, "x"), scored("Kurt", -9.5, "x"),
			scored("Emmy", -0.5, "x"), scored("Zal"+strings.Repeat("\u0337\u0353\u030a\u0334", 30)+"go", 1, "x")),
	}
}

// scripts are names in several scripts, and with combining marks.
var scripts = []string{
	"محمد بن موسى الخوارزمي", "שרה כהן", "王小明", "山田 太郎", "김철수", "Zoe\u0308 Mu\u0308ller-Ag\u0306aog\u0306lu", "Nguyễn Thị Minh Khai",
	"ศิริพร สุขใจ", "अनन्या शर्मा", "Ольга Иванова", "Øystein Ångström", "محمد Smith (2)",
}

// named returns candidates with names, scores and results.
func named(names ...string) (all []assessapi.Candidate) {
	for i, name := range names {
		c := scored(fmt.Sprint("cnd-", i), 90-float64(i)*4.5, "asm-lumen", "asm-tideline")
		c.Name, c.Results[0] = name, ability(99-float64(i%14)*7)
		c.Results[0].AssessmentID = "asm-lumen"
		all = append(all, c)
	}
	return all
}

// index returns an index over positions, two of which could not be read.
func index(t *testing.T) report.Index {
	t.Helper()
	x := report.Index{
		Report: severalPositions(t), Pages: []string{"1.html", "2.html", "3.html"}, Table: "results.csv", Empty: scripts,
		Missing: []report.Missing{
			{Name: "Data Engineer, Lisbon", Reason: report.Unknown}, {Name: "Lead (pos-lead)", Reason: report.Forbidden},
		},
	}
	x.Options.Source, x.Options.Date = "assess.example.com", "2026-03-30"
	return x
}

// crowded returns a report with the longest beginning: the best result is doubtful, and a score without a
// rank is higher.
func crowded(t *testing.T) report.Report {
	t.Helper()
	r := demo(t, 66)
	candidates := r.Sections[0].Candidates
	candidates[0].Results[1].Validity = "INVALID"
	r.Sections[0].Candidates = append(candidates, scored("Zoë Unranked", 99.9, "asm-lumen"))
	return r
}

// severalPositions returns a report with two rankings, and a position without candidates.
func severalPositions(t *testing.T) report.Report {
	t.Helper()
	r := demo(t, 66)
	r.Title = "Spring intake"
	r.Sections = append(r.Sections, report.Section{Title: "Backend Engineer, London", Candidates: selection()},
		report.Section{Title: "Nobody yet"})
	return r
}

// everywhere are small pages that together have all parts. Their rules are checked on phones and screens, and in both
// color schemes. The others are checked once.
var everywhere = []string{"0", "12", "hostile", "fr", "index"}

func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	source := axe(t)
	b := browsertest.New(t)
	shown := map[string]string{}
	for name, r := range pages(t) {
		shown[name] = render(t, r, report.Report.HTML)
	}
	var overview strings.Builder
	if err := index(t).HTML(&overview); err != nil {
		t.Fatal(err)
	}
	shown["index"] = overview.String()
	for name, page := range shown {
		b.Show(page)
		if n := b.Value("document.scripts.length + document.images.length"); n != 0.0 {
			t.Errorf("%s: a name became %v elements", name, n)
		}
		b.Value(source + "; 0")
		for _, width := range widths {
			for _, scheme := range schemes {
				b.Resize(width, scheme)
				where := fmt.Sprintf("%s at %d, %s", name, width, scheme)
				if wide := b.Value("document.documentElement.scrollWidth"); wide != float64(width) {
					t.Errorf("%s has the width %v", where, wide)
				}
				found := list(t, b, displays)
				switch phone := width == widths[0]; {
				case scheme == "light" && (phone || width == widths[1] && slices.Contains(everywhere, name)):
					found = append(found, violations(t, b, allRules)...)
				case phone && slices.Contains(everywhere, name):
					found = append(found, violations(t, b, contrast)...)
				}
				if len(found) > 0 {
					t.Errorf("%s:\n%s", where, strings.Join(found, "\n"))
				}
			}
		}
	}
}

// Printed pages show no links, because paper does not show their addresses.
func TestPrintedPagesHaveNoLinks(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	b.Show(render(t, demo(t, 12), report.Report.HTML))
	shown := func() string {
		text, _ := b.Value("document.querySelector('main').innerText").(string)
		return text
	}
	if text := shown(); !strings.Contains(text, "Report\n") || !strings.Contains(text, "Back to the ranking") {
		t.Errorf("the screen does not show links:\n%s", text)
	}
	b.Call("Emulation.setEmulatedMedia", map[string]any{"media": "print"})
	if text := shown(); strings.Contains(text, "Report\n") || strings.Contains(text, "Back to") ||
		!strings.Contains(text, "Lumen Ability Test") {
		t.Errorf("the paper shows:\n%s", text)
	}
	decorated := b.Value("[...document.links].filter(a => getComputedStyle(a).textDecorationLine !== 'none').length")
	if decorated != 0.0 {
		t.Errorf("%v links are underlined on paper", decorated)
	}
	for _, language := range report.Languages() {
		r := demo(t, 66)
		r.Options.Language = language
		b.Show(render(t, r, report.Report.HTML))
		paper := map[string]any{"preferCSSPageSize": true} // Letter
		if language != "en" {
			paper["paperWidth"], paper["paperHeight"] = 8.27, 11.69 // A4
		}
		pdf := string(b.Data("Page.printToPDF", paper))
		if pages := strings.Count(pdf, "/Type /Page\n"); pages < 2 || pages > 6 {
			t.Errorf("%s: 66 candidates require %d pages, want at most 6", language, pages)
		}
	}
}

// The first five candidates are visible without scrolling on a laptop and on a phone, in every language: the ranking
// is at the beginning of the page, after the navigation.
func TestFirstRowsAreVisible(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	// What the toolbars of a browser leave of a screen with 1280 x 800 or 390 x 844 points.
	heights := map[int]float64{1280: 640, 390: 664}
	for name, r := range map[string]report.Report{
		"crowded": crowded(t), "positions": severalPositions(t), "66": demo(t, 66), "500": thousands(500),
	} {
		for _, r.Options.Language = range report.Languages() {
			b.Show(render(t, r, report.Report.HTML))
			for width, height := range heights {
				b.Resize(width, "light")
				bottom, _ := b.Value("document.querySelectorAll('.ranking tbody tr')[4].getBoundingClientRect().bottom").(float64)
				if bottom <= 0 || bottom > height {
					t.Errorf("%s in %s: at a width of %d, the fifth candidate ends at %v, want at most %v",
						name, r.Options.Language, width, bottom, height)
				}
			}
			if b.Value("document.querySelector('.ranking').compareDocumentPosition(document.querySelector('nav')) & 2") != 2.0 {
				t.Errorf("%s in %s: the navigation is not before the ranking", name, r.Options.Language)
			}
		}
	}
}

// A score is on one line, and its bar does not cover it, even if scores differ in the last decimal only.
func TestLongScoresAreReadable(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	b.Show(render(t, one(scored("Ada", 79.600001, "x"), scored("Grace", 79.6, "x"), scored("Alan", -40, "x")), report.Report.HTML))
	for _, width := range []int{320, 390, 1280} {
		b.Resize(width, "light")
		hidden := list(t, b, `JSON.stringify([...document.querySelectorAll(".ranking td b")].filter(score => {
			const box = score.getBoundingClientRect(), cell = score.parentElement, style = getComputedStyle(cell),
				[x, y] = style.backgroundPosition.split(",").pop().trim().split(" ").map(parseFloat),
				at = cell.getBoundingClientRect()
			return score.scrollWidth > score.clientWidth || box.right > at.right ||
				box.right > at.left + x && box.bottom > at.top + y + 2
		}).map(score => score.textContent + ": " + getComputedStyle(score.parentElement).backgroundPosition))`)
		if len(hidden) > 0 {
			t.Errorf("at a width of %d, bars cover scores, or scores do not fit: %q", width, hidden)
		}
	}
}
