// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/companion/export"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// adopts runs the command, and returns the file and the output.
func adopts(t *testing.T, service *sandboxtest.Server, change func(*export.Options)) (file, out string, err error) {
	t.Helper()
	env := map[string]string{
		"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		"ASSESS_UNTHROTTLED": "1",
	}
	var printed bytes.Buffer
	o := export.Options{
		Options: run.Options{Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir()},
		File:    filepath.Join(t.TempDir(), "existing.tf"), Out: &printed, Errors: &printed,
	}
	if change != nil {
		change(&o)
	}
	err = export.Write(t.Context(), o)
	text, _ := os.ReadFile(o.File) // does not exist if the command failed
	return string(text), printed.String(), err
}

// having starts a service that has these positions.
func having(t *testing.T, assumptions sandboxtest.Assumptions, positions ...sandbox.Position) *sandboxtest.Server {
	t.Helper()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.NoLimits, o.MaxPage, o.Assumptions = true, 0, assumptions
	})
	service.Change(t, func(st *sandbox.State) { st.Positions = positions })
	return service
}

// contains checks that a text has all parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("there is no\n%s\nbut\n%s", part, text)
		}
	}
}

// An address says which assessment of which position it is. Duplicates and disabled tests are pointed out.
func TestAddressesCanBeRead(t *testing.T) {
	t.Parallel()
	service := having(t, sandboxtest.Assumptions{},
		sandbox.Position{ID: "p/1", Title: "Backend Engineer, London", Assessments: []sandbox.PositionAssessment{
			{ID: "a1", Assessment: "asm-quartet", Metadata: sandbox.Metadata{
				Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}, Benchmark: "b${1}",
			}},
			{ID: "a2", Assessment: "asm-quartet", Metadata: sandbox.Metadata{
				Packages: []string{"pkg-numerical-reasoning", "pkg-problem-solving"}, Benchmark: "b${1}",
			}},
			{ID: "a3", Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-sql", "skt-rust"}}},
		}},
		sandbox.Position{ID: "p2", Title: "Backend Engineer – London", Assessments: []sandbox.PositionAssessment{
			{ID: "a4", Assessment: "asm-quartet"},
			{ID: "a5", Assessment: "asm-retired"},
			{ID: "a8", Assessment: "asm-quartet", Metadata: sandbox.Metadata{Packages: []string{"pkg-problem-solving"}}},
			{ID: "a9", Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted}},
		}},
		sandbox.Position{ID: "p3", Title: "Ingénieure données, Łódź", Assessments: []sandbox.PositionAssessment{
			{ID: "a6", Assessment: "asm-northlight", Metadata: sandbox.Metadata{
				Profile: "prf-curious-builders", ProfileStatus: sandbox.ProfileAttached,
			}},
		}},
		sandbox.Position{ID: "p4", Title: "2. 後端工程師\n\" }", Assessments: []sandbox.PositionAssessment{{ID: "a7", Assessment: "asm-facet"}}},
		sandbox.Position{ID: "p5", Title: "Empty"},
	)
	file, out, err := adopts(t, service, nil)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, file,
		"# Quartet Games on Backend Engineer, London\nimport {\n  to = assess_position_assessment.backend_engineer_london_qrt\n"+
			"  id = \"p%2F1/a1\"\n}\n\nresource \"assess_position_assessment\" \"backend_engineer_london_qrt\" {\n"+
			"  position_id   = \"p/1\"\n  assessment_id = \"asm-quartet\"\n\n  packages {\n"+
			"    ids = [\"pkg-problem-solving\", \"pkg-numerical-reasoning\"]\n  }\n\n  benchmark {\n    id = \"b$${1}\"\n  }\n}\n",
		"# Attention: The position has this assessment already, as backend_engineer_london_qrt. Results do not tell the "+
			"two apart, so keep only one of them.\nimport {\n  to = assess_position_assessment.backend_engineer_london_qrt_2\n",
		"# Attention: The test \"Rust Programming\" (skt-rust) is no longer enabled.\nimport {\n"+
			"  to = assess_position_assessment.backend_engineer_london_wbn\n",
		"assess_position_assessment.backend_engineer_london_qrt_3\n",
		"# Attention: The position has this assessment already, as backend_engineer_london_qrt_3. Results do not tell the "+
			"two apart, so keep only one of them.\nimport {\n  to = assess_position_assessment.backend_engineer_london_qrt_4\n",
		"# Attention: A supervisor has completed its profile, so no profile is written. Removing the assessment deletes "+
			"that work.\nimport {\n  to = assess_position_assessment.backend_engineer_london_trn\n",
		"assess_position_assessment.backend_engineer_london_asm_retired\n",
		"assess_position_assessment.ingenieure_donnees_lodz_nlv\n", "  profile {\n    id = \"prf-curious-builders\"\n  }\n",
		"# Facet Behavioural Profile on 2. 後端工程師 \" }\nimport {\n  to = assess_position_assessment.p4_fct\n",
	)
	contains(t, out,
		": 9, on 4 of 5 positions.\n",
		"(backend_engineer_london_qrt_4):\n  The position has this assessment already, as backend_engineer_london_qrt_3.",
		"Quartet Games on Backend Engineer, London (backend_engineer_london_qrt_2):\n  The position has this assessment already, as ",
		"Workbench Skills on Backend Engineer, London (backend_engineer_london_wbn):\n  The test \"Rust Programming\"",
		"(backend_engineer_london_trn):\n  A supervisor has completed its profile",
	)
	if n := len(service.Writes()); n != 0 {
		t.Errorf("%d writes", n)
	}
	// Two lists of the organization, the lists of five positions, the disabled tests of one assessment, and one position
	// assessment of each assessment whose elements show no status, because lists may omit the status of a profile.
	service.AssertCount(t, http.MethodGet, "", 12)
}

