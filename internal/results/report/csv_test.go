// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
)

func TestCSVCells(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Ada":                 "Ada",
		"O'Brien-Smith":       "O'Brien-Smith",
		"a=b":                 "a=b",
		"=1+1":                "'=1+1",
		"+49 40 1234":         "'+49 40 1234",
		"-1":                  "'-1",
		"@SUM(A1)":            "'@SUM(A1)",
		"\t=1":                "'\t'=1",
		"\tx":                 "'\tx",
		"\rx":                 "'\nx",
		"\nx":                 "'\nx",
		" =1":                 "' =1",
		"\u00a0\u200b\ufeff=": "'\u00a0\u200b\ufeff=",
		"＝1":                  "'＝1",
		"a;=1;b":              "a;'=1;b",
		"a,=1":                "a,'=1",
		"Smith, -Jones":       "Smith, '-Jones",
		"a\t +1":              "a\t '+1",
		"a\r\n@x":             "a\n'@x",
		"a; b":                "a; b",
		`x;"=cmd|' /C calc'`:  `x;"'=cmd|' /C calc'`,
		`"=1`:                 `'"=1`,
		`say "hi", you`:       `say "hi", you`,
	} {
		text := render(t, one(assessapi.Candidate{Name: name}), report.Report.CSV)
		if got := column(t, records(t, text), "candidate_name")[0]; got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
		if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
			t.Errorf("a line ends without CRLF: %q", text)
		}
	}
}

// Excel reads a file as UTF-8 only after a byte order mark. It expects the separators of the system's
// language for cells and decimals. It reads this form of a time in each language.
func TestCSVForExcel(t *testing.T) {
	t.Parallel()
	results := []assessapi.Result{quartet(3.25)}
	r := one(assessapi.Candidate{ID: "a", Name: "Zoë", Suitability: number(70.5), Results: results})
	r.Options.Excel = true
	for language, want := range map[string]string{"en": "a,Zoë,70.5,", "de": "a;Zoë;70,5;", "fr": "a;Zoë;70,5;"} {
		r.Options.Language = language
		text := render(t, r, report.Report.CSV)
		if !strings.HasPrefix(text, "\ufeffcandidate_id") || !strings.Contains(text, "\r\n"+want) ||
			!strings.Contains(text, "2026-03-03 17:45:00") || strings.Contains(text, "T17:45") {
			t.Errorf("%s: the file is %q", language, text)
		}
	}
}
