// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// The assessments of the tests: one without metadata, and one for each kind of metadata.
const (
	asmPlain     = "asm-plain"
	asmCognitive = "asm-cognitive"
	asmGames     = "asm-games"
	asmValues    = "asm-values"
	asmSkills    = "asm-skills"
	resource     = "assess_position_assessment"
)

// organization returns a state with three positions, the last of them German.
func organization() *sandbox.State {
	st := &sandbox.State{}
	for i, locale := range []string{"en-GB", "en-GB", "de-DE"} {
		id, title := fmt.Sprintf("pos-%d", i+1), fmt.Sprintf("Position %d", i+1)
		st.Positions = append(st.Positions, sandbox.Position{ID: id, Title: title, Locale: locale})
	}
	benchmarks := func(prefix string) (all []sandbox.Benchmark) {
		for _, id := range []string{"en-GB-1", "en-GB-2", "de-DE-1", "de-DE-2"} {
			all = append(all, sandbox.Benchmark{ID: prefix + id, Name: "Benchmark " + id, Locale: id[:5]})
		}
		return all
	}
	st.Assessments = []sandbox.Assessment{
		{ID: asmPlain, Kind: sandbox.BehaviouralProfile, Code: "P", Name: "Plain"},
		{ID: asmCognitive, Kind: sandbox.CognitiveAbility, Code: "C", Name: "Cognitive", Benchmarks: benchmarks("bmk-c-")},
		{
			ID: asmGames, Kind: sandbox.MultiGameCognitive, Code: "G", Name: "Games", Benchmarks: benchmarks("bmk-g-"),
			Packages: []sandbox.Package{{ID: "pkg-1", Name: "One", Mandatory: true}, {ID: "pkg-2", Name: "Two"}},
		},
		{
			ID: asmValues, Kind: sandbox.ValuesInventory, Code: "V", Name: "Values",
			Profiles: []sandbox.Profile{{ID: "prf-1", Name: "One"}, {ID: "prf-2", Name: "Two"}},
		},
		{ID: asmSkills, Kind: sandbox.Skills, Code: "S", Name: "Skills"},
	}
	st.Assessments[4].SkillsTests = skillsTests(2, 1)
	return st
}

// skillsTests returns skills tests "skt-1" and so on, first the enabled ones.
func skillsTests(enabled, disabled int) (all []sandbox.SkillsTest) {
	for i := range enabled + disabled {
		test, err := sandbox.ParseObject(fmt.Appendf(nil, `{"id": "skt-%d", "title": "Test %[1]d", "description": "Questions.",
			"category": "Any", "timeToComplete": "20 minutes", "numberOfQuestions": 20, "active": %t}`, i+1, i < enabled))
		if err != nil {
			panic(err)
		}
		all = append(all, sandbox.SkillsTest{Object: test})
	}
	return all
}

// attach returns the configuration of a position assessment, with blocks.
func attach(position, assessment string, blocks driver.Values) driver.Resource {
	v := driver.Values{"position_id": position, "assessment_id": assessment}
	for name, block := range blocks {
		v[name] = block
	}
	return driver.Resource{Values: v}
}

// The services: as documented, and three that show less.
const (
	asDocumented = "as documented"
	linksOnly    = "with lists of links only"
	unsigned     = "without signs and without the list of a position's assessments"
	mute         = "that does not show metadata"
)

var services = map[string]sandbox.Deviations{
	asDocumented: {},
	linksOnly:    {},
	unsigned:     {Unsigned: true, NoPositionList: true},
	mute:         {Mute: []string{"packages", "benchmark", "profile", "tests"}},
}

// start starts one of the services.
func start(t *testing.T, service string, options sandbox.Options) *driver.Service {
	t.Helper()
	started := driver.NewService(t, options)
	if service == linksOnly {
		started.Hook(showLinksOnly)
	}
	return started
}

// showLinksOnly omits all but id and _links from the list of a position's assessments (A7).
func showLinksOnly(r *driver.Request, next func() driver.Response) driver.Response {
	response := next()
	var list []map[string]any
	if r.Is(http.MethodGet, sandbox.RoutePositionAssessments) && json.Unmarshal(response.Body, &list) == nil {
		for _, element := range list {
			maps.DeleteFunc(element, func(name string, _ any) bool { return name != "id" && name != "_links" })
		}
		response.Body, _ = json.Marshal(list) // it was JSON
	}
	return response
}

// virtual runs a test in virtual time, in a workspace beside a service without limits.
func virtual(t *testing.T, service string, seed func() *sandbox.State, test func(t *testing.T, w *driver.Workspace)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options := sandbox.Options{Seed: seed, Deviations: services[service], NoLimits: true}
		test(t, driver.NewWorkspace(t, start(t, service, options)))
	})
}

// apply plans and applies, and fails the test if there is an error.
func apply(t *testing.T, w *driver.Workspace) (*driver.Plan, *driver.Applied) {
	t.Helper()
	plan := planned(t, w)
	applied := w.Apply(plan)
	for _, d := range applied.Errors() {
		t.Fatal(d)
	}
	return plan, applied
}

// planned plans, and fails the test if there is an error.
func planned(t *testing.T, w *driver.Workspace) *driver.Plan {
	t.Helper()
	plan := w.Plan()
	for _, d := range plan.Errors() {
		t.Fatal(d)
	}
	return plan
}

// attached returns the metadata of what a position has of an assessment.
func attached(st *sandbox.State, position, assessment string) (all []sandbox.Metadata) {
	for _, a := range st.Position(position).Assessments {
		if a.Assessment == assessment {
			all = append(all, a.Metadata)
		}
	}
	return all
}

// complete lets a supervisor complete the profile that a position has.
func complete(t *testing.T, service *driver.Service, position string) {
	t.Helper()
	service.Change(func(st *sandbox.State) {
		for _, a := range st.Position(position).Assessments {
			if err := st.CompleteProfile(position, a.ID); err != nil {
				t.Error(err)
			}
		}
	})
}
