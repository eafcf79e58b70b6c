// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

func model(change ...func(*positionAssessmentModel)) positionAssessmentModel {
	m := positionAssessmentModel{
		PositionID: types.StringValue("pos"), AssessmentID: types.StringValue("asm"), ID: types.StringValue("pas"),
		Packages: types.ObjectNull(packagesType), Benchmark: types.ObjectNull(benchmarkType),
		Profile: types.ObjectNull(profileType), Tests: types.ObjectNull(testsType),
	}
	for _, c := range change {
		c(&m)
	}
	return m
}

func withPackages(ids ...string) func(*positionAssessmentModel) {
	return func(m *positionAssessmentModel) { m.Packages = packagesBlock(idSet(ids), types.StringNull()) }
}

func withSelect(selected string, ids ...string) func(*positionAssessmentModel) {
	return func(m *positionAssessmentModel) {
		m.Packages = packagesBlock(idSet(ids), types.StringValue(selected))
	}
}

func withBenchmark(id string) func(*positionAssessmentModel) {
	return func(m *positionAssessmentModel) { m.Benchmark = benchmarkBlock(id) }
}

func withProfile(id, onChange string) func(*positionAssessmentModel) {
	return func(m *positionAssessmentModel) {
		m.Profile = profileBlock(types.StringValue(id), types.StringValue(onChange))
	}
}

// TestChange checks what an update sends for each value of on_supervisor_change.
func TestChange(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		from, to   positionAssessmentModel
		supervised bool
		want       rules.Rule // that says what happens to a supervisor's work
		send       bool
	}{
		"nothing": {model(), model(), false, 0, false},
		"ids in another order": {
			model(withPackages("a", "b")), model(withPackages("b", "a")), false,
			0, false,
		},
		"ids exchanged for select": {
			model(withPackages("a", "b")), model(withSelect("all", "b", "a")), false,
			0, false,
		},
		"another package": {
			model(withPackages("a")), model(withPackages("a", "b")), false,
			0, true,
		},
		"benchmark removed": {
			model(withPackages("a"), withBenchmark("b")), model(withPackages("a")),
			false,
			0, true,
		},
		"benchmark added": {model(), model(withBenchmark("b")), false, 0, true},
		"profile exchanged": {
			model(withProfile("p", "keep")), model(withProfile("q", "keep")), false,
			0, true,
		},
		"only on_supervisor_change": {
			model(withProfile("p", "keep")), model(withProfile("p", "reattach")), false,
			0, false,
		},
		"profile removed": {model(withProfile("p", "keep")), model(), false, 0, true},
		"supervised: the same": {
			model(withProfile("p", "keep")), model(withProfile("p", "keep")), true,
			0, false,
		},
		"supervised: another": {
			model(withProfile("p", "keep")), model(withProfile("q", "keep")), true,
			rules.ProfileReplaced, true,
		},
		"supervised: removed": {model(withProfile("p", "keep")), model(), true, 0, false},
		"supervised: never ours": {
			model(), model(withProfile("p", "keep")), true,
			rules.ProfileCompleted, true,
		},
		"supervised: reattach": {
			model(withProfile("p", "reattach")), model(withProfile("p", "reattach")),
			true,
			rules.ProfileReplaced, true,
		},
		"supervised: reattach now": {
			model(withProfile("p", "keep")), model(withProfile("p", "reattach")), true,
			rules.ProfileReplaced, true,
		},
		"supervised: reattach again": {
			model(), model(withProfile("p", "reattach")), true,
			rules.ProfileReplaced, true,
		},
		"supervised: reattach to other": {
			model(withProfile("p", "reattach")), model(withProfile("q", "reattach")),
			true,
			rules.ProfileReplaced, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := row.from.changeTo(row.to, row.supervised)
			var says rules.Rule
			for _, f := range got.Supervised(func(id string) assessapi.Label { return assessapi.Label{ID: id} }) {
				says = f.Rule
			}
			if got.Send != row.send || says != row.want {
				t.Errorf("sends %t and says %d, want %t and %d", got.Send, says, row.send, row.want)
			}
			if wants, _ := row.to.metadata(); got.Send && !got.Metadata.Equal(wants) {
				t.Errorf("sends %s, want %s", got.Metadata.Key(), wants.Key())
			}
		})
	}
}

