// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// What a read does not show keeps its value in the state. What it shows as null, empty or another value is drift.
func TestRefresh(t *testing.T) {
	t.Parallel()
	set := assessapi.Set[string]
	ids := func(ids ...string) assessapi.Member[[]string] { return assessapi.Set(ids) }
	null := assessapi.Member[string]{Shown: true}
	nullIDs := assessapi.Member[[]string]{Shown: true}
	// The state: everything that the keys of metadata can hold, although no assessment has all of them.
	before := func() model {
		m := imported("pos", "pas")
		m.AssessmentID, m.OnRefusedRemoval = types.StringValue("asm"), types.StringValue(onRefusalFail)
		m.Packages = packagesBlock(tf.IDSet([]string{"p1"}), types.StringNull())
		m.Benchmark, m.Tests = benchmarkBlock("b1"), testsBlock([]string{"t1"})
		m.Profile = profileBlock(types.StringValue("prf"), types.StringValue(onChangeKeep))
		m.ProfileStatus, m.ProfileURL = types.StringValue("PROFILE_ATTACHED"), types.StringValue("https://x.example/p")
		m.SelfLink = types.StringValue("https://x.example/pas")
		return m
	}
	type after struct{ packages, benchmark, tests, profile, status, url, link string }
	kept := after{`["p1"]`, `"b1"`, `["t1"]`, `"prf"`, `"PROFILE_ATTACHED"`, `"https://x.example/p"`, `"https://x.example/pas"`}
	with := func(change func(*after)) after {
		a := kept
		change(&a)
		return a
	}
	const none = "<null>"
	nothing := privateState{} // no key was shown before
	for name, row := range map[string]struct {
		shown    assessapi.Metadata
		metadata bool
		known    privateState // keys that a read has shown before
		want     after
	}{
		"no metadata":        {want: kept},
		"empty metadata":     {metadata: true, want: kept},
		"a key shown before": {metadata: true, known: privateState{Readable: []string{"benchmark"}}, want: with(func(a *after) { a.benchmark = none })},
		"other values":       {assessapi.Metadata{Packages: ids("p2"), Benchmark: set("b2"), Tests: ids("t2")}, true, nothing, with(func(a *after) { a.packages, a.benchmark, a.tests = `["p2"]`, `"b2"`, `["t2"]` })},
		"null": {assessapi.Metadata{Packages: nullIDs, Benchmark: null, Tests: nullIDs}, true, nothing, with(func(a *after) {
			a.packages, a.benchmark, a.tests = none, none, none
		})},
		"empty lists": {assessapi.Metadata{Packages: ids(), Tests: ids()}, true, nothing, with(func(a *after) {
			a.packages, a.tests = none, none
		})},
		"another profile":           {assessapi.Metadata{Profile: set("prf-2"), ProfileStatus: set("PROFILE_ATTACHED")}, true, nothing, with(func(a *after) { a.profile = `"prf-2"` })},
		"completed by a supervisor": {assessapi.Metadata{ProfileStatus: set("SUPERVISOR_COMPLETED")}, true, nothing, with(func(a *after) { a.status = `"SUPERVISOR_COMPLETED"` })},
		"left for a supervisor":     {assessapi.Metadata{ProfileStatus: set("SUPERVISOR_TO_COMPLETE")}, true, nothing, with(func(a *after) { a.status, a.profile = `"SUPERVISOR_TO_COMPLETE"`, none })},
		"another address":           {assessapi.Metadata{ProfileURL: set("https://x.example/q")}, true, nothing, with(func(a *after) { a.url = `"https://x.example/q"` })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := before()
			m.refresh(assessapi.PositionAssessment{ID: "pas", HasMetadata: row.metadata, Metadata: row.shown},
				row.known.isReadable, tf.Standard)
			got := after{
				tf.IDsIn(m.Packages).String(), tf.StringIn(m.Benchmark, "id").String(), tf.IDsIn(m.Tests).String(),
				tf.StringIn(m.Profile, "id").String(), m.ProfileStatus.String(), m.ProfileURL.String(), m.SelfLink.String(),
			}
			if got != row.want {
				t.Errorf("got  %+v\nwant %+v", got, row.want)
			}
			m.SelfLink = types.StringValue("https://assess.example.com/v1/positions/p/assessments/a?token=x")
			m.refresh(assessapi.PositionAssessment{}, privateState{}.isReadable, tf.Strict)
			if link := m.SelfLink.ValueString(); !m.ProfileURL.IsNull() || strings.Contains(link, "token") {
				t.Errorf("strict privacy keeps %s and %q", m.ProfileURL, link)
			}
		})
	}
}

// A plan names an unknown ID as the only reason of a replacement, but not if the other ID changes, too.
func TestReplacedByUnknown(t *testing.T) {
	t.Parallel()
	r := Resource{tf.Resource{Run: &tf.Run{Run: &run.Run{}}}}
	state := imported("pos", "pas")
	state.AssessmentID, state.ProfileStatus = types.StringValue("asm"), types.StringValue("SUPERVISOR_COMPLETED")
	unknown, known := types.StringUnknown(), types.StringValue
	for _, row := range []struct {
		position, assessment types.String
		says                 string
	}{
		{unknown, known("asm"), "only because position_id is not known yet"},
		{known("pos"), unknown, "only because assessment_id is not known yet"},
		{unknown, unknown, "only because position_id is not known yet"},
		{unknown, known("asm-2"), ""},
		{known("pos-2"), unknown, ""},
	} {
		plan := state
		plan.PositionID, plan.AssessmentID = row.position, row.assessment
		detail := r.checkRemoval(context.Background(), state, &plan)[0].Detail
		if row.says == "" && strings.Contains(detail, "only because") || !strings.Contains(detail, row.says) {
			t.Errorf("position %s, assessment %s: %s", row.position, row.assessment, detail)
		}
	}
}
