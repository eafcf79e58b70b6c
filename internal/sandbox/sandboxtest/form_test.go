// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// written returns all that a client sees of a service that writes in some form.
func written(t *testing.T, a sandboxtest.Assumptions) (text string) {
	t.Helper()
	seed := func() *sandbox.State {
		st := sandbox.Demo()
		candidates := &st.Position(sandbox.DemoResultsPosition).Candidates
		*candidates = (*candidates)[:3]
		(*candidates)[2].Results = nil
		st.Positions = append(st.Positions, sandbox.Position{ID: "12345", Title: "Nets’ – 5 €", Locale: "en-GB"})
		return st
	}
	service := sandboxtest.NewService(t, sandboxtest.Options{
		Options: sandbox.Options{Seed: seed, NoLimits: true, MaxPage: 40}, Assumptions: a,
	})
	const results = "/positions/pos-graduates-2026/results"
	for _, request := range [][3]string{
		{"GET", "/positions?fields=title,locale&limit=1000", ""},
		{"GET", "/positions?fields=title,locale&limit=3&offset=3", ""},
		{"GET", "/positions?title=x", ""},
		{"GET", "/assessments/asm-quartet/packages?fields=name,mandatory", ""},
		{"GET", "/assessments/asm-workbench/skills?fields=title,active,numberOfQuestions&limit=2&active=false", ""},
		{"GET", results, ""},
		{"GET", results + "?candidate=cnd-001&candidate=cnd-002&limit=1", ""},
		{"POST", "/positions/pos-backend-london/assessments", `{"organizationAssessment":"asm-northlight"}`},
		{"GET", "/positions/pos-backend-london/assessments/pas-0001", ""},
		{"GET", "/positions/pos-backend-london/assessments?fields=organizationAssessment,metadata", ""},
		{"PUT", "/positions/pos-backend-london/assessments/pas-0001", `{"organizationAssessment":"asm-northlight"}`},
		{"DELETE", "/positions/pos-backend-london/assessments/pas-0001", ""},
	} {
		answer := sandboxtest.Ask(t, service, request[0], request[1], request[2])
		answer.Header.Del("Conversation-Id")
		text += fmt.Sprintln(request, answer.Status, answer.Header, answer.Body)
	}
	return text
}

// Each form changes some answer.
func TestFormsDiffer(t *testing.T) {
	t.Parallel()
	inVirtualTime := func(t *testing.T, a sandboxtest.Assumptions) (text string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) { text = written(t, a) })
		return text
	}
	plain := inVirtualTime(t, sandboxtest.Assumptions{})
	seen := map[string]string{plain: "the plain form"}
	for _, form := range sandboxtest.Forms() {
		text := inVirtualTime(t, form.Assumptions)
		if other, same := seen[text]; same && !strings.Contains(form.Name, `"gzip"`) { // which the transport undoes
			t.Errorf("%s writes the same as %s", form.Name, other)
		}
		seen[text] = form.Name
	}
}

// A thousand seeds have each form, and dropping fields one by one ends at the plain form.
func TestRandomForms(t *testing.T) {
	t.Parallel()
	drawn := map[string]bool{}
	for seed := range uint64(1000) {
		form := sandboxtest.RandomForm(seed)
		if form != sandboxtest.RandomForm(seed) {
			t.Fatalf("seed %d returns different forms", seed)
		}
		for _, word := range sandboxtest.Forms() {
			drawn[word.Name] = drawn[word.Name] || strings.Contains(" "+form.String()+" ", " "+word.Name+" ")
		}
		for fields := 0; form != (sandboxtest.Assumptions{}); fields++ {
			if form = form.Simpler()[0]; fields > 20 {
				t.Fatalf("seed %d does not get simpler than %s", seed, form)
			}
		}
	}
	for _, form := range sandboxtest.Forms() {
		if !drawn[form.Name] {
			t.Errorf("no seed has %s", form.Name)
		}
	}
}
