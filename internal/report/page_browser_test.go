// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// axe returns the source of axe-core, which npm installs as the lock file says.
func axe(t *testing.T) string {
	t.Helper()
	npm := tool(t, "npm")
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
		unavailable(t, "npm cannot install axe-core: %v\n%s", err, out)
	}
	source, err := os.ReadFile(filepath.Join(directory, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// violations runs the rules of WCAG 2.2 AA, and those that are good practice.
const violations = `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => JSON.stringify(
	r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join("; "))))`

// displays lists what of a table is not shown as one: such an element has lost
// its meaning for assistive technology.
const displays = `JSON.stringify([...document.querySelectorAll("table, tr, td, th")].filter(e => !/^(table|none)/.test(getComputedStyle(e).display)).map(e => e.outerHTML).slice(0, 3))`

var (
	widths  = []int{390, 1280, 1600}
	schemes = []string{"light", "dark"}
)

// pages are reports as people will see them.
func pages() map[string]report.Report {
	pages := map[string]report.Report{
		"hostile": {Title: `<script>alert("title")</script>`, Sections: []report.Section{{Candidates: hostile()}}},
		"positions": {Title: "Spring intake", Sections: []report.Section{
			{Title: "Backend Engineer, London", Candidates: selection()}, {Title: "Controller, Hamburg", Candidates: selection()[4:]}, {Title: "Nobody yet"},
		}},
		"names": {Sections: []report.Section{{Candidates: projection("Ada Lovelace", "Grace Hopper")}}},
	}
	for _, n := range []int{0, 1, 12, 66} {
		pages[fmt.Sprint(n)] = demo(n)
	}
	for language, change := range map[string]func(*report.Options){
		"de": func(o *report.Options) { o.Anonymous, o.FinishedOnly = true, true },
		"fr": func(o *report.Options) { o.Top = 7 },
	} {
		r := demo(66)
		r.Options.Language = language
		change(&r.Options)
		pages[language] = r
	}
	return pages
}

func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	source := axe(t)
	b := newBrowser(t)
	for name, r := range pages() {
		page := render(t, r, report.Report.HTML)
		b.show(page)
		b.value(source + "; 0")
		for _, width := range widths {
			for _, scheme := range schemes {
				b.resize(width, scheme)
				where := fmt.Sprintf("%s at %d, %s", name, width, scheme)
				if wide := b.value("document.documentElement.scrollWidth"); wide != float64(width) {
					t.Errorf("%s is %v wide", where, wide)
				}
				for _, check := range []string{violations, displays} {
					text, _ := b.value(check).(string)
					var found []string
					if err := json.Unmarshal([]byte(text), &found); err != nil {
						t.Fatal(err)
					}
					if len(found) > 0 {
						t.Errorf("%s:\n%s", where, strings.Join(found, "\n"))
					}
				}
				b.picture(fmt.Sprintf("%s-%d-%s", name, width, scheme))
			}
		}
		b.pdf(name)
	}
}
