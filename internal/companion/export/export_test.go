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
		// Their IDs tell positions with the same title apart.
		sandbox.Position{ID: "p6", Title: "Engineer", Assessments: []sandbox.PositionAssessment{{ID: "b1", Assessment: "asm-facet"}}},
		sandbox.Position{ID: "p7", Title: "Engineer", Assessments: []sandbox.PositionAssessment{{ID: "b2", Assessment: "asm-facet"}}},
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
		"on Engineer (p6)\nimport {\n  to = assess_position_assessment.engineer_fct\n", "on Engineer (p7)\n",
	)
	contains(t, out, ": 11, on 6 of 7 positions.\n", "Quartet Games on Backend Engineer, London (backend_engineer_london_qrt_2):\n"+
		"  The position has this assessment already, as backend_engineer_london_qrt. ")
	if n := len(service.Writes()); n != 0 {
		t.Errorf("%d writes", n)
	}
	// Two lists of the organization, the lists of seven positions, the disabled tests of one assessment, and one position
	// assessment of each assessment whose elements show no status, because lists may omit the status of a profile.
	service.AssertCount(t, http.MethodGet, "", 14)
}

// A command that fails writes nothing, and never replaces a file. An empty organization leads to no file.
func TestNothingIsWritten(t *testing.T) {
	t.Parallel()
	mine := filepath.Join(t.TempDir(), "main.tf")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	named := func(file string) func(*export.Options) { return func(o *export.Options) { o.File = file } }
	for _, row := range []struct {
		change   func(*export.Options)
		says     string
		status   int // of the lists of position assessments
		requests bool
	}{
		{change: func(o *export.Options) { o.Getenv = func(string) string { return "" } }, says: "set the environment variable ASSESS_BASE_URL"},
		{status: http.StatusForbidden, says: "403 Forbidden", requests: true},
		{
			status: http.StatusMethodNotAllowed, requests: true,
			says: "does not list the assessments of a position.\n\nTo fix this: import each position assessment by its ID",
		},
		{change: named(mine), says: "already exists"},
		{change: named(filepath.Join(t.TempDir(), "none", "existing.tf")), says: `none" does not exist`},
		{change: named(t.TempDir()), says: "is a folder"},
		{change: named(filepath.Join(t.TempDir(), "existing")), says: "existing.tf"},
		{change: named(""), says: "name a file"},
	} {
		service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
		if row.status != 0 {
			service.Inject(sandboxtest.Fault{Route: sandbox.RoutePositionAssessments, Status: row.status, Times: -1})
		}
		file, _, err := adopts(t, service, row.change)
		if err == nil || !strings.Contains(err.Error(), row.says) || file != "" && file != "mine" ||
			(len(service.Journal()) > 0) != row.requests {
			t.Errorf("%q: %v, wrote %q, after %d requests", row.says, err, file, len(service.Journal()))
		}
	}
	if _, out, err := adopts(t, having(t, sandboxtest.Assumptions{}), nil); err != nil || out != "There is nothing to export.\n" {
		t.Errorf("an empty organization: %v, printed %q", err, out)
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

// If the service hides packages, benchmarks and tests, the output says that the file lacks them.
func TestHiddenBlocksArePointedOut(t *testing.T) {
	t.Parallel()
	attached := sandbox.PositionAssessment{ID: "a1", Assessment: "asm-quartet", Metadata: sandbox.Metadata{Packages: []string{"pkg-problem-solving"}}}
	service := having(t, sandboxtest.Differing("A22 mute"), sandbox.Position{ID: "p", Title: "Engineer", Assessments: []sandbox.PositionAssessment{attached}})
	_, out, err := adopts(t, service, nil)
	if err != nil || strings.Contains(out, "changes nothing in the service") {
		t.Errorf("%v, too much is promised:\n%s", err, out)
	}
	contains(t, out, "The service shows no packages, benchmark or tests of any position assessment. Next, add those that your positions have.")
}
