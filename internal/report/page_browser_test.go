// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// Each expression returns a list of what is wrong with a page, as JSON.
const (
	// Rules of WCAG 2.2 AA and best practices that the page breaks, among them the contrast of colors.
	violations = `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => JSON.stringify(
		r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join("; "))))`
	// Parts of tables that are not displayed as tables. Assistive technology does not recognize them as tables.
	displays = `JSON.stringify([...document.querySelectorAll("table, tr, td, th")]
		.filter(e => !/^(table|none)/.test(getComputedStyle(e).display)).map(e => e.outerHTML).slice(0, 3))`
	// Scores that are not on one line, or that their bar covers.
	covered = `JSON.stringify([...document.querySelectorAll(".ranking td b")].filter(score => {
		const box = score.getBoundingClientRect(), cell = score.parentElement, style = getComputedStyle(cell),
			[x, y] = style.backgroundPosition.split(",").pop().trim().split(" ").map(parseFloat),
			at = cell.getBoundingClientRect()
		return score.scrollWidth > score.clientWidth || box.right > at.right ||
			style.backgroundImage !== "none" && box.right > at.left + x && box.bottom > at.top + y + 2
	}).map(score => score.textContent + ": " + getComputedStyle(score.parentElement).backgroundPosition))`
	// Scripts and images. Pages have none, so names must have become these.
	scripts = `JSON.stringify([...document.scripts, ...document.images].map(e => e.outerHTML))`
)

// pages returns pages like those that people see.
func pages(t *testing.T) map[string]string {
	t.Helper()
	top, hostileNames := demo(t, 66), []string{"محمد بن موسى الخوارزمي", "שרה כהן", "王小明", "Zal" + strings.Repeat("\u0337\u0353\u030a", 30) + "go"}
	top.Options.Language, top.Options.Anonymous, top.Options.Top = "fr", true, 7
	for _, h := range hostile {
		hostileNames = append(hostileNames, h.text)
	}
	several := crowded(t)
	several.Title = "Spring intake"
	several.Sections = append(several.Sections, report.Section{Title: "Backend Engineer, London", Candidates: selection()},
		report.Section{Title: "Nobody yet"})
	shown := map[string]string{}
	for name, r := range map[string]report.Report{
		"empty": demo(t, 0), "crowded": crowded(t), "top": top, "positions": several,
		"names":   one(projection("Ada Lovelace", "Grace Hopper")...),
		"hostile": {Title: hostileNames[4], Sections: []report.Section{{Candidates: projection(hostileNames...)}}},
		"close":   one(scored("Ada", 79.600001, "x"), scored("Grace", 79.6, "x"), scored("Alan", -40, "x")),
	} {
		shown[name] = render(t, r, report.Report.HTML)
	}
	var index strings.Builder
	err := report.Index{
		Report: several, Pages: []string{"1.html", "2.html", "3.html"}, Table: "results.csv", Empty: hostileNames,
		Missing: []report.Missing{
			{Name: "Data Engineer, Lisbon", Reason: report.Unknown}, {Name: "Lead (pos-lead)", Reason: report.Forbidden},
		},
	}.HTML(&index)
	if err != nil {
		t.Fatal(err)
	}
	shown["index"] = index.String()
	return shown
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

// Pages are accessible on phones and screens, and in both color schemes. On a crowded page, the first five candidates are
// visible without scrolling.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	source := axe(t)
	b := browsertest.New(t)
	// What the toolbars of a browser leave of a screen with 390 x 844 or 1280 x 800 points.
	heights := map[int]float64{390: 664, 1280: 640}
	for name, page := range pages(t) {
		b.Show(page)
		b.Value(source + "; 0")
		for width, height := range heights {
			for _, scheme := range []string{"light", "dark"} {
				b.Resize(width, scheme)
				where := fmt.Sprintf("%s at %d, %s", name, width, scheme)
				if wide := b.Value("document.documentElement.scrollWidth"); wide != float64(width) {
					t.Errorf("%s has the width %v", where, wide)
				}
				for _, expression := range []string{scripts, displays, covered, violations} {
					if found := b.Value(expression); found != "[]" {
						t.Errorf("%s:\n%s", where, found)
					}
				}
			}
			if name != "crowded" {
				continue
			}
			fifth, _ := b.Value("document.querySelectorAll('.ranking tbody tr')[4].getBoundingClientRect().bottom").(float64)
			if fifth <= 0 || fifth > height {
				t.Errorf("at a width of %d, the fifth candidate ends at %v, want at most %v", width, fifth, height)
			}
		}
	}
}

// Printed pages show no links, because paper does not show their addresses.
func TestPrintedPagesHaveNoLinks(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	b.Show(render(t, demo(t, 12), report.Report.HTML))
	for _, media := range []string{"screen", "print"} {
		b.Call("Emulation.setEmulatedMedia", map[string]any{"media": media})
		text, _ := b.Value("document.querySelector('main').innerText").(string)
		isScreen := media == "screen"
		if strings.Contains(text, "Report\n") != isScreen || strings.Contains(text, "Back to") != isScreen ||
			!strings.Contains(text, "Lumen Ability Test") {
			t.Errorf("the %s shows:\n%s", media, text)
		}
	}
	decorated := b.Value("[...document.links].filter(a => getComputedStyle(a).textDecorationLine !== 'none').length")
	if decorated != 0.0 {
		t.Errorf("%v links are underlined on paper", decorated)
	}
}
