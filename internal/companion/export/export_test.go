// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"bytes"
	"fmt"
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

// exports runs the command, and returns the file and the output.
func exports(t *testing.T, service *sandboxtest.Server, change func(*export.Options)) (file, out string, err error) {
	t.Helper()
	env := map[string]string{
		"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		"ASSESS_UNTHROTTLED": "1",
	}
	var printed bytes.Buffer
	o := export.Options{
		Options: run.Options{Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir()},
		Format:  "hcl", File: filepath.Join(t.TempDir(), "existing.tf"), Out: &printed, Errors: &printed,
	}
	if change != nil {
		change(&o)
	}
	err = export.Write(t.Context(), o)
	text, _ := os.ReadFile(o.File) // does not exist if the command failed
	return string(text), strings.ReplaceAll(printed.String(), filepath.Dir(o.File)+string(filepath.Separator), ""), err
}

func asCSV(dir string) func(*export.Options) {
	return func(o *export.Options) { o.Format, o.File = "csv", filepath.Join(dir, "positions.csv") }
}

type attached = []sandbox.PositionAssessment

// organization has an assessment of each kind, names that need care, and what no row can say.
func organization() []sandbox.Position {
	facet := func(id string) attached { return attached{{ID: id, Assessment: "asm-facet"}} }
	quartet := sandbox.Metadata{
		Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}, Benchmark: "bmk-quartet-engineers-en-gb",
	}
	return []sandbox.Position{
		{ID: "p/1", Title: "Backend Engineer, London", Locale: "en-GB", Assessments: attached{
			{ID: "a1", Assessment: "asm-quartet", Metadata: quartet},
			{ID: "a2", Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-sql"}}},
			{ID: "a3", Assessment: "asm-northlight", Metadata: sandbox.Metadata{
				Profile: "prf-curious-builders", ProfileStatus: sandbox.ProfileAttached,
			}},
			{ID: "a4", Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted}},
			{ID: "a5", Assessment: "asm-quartet"}, // a duplicate, whatever its metadata
		}},
		{ID: "p2", Title: "Twice", Assessments: facet("b1")},
		{ID: "p3", Title: "Twice", Assessments: facet("c1")},
		{ID: "p4", Title: "=1+1", Assessments: facet("d1")},
		{ID: "p5", Title: "Backend Engineer – London", Assessments: attached{
			{ID: "e1", Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-rust"}}},
			{ID: "e2", Assessment: "asm-retired"},
			{ID: "e3", Assessment: "asm-lumen", Metadata: sandbox.Metadata{Benchmark: "b${1}"}},
		}},
		{ID: "p6", Title: "2. 後端工程師\n\" }", Assessments: facet("f1")},
		{ID: "p7", Title: "Empty"},
	}
}

// having starts a service that has these positions. difference is how it differs from the sandbox, or "".
func having(t *testing.T, difference string, positions ...sandbox.Position) *sandboxtest.Server {
	t.Helper()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.NoLimits, o.MaxPage = true, 0
		if difference != "" {
			o.Assumptions = sandboxtest.Differing(difference)
		}
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

// isGolden compares a text with a file in testdata. UPDATE=1 writes the file.
func isGolden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || text != string(want) {
		t.Errorf("%v, %s is\n%s\nwant\n%s", err, name, text, want)
	}
}

// An address says which assessment of which position it is. Comments and the output point out duplicates, disabled tests,
// and profiles of supervisors.
func TestHCL(t *testing.T) {
	t.Parallel()
	service := having(t, "", organization()...)
	file, out, err := exports(t, service, nil)
	if err != nil {
		t.Fatal(err)
	}
	isGolden(t, "existing.tf", file)
	isGolden(t, "hcl.txt", out)
	if n := len(service.Writes()); n != 0 {
		t.Errorf("%d writes", n)
	}
	// Two lists of the organization, the lists of seven positions, the disabled tests of one assessment, and one position
	// assessment of each assessment whose elements show no status, because lists may omit the status of a profile.
	service.AssertCount(t, http.MethodGet, "", 15)
}