// If two positions have the same title, their IDs tell them apart.
func TestEqualTitles(t *testing.T) {
	t.Parallel()
	of := func(id, title string) sandbox.Position {
		attached := []sandbox.PositionAssessment{{ID: "of-" + id, Assessment: "asm-facet"}}
		return sandbox.Position{ID: id, Title: title, Assessments: attached}
	}
	service := having(t, sandboxtest.Assumptions{}, of("p1", "Engineer"), of("p2", "Engineer"), of("p3", "Adviser"))
	file, _, err := adopts(t, service, nil)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, file, "on Engineer (p1)\nimport {\n  to = assess_position_assessment.engineer_fct", "on Engineer (p2)\n",
		"on Adviser\n")
}

// A command that fails writes nothing, and never replaces a file.
func TestNothingIsWritten(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	file, _, err := adopts(t, service, func(o *export.Options) { o.Getenv = func(string) string { return "" } })
	if file != "" || err == nil || !strings.Contains(err.Error(), "set the environment variable ASSESS_BASE_URL") {
		t.Errorf("without credentials: %v, wrote %q", err, file)
	}
	for status, says := range map[int]string{
		http.StatusForbidden: "403 Forbidden", http.StatusMethodNotAllowed: "does not list the assessments of a position.\n\nTo fix this: import each position assessment by its ID",
	} {
		rejecting := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
		rejecting.Inject(sandboxtest.Fault{Route: sandbox.RoutePositionAssessments, Status: status, Times: -1})
		file, _, err = adopts(t, rejecting, nil)
		if file != "" || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%d: %v, wrote %q", status, err, file)
		}
	}
	mine := filepath.Join(t.TempDir(), "main.tf")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, _, err = adopts(t, service, func(o *export.Options) { o.File = mine })
	if file != "mine" || err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("an existing file: %v, contains %q", err, file)
	}
	before := len(service.Journal())
	for path, says := range map[string]string{
		filepath.Join(t.TempDir(), "none", "existing.tf"): `none" does not exist`, t.TempDir(): "is a folder",
		filepath.Join(t.TempDir(), "existing"): "existing.tf", "": "name a file",
	} {
		_, _, err = adopts(t, service, func(o *export.Options) { o.File = path })
		if err == nil || !strings.Contains(err.Error(), says) || len(service.Journal()) > before {
			t.Errorf("the file %q: %v, after %d requests", path, err, len(service.Journal())-before)
		}
	}
}

// A list whose elements show less than single position assessments leads to the same file.
func TestPoorListsLeadToTheSameFile(t *testing.T) {
	t.Parallel()
	position := sandbox.Position{ID: "p", Title: "Engineer", Assessments: []sandbox.PositionAssessment{
		{ID: "a1", Assessment: "asm-quartet", Metadata: sandbox.Metadata{Packages: []string{"pkg-problem-solving"}}},
		{ID: "a2", Assessment: "asm-northlight", Metadata: sandbox.Metadata{
			Profile: "prf-curious-builders", ProfileStatus: sandbox.ProfileAttached,
		}},
		{ID: "a3", Assessment: "asm-facet"},
	}}
	want, _, err := adopts(t, having(t, sandboxtest.Assumptions{}, position), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, poor := range []string{"A7 bare", "A7 no assessment", "A7 no empty metadata"} {
		file, out, err := adopts(t, having(t, sandboxtest.Differing(poor), position), nil)
		if err != nil || file != want {
			t.Errorf("%s: %v, %s, the file is\n%s\nwant\n%s", poor, err, out, file, want)
		}
	}
}

// If the service hides blocks, the file and the output say which may be missing where. A duplicate is one nevertheless.
func TestHiddenBlocksArePointedOut(t *testing.T) {
	t.Parallel()
	attached := []sandbox.PositionAssessment{
		{ID: "a1", Assessment: "asm-quartet", Metadata: sandbox.Metadata{Packages: []string{"pkg-problem-solving"}}},
		{ID: "a2", Assessment: "asm-quartet", Metadata: sandbox.Metadata{Packages: []string{"pkg-numerical-reasoning"}}},
	}
	service := having(t, sandboxtest.Differing("A22 mute"), sandbox.Position{ID: "p", Title: "Engineer", Assessments: attached})
	file, out, err := adopts(t, service, nil)
	const note = "The service does not show packages and benchmark."
	if err != nil || strings.Count(file, "# Attention: "+note) != 2 || strings.Count(out, note) != 2 {
		t.Errorf("%v, the file is\n%s\nand the output is\n%s", err, file, out)
	}
	if strings.Contains(out, "changes nothing in the service") {
		t.Errorf("too much is promised:\n%s", out)
	}
	contains(t, file, "# Attention: The position has this assessment already, as engineer_qrt.")
}
