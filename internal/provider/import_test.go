// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// createImportable applies the configuration of TestImport. It returns the parts of the
// import IDs by resource address.
func createImportable(t *testing.T, service *sandboxtest.Server) map[string][2]string {
	t.Helper()
	c := newCLI(t, service)
	c.useFrom("TestImport", "resources")
	c.apply().ok()
	service.ResetJournal()
	parts := map[string][2]string{"assess_skills_test_activation.sql": {"asm-workbench", "skt-sql"}}
	for _, name := range []string{"games", "values", "preferences", "skills"} {
		address := "assess_position_assessment." + name
		r := c.resource(address)
		parts[address] = [2]string{fmt.Sprint(r["position_id"]), fmt.Sprint(r["id"])}
	}
	return parts
}

func byID(address string, parts [2]string) string {
	return fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, parts[0]+"/"+parts[1])
}

func byIdentity(address string, parts [2]string) string {
	names := [2]string{"position_id", "id"}
	if strings.HasPrefix(address, "assess_skills_test_activation.") {
		names = [2]string{"assessment_id", "test_id"}
	}
	return fmt.Sprintf("import {\n  to = %s\n  identity = {\n    %s = %q\n    %s = %q\n  }\n}\n", address, names[0],
		parts[0], names[1], parts[1])
}

// An import into the configuration that created the resource plans no changes and sends
// no writes.
func TestImport(t *testing.T) {
	t.Parallel()
	configuration, err := os.ReadFile(filepath.Join("testdata", "TestImport", "resources", "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]func(string, [2]string) string{"by id": byID, "by identity": byIdentity} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t)
			parts := createImportable(t, service)
			c := newCLI(t, service)
			c.configure(func(write func(name, text string)) {
				write("main.tf", string(configuration))
				for address, p := range parts {
					write(address+".tf", block(address, p))
				}
			})
			c.apply().ok().quiet()
			noWrites(t, service)
			c.plan().empty().quiet()
			profile := c.resource("assess_position_assessment.values")["profile"]
			if fmt.Sprint(profile) != "map[id:prf-customer-first on_supervisor_change:keep]" {
				t.Errorf("the imported profile is %v", profile)
			}
		})
	}
}

// The configuration that the CLI generates for an import plans no changes.
func TestImportGeneratesConfiguration(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	parts := createImportable(t, service)
	c := newCLI(t, service)
	c.configure(func(write func(name, text string)) {
		for address, p := range parts {
			write(address+".tf", byID(address, p))
		}
	})
	c.human("plan", "-input=false", "-generate-config-out=generated.tf").ok()
	c.apply().ok().quiet()
	noWrites(t, service)
	c.plan().empty().quiet()
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestImport", "resources")
	for _, row := range []struct{ address, id, says string }{
		{"assess_position_assessment.games", "pas-0001", "exactly one slash"},
		{"assess_position_assessment.games", "a/b/c", "exactly one slash"},
		{"assess_position_assessment.games", "/pas-0001", `"" is not an ID`},
		{"assess_position_assessment.games", "../pas-0001", `"\.\." is not an ID`},
		{"assess_position_assessment.games", "a/50%", "percent sign"},
		{"assess_position_assessment.games", "a/Ł", "outside Latin1"},
		{"assess_skills_test_activation.sql", "skt-sql", "ASSESSMENT_ID/TEST_ID"},
	} {
		r := c.human("import", "-input=false", "-no-color", row.address, row.id)
		if r.code == 0 || !matchesAll(strings.ReplaceAll(r.output, "│", ""), []string{row.says}) {
			t.Errorf("importing %q ended with %d, want %q:\n%s", row.id, r.code, row.says, r.output)
		}
	}
	noWrites(t, service)
}