// A spreadsheet has a row for each position assessment that the module can attach, with names, and the import block of
// these rows. The output says what has no row, and why.
func TestSpreadsheet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, out, err := exports(t, having(t, "", organization()...), asCSV(dir))
	if err != nil {
		t.Fatal(err)
	}
	imports, err := os.ReadFile(filepath.Join(dir, "imports.tf"))
	if err != nil {
		t.Fatal(err)
	}
	isGolden(t, "positions.csv", file)
	isGolden(t, "imports.tf", string(imports))
	isGolden(t, "csv.txt", out)
	_, _, err = exports(t, having(t, "", organization()...), func(o *export.Options) {
		asCSV(dir)(o)
		o.File = filepath.Join(dir, "other.csv")
	})
	if err == nil || !strings.Contains(err.Error(), "imports.tf already exists") {
		t.Errorf("imports.tf is replaced: %v", err)
	}
}

// A command that fails writes nothing, and never replaces a file. An empty organization leads to no file.
func TestNothingIsWritten(t *testing.T) {
	t.Parallel()
	mine := filepath.Join(t.TempDir(), "main.tf")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	named := func(file string) func(*export.Options) { return func(o *export.Options) { o.File = file } }
	empty := func(o *export.Options) { o.Getenv = func(string) string { return "" } }
	for _, row := range []struct {
		change func(*export.Options)
		status int // of the lists of position assessments
		says   string
	}{
		{empty, 0, "set the environment variable ASSESS_BASE_URL"},
		{nil, http.StatusForbidden, "403 Forbidden"},
		{
			nil, http.StatusMethodNotAllowed,
			"does not list the assessments of a position.\n\nTo fix this: import each position assessment by its ID",
		},
		{
			nil, http.StatusNotFound,
			"no longer exists, or this service does not list the assessments of a position.\n\nTo fix this: run",
		},
		{named(mine), 0, "already exists"},
		{named(filepath.Join(t.TempDir(), "none", "existing.tf")), 0, `none" does not exist`},
		{named(t.TempDir()), 0, "is a folder"},
		{named(filepath.Join(t.TempDir(), "existing")), 0, "existing.tf"},
		{named(filepath.Join(t.TempDir(), ".existing.tf")), 0, "begins with a dot"},
		{func(o *export.Options) { o.Format, o.File = "csv", filepath.Join(t.TempDir(), "Imports.tf") }, 0, "Name the spreadsheet"},
		{func(o *export.Options) { o.Format, o.File = "csv", filepath.Join(t.TempDir(), "existing.tofu.json") }, 0, "Name the spreadsheet"},
		{named(filepath.Join(t.TempDir(), "existing.tf.json")), 0, "is for HCL, so its name must end with .tf"},
		{named(""), 0, "name a file"},
	} {
		service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
		if row.status != 0 {
			service.Inject(sandboxtest.Fault{Route: sandbox.RoutePositionAssessments, Status: row.status, Times: -1})
		}
		file, _, err := exports(t, service, row.change)
		if err == nil || !strings.Contains(err.Error(), row.says) || file != "" && file != "mine" ||
			(len(service.Journal()) > 0) != (row.status != 0) {
			t.Errorf("%q: %v, wrote %q, after %d requests", row.says, err, file, len(service.Journal()))
		}
	}
	_, out, err := exports(t, having(t, ""), nil)
	if err != nil || out != "There is nothing to export.\n" {
		t.Errorf("an empty organization: %v, printed %q", err, out)
	}
}

