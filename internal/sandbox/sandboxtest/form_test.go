// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	london  = "/positions/pos-backend-london/assessments" // of the position whose position assessments the tests use
	list    = london + "?fields=organizationAssessment,metadata"
	single  = london + "/pas-0001"
	results = "/positions/" + sandbox.DemoResultsPosition + "/results"
	demo    = "/positions/" + sandbox.DemoResultsPosition + "/assessments?fields=metadata"
	games   = "/assessments/asm-quartet/packages"
	whole   = `{"packages":["pkg-problem-solving","pkg-numerical-reasoning"],"benchmark":"bmk-quartet-graduates-en-gb"}`
)

// written returns all that a client sees of a service.
func written(t *testing.T, a sandboxtest.Assumptions) (text string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{Assumptions: a, Options: sandbox.Options{
			NoLimits: true, MaxPage: 40, Seed: func() *sandbox.State {
				st := sandbox.Demo()
				candidates := &st.Position(sandbox.DemoResultsPosition).Candidates
				*candidates = (*candidates)[:3]
				(*candidates)[2].Results = nil
				st.Positions = append(st.Positions, sandbox.Position{ID: "12345", Title: "Nets’ – 5 €", Locale: "en-GB"})
				return st
			},
		}})
		for _, request := range [][3]string{
			{"GET", "/nowhere", ""},
			{"GET", "/positions?fields=title,locale&limit=1000", ""},
			{"GET", "/positions?fields=title,locale&limit=3&offset=3", ""},
			{"GET", "/positions?title=hamburg", ""},
			{"GET", games + "?fields=name,mandatory", ""},
			{"GET", games, ""},
			{"GET", "/assessments/asm-lumen/packages", ""},
			{"GET", "/assessments/asm-lumen/benchmarks?fields=locale", ""},
			{"GET", "/assessments/asm-lumen/benchmarks", ""},
			{"GET", "/assessments/asm-terrain/profiles", ""},
			{"GET", "/assessments/asm-workbench/skills?fields=title,active,numberOfQuestions&limit=2&active=false", ""},
			{"GET", results, ""},
			{"GET", results + "?candidate=cnd-001&candidate=cnd-002&limit=1", ""},
			{"GET", demo, ""},
			{"POST", london, "{\"organizationAssessment\":\"\xe9\"}"},
			{"POST", london, `{"organizationAssessment":"asm-northlight"}`},
			{"POST", london, `{"organizationAssessment":"asm-quartet","metadata":` + whole + `}`},
			{"GET", single, ""},
			{"GET", list, ""},
			{"PUT", single, `{"organizationAssessment":"asm-northlight"}`},
			{"DELETE", "/positions/" + sandbox.DemoResultsPosition + "/assessments/pas-graduates-lumen", ""}, // refused
			{"DELETE", single, ""},
			{"DELETE", single, ""},
		} {
			answer := sandboxtest.Ask(t, service, request[0], request[1], request[2])
			text += fmt.Sprintln(request, answer.Status, answer.Header, answer.Body)
		}
	})
	return text
}

// Each assumption changes some answer, and each does it in its own way.
func TestAlternativesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]string{written(t, sandboxtest.Assumptions{}): "the plain form"}
	for _, form := range sandboxtest.Alternatives() {
		text := written(t, form.Assumptions)
		other, same := seen[text]
		if same && form.Gap != "A14" && form.Gap != "A21" { // the rate limits have a test of their own
			t.Errorf("%s writes the same as %s", form.Name, other)
		}
		seen[text] = form.Name
	}
}
