// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/companion/export"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// organization has an assessment of each kind, and what no row can say.
func organization() []sandbox.Position {
	type attached = []sandbox.PositionAssessment
	facet := func(id string) sandbox.PositionAssessment {
		return sandbox.PositionAssessment{ID: id, Assessment: "asm-facet"}
	}
	return []sandbox.Position{
		{ID: "p/1", Title: "Backend Engineer, London", Locale: "en-GB", Assessments: attached{
			{ID: "a1", Assessment: "asm-quartet", Metadata: sandbox.Metadata{
				Packages:  []string{"pkg-problem-solving", "pkg-numerical-reasoning"},
				Benchmark: "bmk-quartet-engineers-en-gb",
			}},
			{ID: "a2", Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-sql"}}},
			{ID: "a3", Assessment: "asm-northlight", Metadata: sandbox.Metadata{
				Profile: "prf-curious-builders", ProfileStatus: sandbox.ProfileAttached,
			}},
			{ID: "a4", Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted}},
			facet("a5"), facet("a6"),
		}},
		{ID: "p2", Title: "Twice", Assessments: attached{facet("b1")}},
		{ID: "p3", Title: "Twice", Assessments: attached{facet("c1")}},
		{ID: "p4", Title: "=1+1", Assessments: attached{facet("d1")}},
		{ID: "p5", Title: "Other", Assessments: attached{
			{ID: "e1", Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-rust"}}},
			{ID: "e2", Assessment: "asm-retired"},
			{ID: "e3", Assessment: "asm-lumen", Metadata: sandbox.Metadata{Benchmark: "gone"}},
		}},
	}
}

func asCSV(dir string) func(*export.Options) {
	return func(o *export.Options) {
		o.Format, o.File, o.Module = "csv", filepath.Join(dir, "positions.csv"), "positions"
	}
}

// A spreadsheet has a row for each position assessment that the module can attach, with names, and the import block of
// these rows. The output says what has no row, and why.
func TestSpreadsheet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, out, err := adopts(t, having(t, sandboxtest.Assumptions{}, organization()...), asCSV(dir))
	if err != nil {
		t.Fatal(err)
	}
	const want = "\ufeffkey,title,assessment,packages,benchmark,profile,tests\r\n"
	const rows = `backend_engineer_london_qrt,"Backend Engineer, London",Quartet Games,Problem solving | Numerical reasoning,Engineers,,
backend_engineer_london_wbn,"Backend Engineer, London",Workbench Skills,,,,SQL Queries
backend_engineer_london_nlv,"Backend Engineer, London",Northlight Values Inventory,,,Curious builders,
backend_engineer_london_trn,"Backend Engineer, London",Terrain Work Preferences,,,,
backend_engineer_london_fct,"Backend Engineer, London",Facet Behavioural Profile,,,,
`
	if file != want+strings.ReplaceAll(rows, "\n", "\r\n") {
		t.Errorf("the spreadsheet is\n%s", file)
	}
	imports, err := os.ReadFile(filepath.Join(dir, "imports.tf"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(imports), `    backend_engineer_london_qrt = "p%2F1/a1"`+"\n",
		"  to = module.positions.assess_position_assessment.row[each.key]\n  id = each.value\n}\n")
	contains(t, out, "positions.csv: 5, on 1 of 5 positions.",
		"(backend_engineer_london_fct_2):\n  The position has this assessment already, as backend_engineer_london_fct. ",
		"(twice_fct_2):\n  Several positions have this title. Rename one of them in the service. It has no row.",
		`"=1+1" would be a formula. It has no row.`,
		"A row can name enabled tests only. Enable the test, or remove it from the position, and export again. It has no row.",
		"The organization no longer has its assessment. It has no row.",
		`The service shows no name for "gone" in "benchmark". It has no row.`,
		"(backend_engineer_london_trn):\n  A supervisor has completed its profile, so no profile is written.",
		"Next, plan and apply. ", "Then delete imports.tf.")
	if _, _, err := adopts(t, having(t, sandboxtest.Assumptions{}, organization()...), func(o *export.Options) {
		asCSV(dir)(o)
		o.File = filepath.Join(dir, "other.csv")
	}); err == nil || !strings.Contains(err.Error(), "imports.tf already exists") {
		t.Errorf("imports.tf is replaced: %v", err)
	}
}

// A service that does not list benchmarks shows no names for them, so what has one gets no row, and the rest does.
func TestSpreadsheetWithoutBenchmarks(t *testing.T) {
	t.Parallel()
	service := having(t, sandboxtest.Differing("A8 404"), organization()[:1]...)
	_, out, err := adopts(t, service, asCSV(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, out, "positions.csv: 4, on 1 of 1 positions.", "Quartet Games on Backend Engineer, London (backend_engineer_london_qrt):\n"+
		`  The service shows no name for "bmk-quartet-engineers-en-gb" in "benchmark". It has no row.`)
}

// What a state manages is left out, and no new address or key is one of the state.
func TestState(t *testing.T) {
	t.Parallel()
	const shown = `{"format_version": "1.0", "values": {"root_module": {"child_modules": [{"resources": [
		{"mode": "managed", "type": "assess_position_assessment", "name": "row", "index": "backend_engineer_london_qrt",
		 "values": {"position_id": "p/1", "id": "a1"}},
		{"mode": "data", "type": "assess_position_assessment", "name": "x", "values": {"position_id": "p/1", "id": "a2"}}]}]}}}`
	const pulled = `{"version": 4, "resources": [
		{"mode": "managed", "type": "assess_position_assessment", "name": "backend_engineer_london_qrt", "instances": [
		 {"attributes": {"position_id": "p/1", "id": "a1"}}]}]}`
	withState := func(text string) func(*export.Options) {
		state := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(state, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return func(o *export.Options) { o.State = state }
	}
	for name, text := range map[string]string{"show": shown, "pull": pulled} {
		positions := organization()[:1]
		positions[0].Assessments[1] = sandbox.PositionAssessment{ID: "a7", Assessment: "asm-quartet"}
		file, out, err := adopts(t, having(t, sandboxtest.Assumptions{}, positions...), withState(text))
		if err != nil || strings.Contains(file, `"p%2F1/a1"`) || !strings.Contains(file, `"backend_engineer_london_qrt_2"`) {
			t.Errorf("%s: %v, the file is\n%s", name, err, file)
		}
		contains(t, out, "(backend_engineer_london_qrt_2):\n  The position has this assessment already, in the state. ", "Next, plan and apply. ")
	}
	// A spreadsheet of the rest does not replace the one that the state comes from.
	file, out, err := adopts(t, having(t, sandboxtest.Assumptions{}, organization()[:1]...), func(o *export.Options) {
		asCSV(t.TempDir())(o)
		withState(shown)(o)
	})
	if err != nil || strings.Contains(file, "Quartet Games") || !strings.Contains(file, "SQL Queries") {
		t.Errorf("%v, the file is\n%s", err, file)
	}
	contains(t, out, "Next, copy the rows into your spreadsheet and imports.tf beside your configuration. Then plan and apply.")
	for text, says := range map[string]string{"x": "it is not JSON", `{"format": 1}`: "it is the output of neither"} {
		if _, _, err := adopts(t, having(t, sandboxtest.Assumptions{}), withState(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