// If something cannot be read that the service offers, no file is written, and the error says what it is.
func TestFailedReads(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		fault  sandboxtest.Fault
		change func(*export.Options)
		says   string
	}{
		{
			sandboxtest.Fault{
				Route: sandbox.RoutePositionAssessment, When: sandboxtest.AfterEffect, Body: []byte(`{"metadata": {}}`),
			},
			nil,
			`/v1/positions/p%2F1/assessments/a1 is not what the specification says: it has no "organizationAssessment"`,
		},
		{
			sandboxtest.Fault{Route: sandbox.RoutePositionAssessments, Skip: 1, Status: http.StatusNotFound},
			nil, "check the IDs",
		},
		{
			sandboxtest.Fault{Route: sandbox.RouteSkillsTests, Status: http.StatusBadRequest},
			nil, "/skills was 400 Bad Request",
		},
		{
			sandboxtest.Fault{
				Route: sandbox.RouteSkillsTests, When: sandboxtest.AfterEffect, Status: http.StatusForbidden,
				Header: http.Header{"Conversation-Id": nil}, Body: []byte("<html>"),
			},
			nil, "ask the operator of the gateway",
		},
		{
			sandboxtest.Fault{Route: sandbox.RouteBenchmarks, Status: http.StatusBadRequest},
			asCSV(t.TempDir()), "Could not read the assessments of the positions, or their options.",
		},
	} {
		service := having(t, "A7 no assessment", organization()...)
		row.fault.Times = -1
		service.Inject(row.fault)
		file, _, err := exports(t, service, row.change)
		if err == nil || !strings.Contains(err.Error(), row.says) || file != "" {
			t.Errorf("want %q, got %v, wrote %q", row.says, err, file)
		}
	}
}

// A title that no row can contain, and an assessment without a name that the module finds, lead to no file and no advice.
func TestNoRows(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		titles [2]string
		names  [3]string // the third is the code of both assessments
		says   string
	}{
		{[2]string{"Twice", "Twice "}, [3]string{"Facet", "Lumen"}, "Several positions have this title."},
		// The module replaces the first character with a line break, and ends a cell at the second one.
		{[2]string{"One\rTwo", "Two"}, [3]string{"Facet", "Lumen\x1f2"}, `No cell can contain "One\rTwo".`},
		{[2]string{"", ""}, [3]string{"Facet", "Lumen"}, "Facet on p1 (p1_facet):\n  The service shows no title for its position."},
		{[2]string{"One", "Two"}, [3]string{"Facet", "Facet"}, "The service shows no name or code of its assessment that is unique and that a cell can contain."},
		{[2]string{"One", "Two"}, [3]string{"Facet ", "Lumen "}, "The service shows no name or code of its assessment that is unique and that a cell can contain."},
		// The module would find the other assessment by the code, and the plan would replace what was imported.
		{[2]string{"One", ""}, [3]string{"", "Lumen", "Lumen"}, "The service shows no name or code of its assessment that is unique and that a cell can contain."},
		{[2]string{"One", "Two"}, [3]string{"", "", "QRT"}, "The service shows no name or code of its assessment that is unique and that a cell can contain."},
		{[2]string{"One", ""}, [3]string{"Facet ", "Lumen", "QRT "}, "The service shows no name or code of its assessment that is unique and that a cell can contain."},
	} {
		service := having(t, "", sandbox.Position{ID: "p1", Title: row.titles[0], Assessments: attached{{ID: "a1", Assessment: "asm-facet"}}},
			sandbox.Position{ID: "p2", Title: row.titles[1], Assessments: attached{{ID: "b1", Assessment: "asm-lumen"}}})
		service.Change(t, func(st *sandbox.State) {
			st.Assessments = []sandbox.Assessment{
				{ID: "asm-facet", Kind: sandbox.BehaviouralProfile, Name: row.names[0], Code: row.names[2]}, {ID: "asm-lumen", Kind: sandbox.BehaviouralProfile, Name: row.names[1], Code: row.names[2]},
			}
		})
		dir := t.TempDir()
		_, out, err := exports(t, service, asCSV(dir))
		entries, _ := os.ReadDir(dir)
		if err != nil || len(entries) > 0 || strings.Contains(out, "Next,") {
			t.Errorf("%v, wrote %v, printed\n%s", err, entries, out)
		}
		contains(t, out, "No file was written, because none of these position assessments can have a row:\n", row.says)
	}
}

