// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"slices"
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
	for name, block := range map[string]func(string, [2]string) string{"by id": byID, "by identity": byIdentity} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t)
			parts := createImportable(t, service)
			c := newCLI(t, service)
			c.useFrom("TestImport", "resources")
			for address, p := range parts {
				c.add(address+".tf", block(address, p))
			}
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
	for address, p := range parts {
		c.add(address+".tf", byID(address, p))
	}
	c.human("plan", "-input=false", "-generate-config-out=generated.tf").ok()
	c.apply().ok().quiet()
	noWrites(t, service)
	c.plan().empty().quiet()
}

// imports plans the import of an ID into a position assessment or an activation.
func (s *simulation) imports(address, id string) coretest.Result {
	s.t.Helper()
	config := simulatedConfig(
		positionAssessment("games", backend, "asm-quartet", "packages", coretest.Body{"select": "all"}), activation("sql", "skt-sql"),
	)
	config.Imports = []coretest.Import{{To: address, ID: id}}
	config.Resources = slices.DeleteFunc(config.Resources, func(r coretest.Resource) bool { return r.Addr != address })
	return s.plan(config)
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		for _, row := range []struct{ address, id, says string }{
			{attachmentAddr + "games", "pas-0001", "exactly one slash"},
			{attachmentAddr + "games", "a/b/c", "exactly one slash"},
			{attachmentAddr + "games", "/pas-0001", `"" is not an ID`},
			{attachmentAddr + "games", "../pas-0001", `".." is not an ID`},
			{attachmentAddr + "games", "a/50%", "percent sign"},
			{attachmentAddr + "games", "a/Ł", "outside Latin1"},
			{activationAddr + "sql", "skt-sql", "ASSESSMENT_ID/TEST_ID"},
		} {
			if r := s.imports(row.address, row.id); r.Err() == nil || !r.Says(row.says) {
				t.Errorf("importing %q: want %q in %v", row.id, row.says, r.Diagnostics)
			}
		}
		s.service.AssertCount(t, "", "", 0)
	})
}

// Importing an unknown ID fails and shows the existing IDs. It sends only the requests
// for the lists that were searched.
func TestImportOfAnUnknownID(t *testing.T) {
	t.Parallel()
	const attached, activation = attachmentAddr + "games", activationAddr + "sql"
	oneAndList := map[string]int{sandbox.RoutePositionAssessments: 1, sandbox.RoutePositionAssessment: 1}
	tests := map[string]int{sandbox.RouteSkillsTests: 4, sandbox.RouteAssessments: 1}
	for name, row := range map[string]struct {
		noList      bool
		address, id string
		says        []string
		requests    map[string]int
	}{
		"position assessment": {
			false, attached, backend + "/pas-9999",
			[]string{
				"Could not import the position assessment", "404 Not Found",
				`The position has: "pas-0001" \(assessment "asm-facet"\), "pas-0002" \(assessment "asm-lumen"\)\.`,
			},
			oneAndList,
		},
		"nothing attached": {
			false, attached, "pos-support-leeds/pas-0001",
			[]string{"Could not import the position assessment", "The position has: none"},
			oneAndList,
		},
		"position": {
			false, attached, "pos-nowhere/pas-0001",
			[]string{"Could not import the position assessment", "404 Not Found", "check the IDs"},
			oneAndList,
		},
		"no list": {
			true, attached, backend + "/pas-9999",
			[]string{"Could not import the position assessment", "404 Not Found", "check the IDs"},
			oneAndList,
		},
		"skills test": {
			false, activation, "asm-workbench/skt-cobol",
			[]string{"Unknown skills test", `no skills test "skt-cobol"`, `Tests that are not enabled: "skt-.*Enabled tests: "skt-`},
			tests,
		},
		"skills assessment": {
			false, activation, "asm-nowhere/skt-sql",
			[]string{"Unknown assessment", `no assessment "asm-nowhere"`, `"asm-workbench"`},
			map[string]int{sandbox.RouteSkillsTests: 1, sandbox.RouteAssessments: 1},
		},
		"assessment without tests": {
			false, activation, "asm-lumen/skt-sql",
			[]string{
				"Unknown skills test", `Assessment "asm-lumen" \("Lumen Ability Test"\) has no skills test "skt-sql"`, "Enabled tests: none",
			},
			tests,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				s.change(func(st *sandbox.State) {
					st.Position(backend).Assessments = []sandbox.PositionAssessment{
						{ID: "pas-0001", Assessment: "asm-facet"}, {ID: "pas-0002", Assessment: "asm-lumen"},
					}
				})
				r := s.imports(row.address, row.id)
				if r.Err() == nil || !matchesAll(r.Err().Error(), row.says) {
					t.Errorf("the errors are %v, want %q", r.Err(), row.says)
				}
				requests := map[string]int{}
				for _, entry := range s.service.Journal() {
					requests[entry.Route]++
				}
				if !maps.Equal(requests, row.requests) {
					t.Errorf("the requests were %v, want %v", requests, row.requests)
				}
			}, func(o *sandboxtest.Options) { setNoList(o, row.noList) })
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
	const assessment, test, id = "asm/50% more", "skt a/b?#", "asm%2F50%25%20more/skt%20a%2Fb%3F%23"
	once(t, func(s *simulation) {
		s.change(func(st *sandbox.State) {
			odd := sandbox.Assessment{ID: assessment, Kind: sandbox.Skills, Name: "Odd", SkillsTests: []sandbox.SkillsTest{{}}}
			odd.SkillsTests[0].Set("id", test)
			odd.SkillsTests[0].Set("active", false)
			st.Assessments = append(st.Assessments, odd)
		})
		config := simulatedConfig(activation("odd", test))
		config.Resources[0].Body["assessment_id"] = assessment
		s.apply(config)
		if got := coretest.Text(s.core.State.Instances[activationAddr+"odd"].Current.Value, "id"); got != id {
			t.Errorf("the ID is %q, want %q", got, id)
		}
		s.core.Forget(activationAddr + "odd")
		config.Imports = []coretest.Import{{To: activationAddr + "odd", ID: id}}
		s.apply(config)
		s.stays(config)
	})
}

// If the service does not return packages, benchmark and tests, an import leaves out the
// blocks and warns. Later reads keep the values in the state (assumption A22).
func TestImportFromAMuteService(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.change(func(st *sandbox.State) {
			st.Position(backend).Assessments = []sandbox.PositionAssessment{{
				ID: "pas-0001", Assessment: "asm-quartet",
				Metadata: sandbox.Metadata{Packages: strings.Split(mandatoryPackages, ",")},
			}}
		})
		config := selecting("asm-quartet", coretest.Body{"select": "mandatory"})
		config.Imports = []coretest.Import{{To: attachmentAddr + "a", ID: backend + "/pas-0001"}}
		if r := s.apply(config); !r.Says("does not return packages, benchmark and tests") {
			t.Errorf("no warning in %v", r.Diagnostics)
		}
		s.hasPackages(mandatoryPackages)
		s.stays(config)
	}, func(o *sandboxtest.Options) { o.Assumptions = sandboxtest.Mute })
}