// Importing an unknown ID fails and shows the existing IDs. It sends only the requests
// for the lists that were searched.
func TestImportOfAnUnknownID(t *testing.T) {
	t.Parallel()
	const attached, activation = "assess_position_assessment.games", "assess_skills_test_activation.sql"
	one := http.MethodGet + " " + sandbox.RoutePositionAssessment
	list := http.MethodGet + " " + sandbox.RoutePositionAssessments
	skills := http.MethodGet + " " + sandbox.RouteSkillsTests
	assessments := http.MethodGet + " " + sandbox.RouteAssessments
	for name, row := range map[string]struct {
		like        func(*sandboxtest.Options)
		address, id string
		says        []string
		requests    map[string]int
	}{
		"position assessment": {
			nil, attached, "pos-backend-london/pas-9999",
			[]string{
				"Could not import the position assessment", "404 Not Found",
				`The position has: "pas-0001" \(assessment "asm-tideline"\), "pas-0002" \(assessment "asm-lumen"\)\.`,
			},
			map[string]int{list: 1, one: 1},
		},
		"nothing attached": {
			nil, attached, "pos-support-leeds/pas-0001",
			[]string{"Could not import the position assessment", "The position has: none"},
			map[string]int{list: 1, one: 1},
		},
		"position": {
			nil, attached, "pos-nowhere/pas-0001",
			[]string{"Could not import the position assessment", "404 Not Found", "check the IDs"},
			map[string]int{list: 1, one: 1},
		},
		"no list": {
			func(o *sandboxtest.Options) { o.Assumptions.PositionAssessmentList = 405 },
			attached, "pos-backend-london/pas-9999",
			[]string{"Could not import the position assessment", "404 Not Found", "check the IDs"},
			map[string]int{list: 1, one: 1},
		},
		"skills test": {
			nil, activation, "asm-workbench/skt-cobol",
			[]string{"Unknown skills test", `no skills test "skt-cobol"`, `Tests that are not enabled: "skt-.*Enabled tests: "skt-`},
			map[string]int{skills: 4, assessments: 1},
		},
		"skills assessment": {
			nil, activation, "asm-nowhere/skt-sql",
			[]string{"Unknown assessment", `no assessment "asm-nowhere"`, `"asm-workbench"`},
			map[string]int{skills: 1, assessments: 1},
		},
		"assessment without tests": {
			nil, activation, "asm-lumen/skt-sql",
			[]string{"Unknown skills test", `Assessment "asm-lumen" \("Lumen Ability Test"\) has no skills test "skt-sql"`, "Enabled tests: none"},
			map[string]int{skills: 4, assessments: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) {
				o.MaxPage = 0
				if row.like != nil {
					row.like(o)
				}
			})
			service.Change(t, func(st *sandbox.State) {
				for _, assessment := range []string{"asm-tideline", "asm-lumen"} {
					if _, err := st.Attach("pos-backend-london", assessment, sandbox.Metadata{}); err != nil {
						t.Error(err)
					}
				}
			})
			c := newCLI(t, service)
			c.useFrom("TestImport", "resources")
			r := c.human("import", "-input=false", "-no-color", row.address, row.id)
			if r.code == 0 || !matchesAll(strings.ReplaceAll(r.output, "│", ""), row.says) {
				t.Errorf("it ended with %d, want %q:\n%s", r.code, row.says, r.output)
			}
			requests := map[string]int{}
			for _, entry := range service.Journal() {
				requests[entry.Method+" "+entry.Route]++
			}
			if !maps.Equal(requests, row.requests) {
				t.Errorf("the requests were %v, want %v", requests, row.requests)
			}
		})
	}
}

// An import warns only if the service provably does not return packages, benchmark and
// tests. The proof is a position assessment that must have packages but shows none.
// Optional blocks that are missing prove nothing (assumption A22).
func TestImportWarnsOfAMuteService(t *testing.T) {
	t.Parallel()
	for assessment, warns := range map[string]bool{"asm-facet": false, "asm-lumen": false, "asm-quartet": true} {
		t.Run(assessment, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				s.change(func(st *sandbox.State) {
					st.Position(backend).Assessments = []sandbox.PositionAssessment{{ID: "pas-0001", Assessment: assessment}}
				})
				config := simulatedConfig(positionAssessment("a", backend, assessment))
				config.Imports = []coretest.Import{{To: attachmentAddr + "a", ID: backend + "/pas-0001"}}
				if r := s.plan(config); r.Says("does not return packages, benchmark and tests") != warns {
					t.Errorf("warned is %t, want %t:\n%v", !warns, warns, r.Diagnostics)
				}
			})
		})
	}
}

// IDs that need escaping keep their value in an import ID.
func TestImportEscapes(t *testing.T) {
	t.Parallel()
	const assessment, test = "asm/50% more", "skt a/b?#"
	service := sandboxtest.New(t)
	service.Change(t, func(st *sandbox.State) {
		st.Assessments = append(st.Assessments, sandbox.Assessment{
			ID: assessment, Kind: sandbox.Skills, Name: "Odd",
			SkillsTests: []sandbox.SkillsTest{
				sandboxtest.SkillsTest(t, `{"id":"skt a/b?#","title":"Odd","active":false}`),
			},
		})
	})
	c := newCLI(t, service)
	c.use("odd")
	c.apply().ok()
	id, _ := c.resource("assess_skills_test_activation.odd")["id"].(string)
	if id != "asm%2F50%25%20more/skt%20a%2Fb%3F%23" {
		t.Errorf("the ID is %q", id)
	}
	c.human("state", "rm", "assess_skills_test_activation.odd").ok()
	c.human("import", "-input=false", "assess_skills_test_activation.odd", id).ok()
	c.plan().empty().quiet()
}

// If the service does not return packages, benchmark and tests, an import leaves out
// the blocks and warns. Later reads keep the values in the state (assumption A22).
func TestImportFromAMuteService(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Assumptions = sandboxtest.Mute })
	parts := createImportable(t, service)
	c := newCLI(t, service)
	c.configure(func(write func(name, text string)) {
		write("main.tf",
			"resource \"assess_position_assessment\" \"games\" {\n  position_id = \"pos-backend-london\"\n"+
				"  assessment_id = \"asm-quartet\"\n  packages { select = \"mandatory\" }\n}\n")
		write("import.tf", byID("assess_position_assessment.games", parts["assess_position_assessment.games"]))
	})
	c.plan().plans("update assess_position_assessment.games").warns("Configuration of the assessment not shown",
		"does not return packages, benchmark and tests")
	c.apply().ok()
	c.plan().empty().quiet()
}
