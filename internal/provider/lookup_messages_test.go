// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// A data source that finds nothing, or too much, says what to do, and lists the names that exist.
func TestLookupMessages(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Position("pos-backend-london").Title = "Backend Engineer ${Go}, London"
		paris := st.Position("pos-donnees-paris")
		twin := *paris
		twin.ID, twin.Locale = "pos-donnees-lyon", "fr-CA"
		twin.Extra.Set("department", "Data")
		st.Positions = append(st.Positions, twin)
	})
	w := runOn(t, service)
	w.refuses("assess_position", fields{"title": "Backend Engineer ${Go}, Londn"},
		`Similar: "pos-backend-london"`,
		`correct the value of the attribute "title"\. It must match exactly\. If the position was renamed, write its new title\.`,
		`moved \{\s+from = assess_position_assessment\.NAME\["Backend Engineer \$\$\{Go\}, Londn"\]\s+`+
			`to = assess_position_assessment\.NAME\["Backend Engineer \$\$\{Go\}, London"\]\s+\}`)
	w.refuses("assess_position", fields{"title": "Graduate Programme 2026 "}, `Similar: .*\. The value of "title" ends with white `+
		`space: a space\. To fix this: correct the value of the attribute "title"\. It must match exactly\. https:`)
	w.refuses("assess_position", fields{"title": "Night Porter"}, "Available: ",
		`NAME\["Night Porter"\]\s+to .*NAME\["NEW TITLE"\]`)
	w.refuses("assess_position", fields{"title": "Ingénieure données, Paris"}, "2 positions have the title",
		`"pos-donnees-paris" \(title "Ingénieure .*", extra_json <null>, locale "fr-FR"\), `+
			`"pos-donnees-lyon" \(title "Ingénieure .*", extra_json .*department.*, locale "fr-CA"\)`)
	w.refuses("assess_benchmark", fields{"assessment_id": "asm-northlight", "name": "Graduates"},
		`Assessment "asm-northlight" has no benchmarks\. It accepts only: profile\.`, `remove this data source`)
	w.refuses("assess_profile", fields{"assessment_id": "asm-quartet", "name": "x"},
		`has no profiles\. It accepts only: packages, benchmark\.`)
	w.refuses("assess_skills_test", fields{"assessment_id": "asm-facet", "title": "x"},
		`has no skills tests\. It accepts no block\.`)
}

// What was copied together with a credential or an address is named, but no secret is printed.
func TestSettingsThatWereCopiedBadly(t *testing.T) {
	t.Parallel()
	const address = "Invalid address of the service"
	quotes, space := "is enclosed in quotation marks", "ends with white space: "
	for name, row := range map[string]struct{ variable, value, summary, says string }{
		"a key in quotes":        {"ASSESS_API_KEY", `"SECRET"`, "Invalid API key", quotes},
		"a key in other quotes":  {"ASSESS_API_KEY", "“SECRET”", "Invalid API key", quotes},
		"a key and a space":      {"ASSESS_API_KEY", "SECRET ", "Invalid API key", space + "a space. It is not shown here"},
		"a key and a line break": {"ASSESS_API_KEY", "SECRET\r\n", "Invalid API key", space + "a line break"},
		"a client and a tab":     {"ASSESS_CLIENT_ID", "\tx", "Invalid Client Identifier", "begins with white space"},
		"a client in quotes":     {"ASSESS_CLIENT_ID", "'x'", "Invalid Client Identifier", quotes},
		"an address in quotes":   {"ASSESS_BASE_URL", `"https://x.example"`, address, quotes},
		"an address and a space": {"ASSESS_BASE_URL", "https://x.example\u00a0", address, space + "the character U+00A0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{
				"ASSESS_BASE_URL": "https://x.example", "ASSESS_CLIENT_ID": "x", "ASSESS_API_KEY": "SECRET", row.variable: row.value,
			}
			w := clientOf(t, &provider.Provider{Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir()})
			got := w.configure(fields{})
			if len(got) != 1 || got[0].Summary != row.summary || !strings.Contains(got[0].Detail, row.says) ||
				strings.Contains(got[0].Detail, "SECRET") {
				t.Errorf("got %v, want %q with %q", got, row.summary, row.says)
			}
		})
	}
}
