// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
)

func TestMarkdownCells(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"J. R. O'Brien-Smith (she)": "J. R. O'Brien-Smith (she)",
		"a|b":                       `a\|b`,
		`a\|b`:                      `a\\\|b`,
		"a\r\nb\n\n|c\tc":           `a b \|c c`,
		"`x`":                       "\\`x\\`",
		"<b>&amp;":                  `\<b\>\&·amp;`,
		"[x](http://e.example)":     `\[·x\](http:·//e.example)`,
		"www.e.example":             `www·.e.example`,
		"a@e.example":               "a@·e.example",
		"\u202eevil\u2066":          "evil",
		"*_~#!$":                    `\*\_\~\#\!\$`,
		"#12 !7 GH-12 JOB-9":        `\#·12 \!·7 GH-·12 JOB-·9`,
		":tada: 1:30 a: b":          `:·tada: 1:·30 a: b`,
		"0123456789abcdef":          "012345·6789ab·cdef",
		"mailto:a":                  "mailto:·a",
	} {
		want = strings.ReplaceAll(want, "·", "\u2060") // an invisible character
		text := render(t, one(assessapi.Candidate{Name: name}), report.Report.Markdown)
		if !strings.Contains(text, "\n| – | "+want+" | No score |  |  |\n") {
			t.Errorf("%q did not become %q:\n%s", name, want, text)
		}
	}
}
