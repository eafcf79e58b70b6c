// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The module finds names among 5,000 skills tests. For a misspelled name, the message
// shows similar names of the same block, and only a few of them.
func TestExampleGitopsModuleFindsNames(t *testing.T) {
	t.Parallel()
	e := newExample(t, "gitops")
	e.human("init", "-input=false").ok()
	retire := func(st *sandbox.State) {
		skills := st.Assessment("asm-workbench")
		skills.SkillsTests = append(skills.SkillsTests,
			sandboxtest.SkillsTest(t, `{"id": "skt-retired", "title": "SQL Queries", "active": false}`))
	}
	e.change(retire)
	e.plan().ok() // a disabled test with the title of an enabled one is not used

	e.change(func(st *sandbox.State) {
		*st = *sandboxtest.Large()
		retire(st)
		lumen := st.Assessment("asm-lumen")
		for _, id := range []string{"bmk-a", "bmk-b"} {
			lumen.Benchmarks = append(lumen.Benchmarks, sandbox.Benchmark{ID: id, Name: "Twins", Locale: "en-GB"})
		}
	})
	repository := &repository{example: e}
	repository.replaces("positions.yaml", "- SQL Queries", "- SQL Querys\n          - ubung 4321")
	repository.replaces("positions.yaml", "benchmark: Engineers\n      - code: NLV", "benchmark: Twins\n      - code: NLV")
	repository.replaces("positions.yaml", "benchmark: Finance", "profile: Finance")
	const london, hamburg = "Backend Engineer, London, ", "Controller (m/w/d), Hamburg, "
	want := []string{
		london + "WBN: there is no test SQL Querys. There are 5000, such as: SQL Queries, ",
		london + "WBN: there is no test ubung 4321. There are 5000, such as: Übung 432, Übung 4320, Übung 4321, ",
		london + "LMN: more than one benchmark has the name Twins.",
		hamburg + "TLY: there is no profile Finance. There is none.",
	}
	plan := e.plan()
	text := plan.text()
	for _, line := range want {
		if !strings.Contains(text, line) {
			t.Errorf("the plan does not say %q", line)
		}
	}
	if len(plan.errors) != 3 || len(text) > 5000 {
		t.Errorf("the plan has %d errors and %d bytes:\n%.5000s", len(plan.errors), len(text), text)
	}
}
