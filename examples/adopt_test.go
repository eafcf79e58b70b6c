// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/adopt"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/source"
)

// What positions already have, with each kind of configuration, is imported by one plan, which changes nothing.
func TestAdoptExisting(t *testing.T) {
	t.Parallel()
	const positions, each, others = 6, 5, 4
	e := newExample(t, "import")
	for _, file := range []string{"imports.tf", "resources.tf"} {
		if err := os.Remove(filepath.Join(e.Dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	e.change(func(st *sandbox.State) {
		st.Assessment("asm-workbench").SkillsTest("skt-linux").Set("active", true)
		for i := range st.Positions[:positions] {
			for _, attached := range []sandbox.PositionAssessment{
				{Assessment: "asm-quartet", Metadata: sandbox.Metadata{
					Packages:  []string{"pkg-problem-solving", "pkg-numerical-reasoning"},
					Benchmark: "bmk-quartet-engineers-" + localeOf(st.Positions[i]),
				}},
				{Assessment: "asm-northlight", Metadata: sandbox.Metadata{Profile: "prf-curious-builders"}},
				{Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted}},
				{Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-sql", "skt-linux"}}},
				{Assessment: "asm-facet"},
			} {
				if _, err := st.Attach(st.Positions[i].ID, attached.Assessment, attached.Metadata); err != nil {
					t.Error(err)
				}
			}
		}
		st.Assessment("asm-workbench").SkillsTest("skt-linux").Set("active", false) // after it was attached
	})
	// real time: only for the log
	began := time.Now()
	e.Human("init", "-input=false").OK()
	err := adopt.Write(t.Context(), adopt.Options{
		Options: source.Options{
			StateFile: filepath.Join(e.Dir, "assess-sandbox.json"), Getenv: func(string) string { return "" },
			CacheDir: t.TempDir(),
		},
		File: filepath.Join(e.Dir, "existing.tf"), Out: io.Discard, Progress: io.Discard,
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Human("fmt", "-check").OK()
	plan := e.Plan().OK()
	for _, change := range plan.Changes {
		if !strings.HasPrefix(change, "import ") {
			t.Errorf("the plan does more than import: %s", change)
		}
	}
	const readable = "import assess_position_assessment.backend_engineer_london_qrt"
	if n := len(plan.Changes); n != positions*each+others || !slices.Contains(plan.Changes, readable) {
		t.Errorf("the plan has %d changes, want %d with %s: %v", n, positions*each+others, readable, plan.Changes)
	}
	e.Apply().OK()
	if n := e.managed(); n != positions*each+others {
		t.Errorf("the state has %d position assessments, want %d", n, positions*each+others)
	}
	e.Plan().Empty()
	// real time: only for the log
	t.Logf("%d position assessments adopted in %v", positions*each+others, time.Since(began))
}

// localeOf returns the locale of a position as the IDs of the embedded service spell it.
func localeOf(p sandbox.Position) string { return strings.ToLower(p.Locale) }
