// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// namesInDemo returns the name of every object that a configuration can refer to, by
// ID.
func namesInDemo() map[string]string {
	names := map[string]string{}
	demo := sandbox.Demo()
	for _, p := range demo.Positions {
		names[p.ID] = p.Title
	}
	for _, a := range demo.Assessments {
		names[a.ID] = a.Name
		for _, p := range a.Packages {
			names[p.ID] = p.Name
		}
		for _, b := range a.Benchmarks {
			names[b.ID] = b.Name
		}
		for _, p := range a.Profiles {
			names[p.ID] = p.Name
		}
		for _, test := range a.SkillsTests {
			names[test.Text("id")] = test.Text("title")
		}
	}
	return names
}

// Messages of a plan of the example use names: no error and no warning has an ID
// without the name.
func TestExampleGitopsShowsNames(t *testing.T) {
	t.Parallel()
	const leaves = "module.position[\"Backend Engineer, London\"].assess_position_assessment.this"
	for name, c := range map[string]struct {
		change  func(example)
		args    []string
		summary string // summary of the message that the change causes
		shows   []assessapi.Label
	}{
		"attached elsewhere": {
			func(e example) {
				e.change(func(st *sandbox.State) {
					position := st.Position(backend)
					position.Assessments = append(position.Assessments,
						sandbox.PositionAssessment{ID: "pas-by-hand", Assessment: "asm-facet"})
				})
			}, nil, "Check block assertion failed",
			[]assessapi.Label{{ID: "asm-facet", Name: "Facet Behavioural Profile"}},
		},
		"gone": {
			func(e example) { e.change(func(st *sandbox.State) { st.Position(backend).Assessments = nil }) }, nil,
			"Position assessment is gone",
			[]assessapi.Label{{ID: "asm-lumen", Name: "Lumen Ability Test"}, {ID: backend, Name: "Backend Engineer, London"}},
		},
		"invited": {
			func(e example) {
				e.change(func(st *sandbox.State) {
					if _, err := sandboxtest.Invite(st, backend, "asm-lumen"); err != nil {
						t.Error(err)
					}
				})
			},
			[]string{"-replace=" + leaves + `["LMN"]`},
			"Removal that the service would refuse",
			[]assessapi.Label{{ID: "asm-lumen", Name: "Lumen Ability Test"}, {ID: backend, Name: "Backend Engineer, London"}},
		},
		"another profile after a supervisor": {
			func(e example) {
				e.change(func(st *sandbox.State) {
					for i := range st.Position(backend).Assessments {
						if m := &st.Position(backend).Assessments[i].Metadata; m.Profile != "" {
							m.Profile, m.ProfileStatus = "", assessapi.SupervisorCompleted
						}
					}
				})
				e.apply("-refresh-only").ok()
				(&repository{example: e}).replaces("positions.yaml", "Curious builders", "Customer first")
			}, nil, "Supervisor's profile will be replaced",
			[]assessapi.Label{{ID: "prf-customer-first", Name: "Customer first"}, {ID: "prf-curious-builders", Name: "Curious builders"}},
		},
		"a literal id": {
			func(e example) {
				(&repository{example: e}).replaces(filepath.Join("modules", "position", "main.tf"),
					"id = lookup(local.ids[each.key].benchmark, benchmark.value, null)", `id = "bmk-nowhere"`)
				(&repository{example: e}).replaces("positions.yaml", "benchmark: Engineers", "benchmark: Graduates")
			}, nil, "Unknown benchmark",
			[]assessapi.Label{{ID: "asm-quartet", Name: "Quartet Games"}, {ID: "bmk-quartet-engineers-en-gb", Name: "Engineers"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newExample(t, "gitops")
			e.human("init", "-input=false").ok()
			e.apply().ok()
			c.change(e)
			found := false
			plan := e.plan(c.args...)
			for _, d := range append(plan.errors, plan.warnings...) {
				text := d.Summary + "\n" + d.Detail
				for id, name := range namesInDemo() {
					if strings.Contains(text, id) && !strings.Contains(text, name) {
						t.Errorf("%s is shown without its name %q:\n%s", id, name, text)
					}
				}
				shown := d.Summary == c.summary
				for _, label := range c.shows {
					shown = shown && strings.Contains(text, label.ID) && strings.Contains(text, label.Name)
				}
				found = found || shown
			}
			if !found {
				t.Errorf("no message has the summary %q and shows %v:\n%s", c.summary, c.shows, plan.text())
			}
		})
	}
}
