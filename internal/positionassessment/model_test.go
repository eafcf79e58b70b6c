// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// model returns a position assessment with some blocks.
func modelOf(blocks ...types.Object) model {
	m := model{
		PositionID: types.StringValue("pos"), AssessmentID: types.StringValue("asm"), ID: types.StringValue("pas"),
		Packages: types.ObjectNull(packagesType), Benchmark: types.ObjectNull(benchmarkType),
		Profile: types.ObjectNull(profileType), Tests: types.ObjectNull(testsType),
	}
	for _, block := range blocks {
		for _, field := range []*types.Object{&m.Packages, &m.Benchmark, &m.Profile, &m.Tests} {
			if field.Type(context.Background()).Equal(block.Type(context.Background())) {
				*field = block
			}
		}
	}
	return m
}

func packages(ids ...string) types.Object { return packagesBlock(tf.IDSet(ids), types.StringNull()) }

func selected(ids ...string) types.Object {
	return packagesBlock(tf.IDSet(ids), types.StringValue("all"))
}

func profile(id, onSupervisorChange string) types.Object {
	return profileBlock(types.StringValue(id), types.StringValue(onSupervisorChange))
}

// TestChange checks what an update sends for each value of on_supervisor_change.
func TestChange(t *testing.T) {
	t.Parallel()
	none, a, ab := modelOf(), modelOf(packages("a")), modelOf(packages("a", "b"))
	kept, other := modelOf(profile("p", "keep")), modelOf(profile("q", "keep"))
	reattached, otherReattached := modelOf(profile("p", "reattach")), modelOf(profile("q", "reattach"))
	for name, row := range map[string]struct {
		from, to   model
		supervised bool
		want       finding.Rule // that says what happens to a supervisor's work
		send       bool
	}{
		"nothing":                   {from: none, to: none},
		"ids in another order":      {from: ab, to: modelOf(packages("b", "a"))},
		"ids exchanged for select":  {from: ab, to: modelOf(selected("b", "a"))},
		"another package":           {from: a, to: ab, send: true},
		"benchmark removed":         {from: modelOf(packages("a"), benchmarkBlock("b")), to: a, send: true},
		"another benchmark":         {from: modelOf(benchmarkBlock("b")), to: modelOf(benchmarkBlock("c")), send: true},
		"benchmark added":           {from: none, to: modelOf(benchmarkBlock("b")), send: true},
		"profile exchanged":         {from: kept, to: other, send: true},
		"only on_supervisor_change": {from: kept, to: reattached},
		"profile removed":           {from: kept, to: none, send: true},

		"supervised: the same":          {kept, kept, true, finding.Rule{}, false},
		"supervised: another":           {kept, other, true, rules.ProfileReplaced, true},
		"supervised: removed":           {kept, none, true, finding.Rule{}, false},
		"supervised: never ours":        {none, kept, true, rules.ProfileCompleted, true},
		"supervised: reattach":          {reattached, reattached, true, rules.ProfileReplaced, true},
		"supervised: reattach now":      {kept, reattached, true, rules.ProfileReplaced, true},
		"supervised: reattach again":    {none, reattached, true, rules.ProfileReplaced, true},
		"supervised: reattach to other": {reattached, otherReattached, true, rules.ProfileReplaced, true},
	} {
		got := row.from.changeTo(row.to, row.supervised)
		var says finding.Rule
		for _, f := range got.Supervised(func(id string) assessapi.Label { return assessapi.Label{ID: id} }) {
			says = f.Rule
		}
		if got.Send != row.send || says != row.want {
			t.Errorf("%s: sends %t and says %v, want %t and %v", name, got.Send, says, row.send, row.want)
		}
		if wants, _ := row.to.metadata(); got.Send && !got.Metadata.Equal(wants) {
			t.Errorf("%s: sends %s, want %s", name, got.Metadata.Key(), wants.Key())
		}
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
	none, kept, benchmark := modelOf(), modelOf(profile("p", "keep")), benchmarkBlock("c")
	for name, row := range map[string]struct {
		before model
		answer assessapi.Metadata
		hidden bool
		want   model
	}{
		"returned":                      {none, all, false, modelOf(packages("a", "b"), benchmark)},
		"select stays":                  {modelOf(selected("a")), all, false, modelOf(selected("a", "b"), benchmark)},
		"gone":                          {modelOf(packages("a"), benchmark), assessapi.Metadata{}, false, none},
		"hidden":                        {modelOf(packages("a")), assessapi.Metadata{}, true, modelOf(packages("a"))},
		"a profile is never hidden":     {modelOf(profile("p", "reattach")), toComplete, true, none},
		"a profile attached outside":    {none, attached, false, kept},
		"a supervisor's work":           {kept, completed, false, kept},
		"completed, and still attached": {kept, keptAttached, false, modelOf(profile("q", "keep"))},
	} {
		got := row.before
		pa := assessapi.PositionAssessment{ID: "pas", AssessmentID: "asm", Metadata: row.answer}
		got.refresh(readAssessment{
			PositionAssessment: pa, Hidden: row.hidden, Memory: catalog.Memory{}.Remember(pa, false),
		}, tf.Standard)
		for block, pair := range map[string][2]types.Object{
			"packages": {got.Packages, row.want.Packages}, "benchmark": {got.Benchmark, row.want.Benchmark},
			"profile": {got.Profile, row.want.Profile}, "tests": {got.Tests, row.want.Tests},
		} {
			if !pair[0].Equal(pair[1]) {
				t.Errorf("%s: %s is %s, want %s", name, block, pair[0], pair[1])
			}
		}
	}
}

// A response to a write contains the profile link and the signature of a self link. In
// strict mode, the model contains neither.
func TestSettleInStrictMode(t *testing.T) {
	t.Parallel()
	address := func(s string) *string { return &s }
	for p, want := range map[tf.Privacy][2]types.String{
		tf.Standard: {types.StringValue("https://h/profile"), types.StringValue("https://u@h/v1/a%2Fb?sig=x#y")},
		tf.Strict:   {types.StringNull(), types.StringValue("https://h/v1/a%2Fb")},
	} {
		m := model{ProfileURL: types.StringUnknown(), SelfLink: types.StringUnknown()}
		m.settle(assessapi.PositionAssessment{
			SelfLink: address("https://u@h/v1/a%2Fb?sig=x#y"),
			Metadata: assessapi.Metadata{ProfileURL: address("https://h/profile")},
		}, p)
		if !m.ProfileURL.Equal(want[0]) || !m.SelfLink.Equal(want[1]) {
			t.Errorf("%s: %s, %s", p, m.ProfileURL, m.SelfLink)
		}
	}
	for _, odd := range []string{"mailto:someone@example.com", "https://[::1/v1"} {
		if got := tf.Strict.SelfLink(&odd); !got.IsNull() {
			t.Errorf("%q: %s", odd, got)
		}
	}
}

// Editors show the arguments that a block requires as optional, because the protocol cannot say that they are required
// only in the block. So their descriptions begin with the word.
func TestRequiredArgumentsSayIt(t *testing.T) {
	t.Parallel()
	var resp resource.SchemaResponse
	New().Schema(t.Context(), resource.SchemaRequest{}, &resp)
	null := rules.Block{Set: true, Null: true}
	required := [][]string{{"packages", "ids"}, {"packages", "select"}} // one of them
	for _, f := range rules.CheckBlocks(rules.Desired{Benchmark: null, Profile: null, Tests: null}) {
		if f.Rule == rules.IncompleteBlock {
			required = append(required, f.Path)
		}
	}
	if len(required) != 5 {
		t.Errorf("required: %q", required)
	}
	for _, p := range required {
		attribute, err := resp.Schema.AttributeAtPath(t.Context(), path.Root(p[0]).AtName(p[1]))
		if err.HasError() || !strings.HasPrefix(attribute.GetMarkdownDescription(), "Required") {
			t.Errorf("%q: %v, %v", p, attribute, err)
		}
	}
}