// TestRefresh covers services that return what is configured, and services that do not
// (assumption A22).
func TestRefresh(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	all := assessapi.Metadata{Packages: []string{"b", "a"}, Benchmark: text("c")}
	toComplete := assessapi.Metadata{ProfileStatus: text("SUPERVISOR_TO_COMPLETE")}
	attached := assessapi.Metadata{Profile: text("p"), ProfileStatus: text("PROFILE_ATTACHED")}
	completed := assessapi.Metadata{ProfileStatus: text("SUPERVISOR_COMPLETED")}
	keptAttached := assessapi.Metadata{Profile: text("q"), ProfileStatus: text("SUPERVISOR_COMPLETED")}
	for name, row := range map[string]struct {
		before     positionAssessmentModel
		answer     assessapi.Metadata
		hidden     bool
		want       positionAssessmentModel
		supervised bool
	}{
		"returned": {
			model(), all, false, model(withPackages("a", "b"), withBenchmark("c")),
			false,
		},
		"select stays": {
			model(withSelect("all", "a")), all, false,
			model(withSelect("all", "a", "b"), withBenchmark("c")), false,
		},
		"gone": {
			model(withPackages("a"), withBenchmark("c")),
			assessapi.Metadata{},
			false,
			model(), false,
		},
		"hidden": {
			model(withPackages("a")),
			assessapi.Metadata{},
			true,
			model(withPackages("a")), false,
		},
		"a profile is never hidden":  {model(withProfile("p", "reattach")), toComplete, true, model(), false},
		"a profile attached outside": {model(), attached, false, model(withProfile("p", "keep")), false},
		"a supervisor's work": {
			model(withProfile("p", "keep")), completed, false,
			model(withProfile("p", "keep")), true,
		},
		"completed, and still attached": {
			model(withProfile("p", "keep")), keptAttached, false,
			model(withProfile("q", "keep")), false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := row.before
			pa := assessapi.PositionAssessment{ID: "pas", AssessmentID: "asm", Metadata: row.answer}
			memory := got.refresh(engine.Observation{PositionAssessment: pa, Hidden: row.hidden}, privacyStandard)
			if memory.Supervised != row.supervised {
				t.Errorf("supervised is %t, want %t", memory.Supervised, row.supervised)
			}
			for block, pair := range map[string][2]types.Object{
				"packages": {got.Packages, row.want.Packages}, "benchmark": {got.Benchmark, row.want.Benchmark},
				"profile": {got.Profile, row.want.Profile}, "tests": {got.Tests, row.want.Tests},
			} {
				if !pair[0].Equal(pair[1]) {
					t.Errorf("%s: got %s, want %s", block, pair[0], pair[1])
				}
			}
		})
	}
}

func TestImportIDs(t *testing.T) {
	t.Parallel()
	for _, parts := range [][2]string{{"pos", "pas"}, {"a/b", "50% c"}, {"ä", "?#&"}, {"%2F", "+ "}} {
		scope, id, err := rules.SplitImportID(rules.JoinImportID(parts[0], parts[1]))
		if err != nil || scope != parts[0] || id != parts[1] {
			t.Errorf("%q was split into %q and %q, %v", parts, scope, id, err)
		}
	}
}

// A response to a write contains the profile link and the signature of a self link. In
// strict mode, the model contains neither.
func TestSettleInStrictMode(t *testing.T) {
	t.Parallel()
	address := func(s string) *string { return &s }
	for p, want := range map[privacy][2]types.String{
		privacyStandard: {types.StringValue("https://h/profile"), types.StringValue("https://u@h/v1/a%2Fb?sig=x#y")},
		privacyStrict:   {types.StringNull(), types.StringValue("https://h/v1/a%2Fb")},
	} {
		m := positionAssessmentModel{ProfileURL: types.StringUnknown(), SelfLink: types.StringUnknown()}
		m.settle(assessapi.PositionAssessment{
			SelfLink: address("https://u@h/v1/a%2Fb?sig=x#y"),
			Metadata: assessapi.Metadata{ProfileURL: address("https://h/profile")},
		}, p)
		if !m.ProfileURL.Equal(want[0]) || !m.SelfLink.Equal(want[1]) {
			t.Errorf("%s: %s, %s", p, m.ProfileURL, m.SelfLink)
		}
	}
	for _, odd := range []string{"mailto:someone@example.com", "https://[::1/v1"} {
		if got := privacyStrict.selfLink(&odd); !got.IsNull() {
			t.Errorf("%q: %s", odd, got)
		}
	}
}
