// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"fmt"
	"maps"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// The assessments of the tests: one without metadata, and one for each kind of metadata.
const (
	asmPlain     = "asm-facet"
	asmCognitive = "asm-lumen"
	asmGames     = "asm-quartet"
	asmValues    = "asm-terrain"
	asmSkills    = "asm-workbench"
	resource     = "assess_position_assessment"
	activation   = "assess_skills_test_activation"
)

// organization returns the state of the demo with three other positions, the last of them German.
func organization() *sandbox.State {
	st := positions(3)()
	st.Positions[2].Locale = "de-DE"
	return st
}

// positions returns a function that returns the state of the demo with n other positions: "pos-1" and so on.
func positions(n int) func() *sandbox.State {
	return func() *sandbox.State {
		st := sandbox.Demo()
		st.Positions = nil
		for i := range n {
			id, title := fmt.Sprintf("pos-%d", i+1), fmt.Sprintf("Position %d", i+1)
			st.Positions = append(st.Positions, sandbox.Position{ID: id, Title: title, Locale: "en-GB"})
		}
		return st
	}
}

// attach returns the resource block of a position assessment, with blocks.
func attach(position, assessment string, blocks driver.Values) driver.Values {
	v := driver.Values{"position_id": position, "assessment_id": assessment}
	maps.Copy(v, blocks)
	return v
}

// The services: as documented, and three that show less.
const (
	asDocumented = "as documented"
	linksOnly    = "whose lists show only links"
	unsigned     = "without signs and without the list of a position's assessments"
	mute         = "that does not show metadata"
)

var services = map[string]sandbox.Deviations{
	asDocumented: {},
	linksOnly:    {BareLists: true},
	unsigned:     {Unsigned: true, NoPositionList: true},
	mute:         {Mute: []string{"packages", "benchmark", "profile", "tests"}},
}

// virtual runs a test in virtual time, in a workspace beside a service without limits.
func virtual(t *testing.T, service string, seed func() *sandbox.State, test func(t *testing.T, w *driver.Workspace)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options := sandbox.Options{Seed: seed, Deviations: services[service], NoLimits: true}
		test(t, driver.NewWorkspace(t, driver.NewService(t, options)))
	})
}

// apply plans and applies, and fails the test if there is an error.
func apply(t *testing.T, w *driver.Workspace) {
	t.Helper()
	for _, d := range w.Apply(planned(t, w)).Errors() {
		t.Fatal(d)
	}
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
