// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// An import into a configuration that describes the resources plans no changes and sends
// no writes. So does the configuration that the CLI generates for an import.
func TestImport(t *testing.T) {
	t.Parallel()
	resources := clitest.ReadFile(t, "testdata/TestImport/resources/main.tf")
	for name, row := range map[string]struct {
		step      string
		generates bool
	}{"by id": {"by_id", false}, "by identity": {"by_identity", false}, "generated": {"by_id", true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Seed = firstReleaseState })
			c := clitest.New(t, service)
			c.UseFrom("TestImport", row.step)
			if row.generates {
				c.Human("plan", "-input=false", "-generate-config-out=generated.tf").OK()
			} else {
				c.Add("main.tf", resources)
			}
			c.Apply().OK().Quiet()
			service.NoWrites(t)
			c.Plan().Empty().Quiet()
			profile := c.Managed()["assess_position_assessment.values"]["profile"]
			if fmt.Sprint(profile) != "map[id:prf-customer-first on_supervisor_change:keep]" {
				t.Errorf("the imported profile is %v", profile)
			}
		})
	}
}

// The resources into which these scenarios import.
var (
	importedGames = selected("games", backend, "all")
	importedSQL   = activation("sql", "skt-sql")
)

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		for _, row := range []struct {
			to       coretest.Resource
			id, says string
		}{
			{importedGames, "", `"" is not a valid import ID: it must contain exactly one slash`},
			{importedGames, "pas-0001", "exactly one slash.*has the form POSITION_ID/POSITION_ASSESSMENT_ID"},
			{importedGames, "a/b/c", "exactly one slash"},
			{importedGames, "/pas-0001", `"" is not an ID`},
			{importedGames, "../pas-0001", `"\.\." is not an ID`},
			{importedGames, "a/50%", "percent sign"},
			{importedGames, "a/Ł", "outside Latin1"},
			{importedSQL, "skt-sql", "ASSESSMENT_ID/TEST_ID"},
		} {
			s.fails(s.plan(importing(row.id, row.to)), row.says)
		}
		s.service.AssertCount(t, "", "", 0)
	})
}

// An identity is as valid as the import ID of its parts.
func TestImportRefusesAnIdentity(t *testing.T) {
	t.Parallel()
	w := runOn(t, unlimited(t))
	typ := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"position_id": tftypes.String, "id": tftypes.String}}
	for _, row := range []struct {
		position, id any
		says         string
	}{
		{nil, "pas-0001", `"/pas-0001" is not a valid import ID: "" is not an ID`},
		{backend, nil, `"" is not an ID`},
		{backend, "", `"" is not an ID`},
		{backend, "..", `"\.\." is not an ID`},
	} {
		identity := coretest.Encode(typ, fields{"position_id": row.position, "id": row.id})
		resp, err := w.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
			TypeName: "assess_position_assessment", Identity: &tfprotov6.ResourceIdentityData{IdentityData: identity},
		})
		w.mustCall(err)
		saidIn(resp.Diagnostics).fails(t, row.says)
	}
}

// Importing an unknown ID fails. It sends only the requests for the lists that were searched.
func TestImportOfAnUnknownID(t *testing.T) {
	t.Parallel()
	oneAndList := map[string]int{sandbox.RoutePositionAssessments: 1, sandbox.RoutePositionAssessment: 1}
	tests := map[string]int{sandbox.RouteSkillsTests: 4, sandbox.RouteAssessments: 1}
	const summary = "Could not import the position assessment"
	for name, row := range map[string]struct {
		noList   int // the answer of a service without lists
		to       coretest.Resource
		id       string
		says     []string
		requests map[string]int
	}{
		"position assessment": {0, importedGames, backend + "/pas-9999", []string{
			summary, "404 Not Found", "POSITION_ID/POSITION_ASSESSMENT_ID", "To fix this: check the IDs",
		}, oneAndList},
		"position": {0, importedGames, "pos-nowhere/pas-0001", []string{summary, "404 Not Found", "To fix this: check the IDs"}, oneAndList},
		"no list":  {http.StatusMethodNotAllowed, importedGames, backend + "/pas-9999", []string{summary, "404 Not Found", "To fix this: check the IDs"}, oneAndList},
		"skills test": {0, importedSQL, "asm-workbench/skt-cobol", []string{
			"Unknown skills test", `no skills test "skt-cobol"`, `Tests that are not enabled: "skt-.*Enabled tests: "skt-`,
		}, tests},
		"skills assessment": {
			0, importedSQL, "asm-nowhere/skt-sql",
			[]string{"Unknown assessment", `no assessment "asm-nowhere"`, `"asm-workbench"`},
			map[string]int{sandbox.RouteSkillsTests: 1, sandbox.RouteAssessments: 1},
		},
		"assessment without tests": {0, importedSQL, "asm-lumen/skt-sql", []string{
			"Unknown skills test", `Assessment "asm-lumen" \("Lumen Ability Test"\) has no skills tests. To fix this: correct assessment_id`,
		}, tests},
	} {
		onceAs(t, name, func(s *simulation) {
			s.change(attaches(backend, "asm-facet", sandbox.Metadata{}))
			s.change(attaches(backend, "asm-lumen", sandbox.Metadata{}))
			s.fails(s.plan(importing(row.id, row.to)), row.says...)
			requests := map[string]int{}
			for _, entry := range s.service.Journal() {
				requests[entry.Route]++
			}
			if !maps.Equal(requests, row.requests) {
				s.t.Errorf("the requests were %v, want %v", requests, row.requests)
			}
		}, func(o *sandboxtest.Options) { o.Assumptions.PositionAssessmentList = row.noList })
	}
}