// A list that the service does not offer is requested once, and what needs it has no row or no note.
func TestListsThatAreNotOffered(t *testing.T) {
	t.Parallel()
	service := having(t, "", organization()...)
	service.Change(t, func(st *sandbox.State) { st.Positions[1].Assessments = st.Positions[0].Assessments[1:2] })
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteSkillsTests, Status: http.StatusForbidden, Times: -1})
	// A list whose second page is rejected does not show whether a name is unique.
	service.Inject(sandboxtest.Fault{
		Route: sandbox.RoutePackages, When: sandboxtest.AfterEffect, Header: http.Header{"Link": {"<?offset=9>; rel=next"}},
	})
	service.Inject(sandboxtest.Fault{Route: sandbox.RoutePackages, Status: http.StatusForbidden})
	_, out, err := exports(t, service, asCSV(t.TempDir()))
	if err != nil || strings.Contains(out, "no longer enabled") {
		t.Errorf("%v, printed\n%s", err, out)
	}
	contains(t, out, `The service shows no name for "skt-sql" in "tests"`, `The service shows no name for "pkg-problem-solving" in "packages"`)
	service.AssertCount(t, http.MethodGet, sandbox.RouteSkillsTests, 2) // the enabled tests, and the others
}

// A position assessment that lacks a mandatory package has no row, because a plan would reject the row.
func TestMandatoryPackage(t *testing.T) {
	t.Parallel()
	packages := sandbox.Metadata{Packages: []string{"pkg-numerical-reasoning"}} // others became mandatory later
	service := having(t, "", sandbox.Position{
		ID: "p1", Title: "One", Assessments: attached{{ID: "a1", Assessment: "asm-quartet", Metadata: packages}},
	})
	_, out, err := exports(t, service, asCSV(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, out, `No file was written`, `A row must name the mandatory package "Problem solving" (pkg-problem-solving). `+
		"Add it to the position, and export again. It has no row.")
}

// An assessment whose name would be a formula has rows with its code.
func TestNameThatIsAFormula(t *testing.T) {
	t.Parallel()
	service := having(t, "", sandbox.Position{ID: "p1", Title: "One", Assessments: attached{{ID: "a1", Assessment: "asm-facet"}}})
	service.Change(t, func(st *sandbox.State) {
		st.Assessments = []sandbox.Assessment{{ID: "asm-facet", Kind: sandbox.BehaviouralProfile, Name: "+Facet", Code: "FCT"}}
	})
	file, out, err := exports(t, service, asCSV(t.TempDir()))
	if err != nil || !strings.Contains(file, "One,FCT,") {
		t.Errorf("%v, wrote\n%s\nprinted\n%s", err, file, out)
	}
}

// A test that one assessment has enabled gets no note if another assessment has disabled it.
func TestTestOfTwoAssessments(t *testing.T) {
	t.Parallel()
	position := func(id, assessment string) sandbox.Position {
		tests := sandbox.Metadata{Tests: []string{"skt-rust"}}
		assessments := attached{{ID: "a" + id, Assessment: assessment, Metadata: tests}}
		return sandbox.Position{ID: id, Title: id, Assessments: assessments}
	}
	service := having(t, "", position("p1", "asm-workbench"), position("p2", "asm-other"))
	service.Change(t, func(st *sandbox.State) {
		other := *st.Assessment("asm-workbench")
		other.ID, other.Name, other.Code = "asm-other", "Other Skills", "OTH"
		other.SkillsTests = []sandbox.SkillsTest{sandboxtest.SkillsTest(t, `{"id": "skt-rust", "title": "Rust", "active": true}`)}
		st.Assessments = append(st.Assessments, other)
	})
	file, out, err := exports(t, service, asCSV(t.TempDir()))
	if err != nil || !strings.Contains(file, "p2,Other Skills,,,,Rust") || strings.Count(out, "no longer enabled") != 1 {
		t.Errorf("%v, wrote\n%s\nprinted\n%s", err, file, out)
	}
}

// A row contains only names that the module finds: names that one option has. If the position has a locale, only
// benchmarks of this locale count.
func TestNamesThatAreNotUnique(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		position string
		locales  [2]string // of two benchmarks with one name
		isFound  bool
	}{
		{"en-GB", [2]string{"en-GB", "de-DE"}, true},
		{"en-GB", [2]string{"en_gb", "de-DE"}, true},
		{"en-GB", [2]string{"en-GB", "en_GB"}, false},
		{"en-GB", [2]string{"", "de-DE"}, false},
		{"", [2]string{"en-GB", "de-DE"}, false},
	} {
		service := having(t, "",
			sandbox.Position{ID: "p1", Title: "One", Locale: row.position, Assessments: attached{
				{ID: "a1", Assessment: "asm-quartet", Metadata: sandbox.Metadata{Packages: []string{"pkg-1"}}},
			}},
			sandbox.Position{ID: "p2", Title: "Two", Locale: row.position, Assessments: attached{
				{ID: "b1", Assessment: "asm-lumen", Metadata: sandbox.Metadata{Benchmark: "bmk-1"}},
			}})
		for route, list := range map[string]string{
			sandbox.RoutePackages: `[{"id":"pkg-1","name":"Same"},{"id":"pkg-2","name":"Same"}]`,
			sandbox.RouteBenchmarks: fmt.Sprintf(`[{"id":"bmk-1","name":"Same","locale":%q},{"id":"bmk-2","name":"Same","locale":%q}]`,
				row.locales[0], row.locales[1]),
		} {
			service.Inject(sandboxtest.Fault{Route: route, When: sandboxtest.AfterEffect, Times: -1, Body: []byte(list)})
		}
		file, out, err := exports(t, service, asCSV(t.TempDir()))
		if err != nil || strings.Contains(file, "One") || strings.Contains(file, "Two,Lumen Ability Test,,Same,,") != row.isFound {
			t.Errorf("%v: %v, wrote\n%s", row, err, file)
		}
		contains(t, out, `The service shows no name for "pkg-1" in "packages", or a name that is not unique`)
	}
}

