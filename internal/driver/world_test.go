// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"fmt"
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
	tests := &st.Assessments[4].SkillsTests
	for i, active := range []bool{true, true, false} {
		test, err := sandbox.ParseObject(fmt.Appendf(nil, `{"id": "skt-%d", "title": "Test %[1]d", "description": "Questions.",
			"category": "Any", "timeToComplete": "20 minutes", "numberOfQuestions": 20, "active": %t}`, i+1, active))
		if err != nil {
			panic(err)
		}
		*tests = append(*tests, sandbox.SkillsTest{Object: test})
	}
	return st
}

// attach returns the configuration of a position assessment, with blocks.
func attach(position, assessment string, blocks driver.Values) driver.Resource {
	v := driver.Values{"position_id": position, "assessment_id": assessment}
	for name, block := range blocks {
		v[name] = block
	}
	return driver.Resource{Values: v}
}

// service is how a service differs from the documents.
type service struct {
	sandbox.Deviations
	hook driver.Hook // may be nil
}

// start starts the service.
func (s service) start(t *testing.T, options sandbox.Options) *driver.Service {
	t.Helper()
	options.Deviations = s.Deviations
	started := driver.NewService(t, options, driver.AsDocumented)
	if s.hook != nil {
		started.Hook(s.hook)
	}
	return started
}

// unsignedService is a service without Conversation-Id and without the list of a position's assessments, and muteService
// one that never shows packages, benchmark, profile and tests.
var (
	unsignedService = service{Deviations: sandbox.Deviations{Unsigned: true, NoPositionList: true}}
	muteService     = service{Deviations: sandbox.Deviations{Mute: []string{"packages", "benchmark", "profile", "tests"}}}
)

// virtual runs a test in virtual time, in a workspace beside a service.
func virtual(t *testing.T, s service, test func(t *testing.T, w *driver.Workspace)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t, driver.NewWorkspace(t, s.start(t, sandbox.Options{Seed: organization, NoLimits: true})))
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
func complete(st *sandbox.State, position string) error {
	for _, a := range st.Position(position).Assessments {
		if a.Assessment == asmValues {
			return st.CompleteProfile(position, a.ID)
		}
	}
	return fmt.Errorf("%s has no profile", position)
}