// A read that fails right after an import says what could not be imported.
func TestImportThatFails(t *testing.T) {
	t.Parallel()
	for id, row := range map[string]struct {
		to   coretest.Resource
		says string
	}{
		backend + "/pas-0001":   {importedGames, "Could not import the position assessment"},
		"asm-workbench/skt-sql": {importedSQL, "Could not import the skills test"},
	} {
		onceAs(t, id, func(s *simulation) {
			s.service.Inject(sandboxtest.Fault{Method: http.MethodGet, Status: http.StatusForbidden, Times: -1})
			s.fails(s.plan(importing(id, row.to)), row.says, "403 Forbidden")
		})
	}
}

// An import leaves out the blocks that the service does not return. It warns only if the service
// provably returns none: a position assessment that must have packages shows none. Optional blocks
// that are missing prove nothing (assumption A22). Later reads keep the values in the state.
func TestImportFromAMuteService(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		resource coretest.Resource
		has      sandbox.Metadata
		warns    bool
	}{
		"no blocks":         {facet("a", backend), sandbox.Metadata{}, false},
		"optional blocks":   {lumen("a", backend), sandbox.Metadata{Benchmark: engineersBenchmark}, false},
		"a mandatory block": {selected("a", backend, "mandatory"), sandbox.Metadata{Packages: strings.Split(mandatoryPackages, ",")}, true},
	} {
		onceAs(t, name, func(s *simulation) {
			s.change(attaches(backend, fmt.Sprint(row.resource.Body["assessment_id"]), row.has))
			before := s.attached()
			r := s.apply(importing(backend+"/pas-0001", row.resource))
			if r.Says("does not return packages, benchmark and tests") != row.warns {
				s.t.Errorf("warned is %t, want %t:\n%v", !row.warns, row.warns, r.Diagnostics)
			}
			s.stays(simulatedConfig(row.resource))
			if now := s.attached(); !slices.Equal(now, before) {
				s.t.Errorf("attached: %q, before: %q", now, before)
			}
		}, mute)
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
		r := activation("odd", test)
		r.Body["assessment_id"] = assessment
		s.applies(r)
		if got := s.id(r); got != id {
			t.Errorf("the ID is %q, want %q", got, id)
		}
		s.loses(r.Addr)
		s.apply(importing(id, r))
		s.stays(simulatedConfig(r))
	})
}

// A module imports by name what it manages.
func TestImportInAModule(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	c.NeedsTerraform(16)
	c.Add("graduates/main.tf", `data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_assessments" "graduates" {
  position_id = data.assess_position.graduates.id
}

import {
  to = assess_position_assessment.reliability
  id = one([
    for a in data.assess_position_assessments.graduates.assessments : "${a.position_id}/${a.id}"
    if a.assessment_id == "asm-keystone"
  ])
}

resource "assess_position_assessment" "reliability" {
  position_id   = data.assess_position.graduates.id
  assessment_id = "asm-keystone"
}
`)
	c.Add("main.tf", "module \"graduates\" {\n  source = \"./graduates\"\n}\n")
	c.Human("get").OK()
	c.Plan().Plans("import module.graduates.assess_position_assessment.reliability")
	c.Apply().OK()
	c.Plan().Empty().Quiet()
	if writes := service.Writes(); len(writes) != 0 {
		t.Errorf("the import sent %v", writes)
	}
}

// Three commands import everything in a service without changing it. Each position has a benchmark, so that its list
// proves that the service shows configurations (assumption A22), in whatever order the CLI plans.
func TestImportEverything(t *testing.T) {
	t.Parallel()
	service := unlimited(t, withAttachedState(1000))
	service.Change(t, func(st *sandbox.State) {
		for _, p := range st.Positions {
			if len(p.Assessments) > 0 {
				attaches(p.ID, "asm-tideline", sandbox.Metadata{Benchmark: "bmk-tideline-customer-service-en-gb"})(st)
			}
		}
	})
	c := clitest.New(t, service).With("ASSESS_UNTHROTTLED=1")
	c.UseFrom("TestImportEverything", "1")
	c.NeedsTerraform(14)
	c.Add("estate.tfquery.hcl", clitest.ReadFile(t, "testdata/TestImportEverything/1/estate.tfquery.hcl"))
	st := service.State(t)
	things, occupied := 0, 0
	for _, p := range st.Positions {
		if things += len(p.Assessments); len(p.Assessments) > 0 {
			occupied++
		}
	}
	for _, test := range st.Assessment("asm-workbench").SkillsTests {
		if test.Active() {
			things++
		}
	}

	c.Human("query", "-no-color", "-generate-config-out=estate.tf").OK()
	service.AssertCount(t, "", sandbox.RoutePositionAssessments, len(st.Positions))
	service.AssertCount(t, "", sandbox.RoutePositions, 1)
	service.AssertCount(t, "", sandbox.RouteAssessments, 1)
	service.AssertCount(t, "", sandbox.RouteSkillsTests, 1)
	service.AssertCount(t, "", "", len(st.Positions)+3)

	service.ResetJournal()
	r := c.Human("plan", "-no-color", "-input=false").OK()
	clitest.Contains(t, "plan", r.Output, fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", things))
	service.AssertCount(t, "", sandbox.RoutePositionAssessments, occupied)
	service.AssertCount(t, "", "", occupied+1)

	c.Apply().OK().Quiet()
	c.Plan().Empty().Quiet()
	service.NoWrites(t)
}