// If the spreadsheet or its import block cannot be written, neither is written. The error names the file.
func TestFailedSpreadsheetLeavesNoImports(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"positions.csv", "imports.tf"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		service := having(t, "", organization()...)
		service.Inject(sandboxtest.Fault{Act: func(*sandbox.State) {
			if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
				t.Error(err)
			}
		}})
		_, _, err := exports(t, service, asCSV(dir))
		entries, _ := os.ReadDir(dir)
		text, _ := os.ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), path) || string(text) != "mine" || len(entries) != 1 {
			t.Errorf("%v, wrote %q beside %v", err, text, entries)
		}
	}
}

// A list whose elements show less than single position assessments leads to the same file.
func TestPoorListsLeadToTheSameFile(t *testing.T) {
	t.Parallel()
	want, _, err := exports(t, having(t, "", organization()[0]), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, poor := range []string{"A7 bare", "A7 no assessment", "A7 no empty metadata"} {
		file, out, err := exports(t, having(t, poor, organization()[0]), nil)
		if err != nil || file != want {
			t.Errorf("%s: %v, %s, the file is\n%s\nwant\n%s", poor, err, out, file, want)
		}
	}
}

// If the service hides packages, benchmarks and tests, the output says that the file lacks them.
func TestHiddenBlocksArePointedOut(t *testing.T) {
	t.Parallel()
	_, out, err := exports(t, having(t, "A22 mute", organization()...), nil)
	if err != nil || strings.Contains(out, "changes nothing in the service") {
		t.Errorf("%v, too much is promised:\n%s", err, out)
	}
	contains(t, out, "The service shows no packages, benchmark or tests of any position assessment. Next, add those that your positions have. "+
		"Then plan, and apply only if the plan changes nothing but these blocks.")
}
