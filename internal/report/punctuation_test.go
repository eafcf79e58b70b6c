// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"regexp"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// French has a space before colons and semicolons, which does not break a line.
func TestFrenchPunctuation(t *testing.T) {
	t.Parallel()
	for name, r := range doubtful() {
		r.Sections = append(demo(66).Sections, r.Sections...)
		r.Options = report.Options{Language: "fr", Date: "2026-03-30", Source: "assess.example.com"}
		text := render(t, r, report.Report.Markdown)
		if wrong := regexp.MustCompile(`.{0,20}[\pL\pN)»][:;] .{0,20}`).FindString(text); wrong != "" {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}
