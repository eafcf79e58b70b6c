// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A replaced object looks like the creation whose response was lost. It must not be
// recovered as that creation, because it is destroyed next.
func TestFaultLostReplacement(t *testing.T) {
	t.Parallel()
	for _, when := range []sandboxtest.Moment{sandboxtest.BeforeEffect, sandboxtest.AfterEffect} {
		for _, planned := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, planned again in the apply: %t", when, planned), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newHarness(t)
					before := &managed{harness: w, name: attachmentType}
					before.planAndApply(engineers)

					// With create_before_destroy, the creation is planned while the prior state
					// exists.
					after := &managed{harness: w, name: attachmentType}
					w.startRun(nil)
					before.refresh()
					after.private = before.plan(engineers).PlannedPrivate // as with -replace
					plan := after.plan(engineers)
					w.succeeds()
					w.startRun(nil)
					if planned {
						after.plan(engineers)
					}
					w.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Reset: true, When: when})
					after.apply(engineers, plan)
					w.succeeds()
					if id := after.text("id"); id != "pas-0002" {
						t.Errorf("the state has %q, the ID of the old object", id)
					}
				})
			})
		}
	}
}

// The apply runs on another machine, without the notes of the plan. It cannot know that the
// plan replaces the object, so it refuses the creation instead of attaching it twice.
func TestFaultLostReplacementElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		here := newHarness(t)
		before, first := &managed{harness: here, name: attachmentType}, &managed{harness: here, name: attachmentType}
		after := &managed{harness: here, name: attachmentType}
		before.planAndApply(engineers)
		here.startRun(nil)
		before.refresh()
		after.private = before.plan(engineers).PlannedPrivate // as with -replace
		planned := first.plan(inventory)
		after.plan(engineers)
		here.succeeds()

		there := harnessOver(t, here.service.Service, here.service.Service)
		first.harness, after.harness = there, there
		there.startRun(nil)
		first.apply(inventory, planned)
		after.private = nil
		replacement := after.plan(engineers)
		there.succeeds()
		after.apply(engineers, replacement)
		there.fails("Duplicate assessment", "Nothing was sent", "apply it on the machine that made the plan")
		if after.state != nil {
			t.Errorf("the state has %q, the ID of the old object", after.text("id"))
		}
	})
}

// If no plan could compare a creation with the position assessments of its position, the apply
// compares it. It refuses a duplicate, and it recovers a lost response.
func TestFaultLostCreationUncheckedAtPlan(t *testing.T) {
	t.Parallel()
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	without := func(name string, value any) map[string]any {
		config := maps.Clone(engineers)
		config[name] = value
		return config
	}
	for name, row := range map[string]struct {
		settings, config map[string]any // in the plan
	}{
		"a position":    {map[string]any{}, without("position_id", unknown)},
		"an assessment": {map[string]any{}, without("assessment_id", unknown)},
		"a benchmark":   {map[string]any{}, without("benchmark", map[string]any{"id": unknown})},
		"a setting":     {map[string]any{"base_url": unknown}, engineers},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHarness(t)
				first, second := &managed{harness: w, name: attachmentType}, &managed{harness: w, name: attachmentType}
				third := &managed{harness: w, name: attachmentType}
				w.service.Change(t, attachByOther)
				w.startRun(nil)
				before := first.plan(inventory)
				w.succeeds()
				w.configure(row.settings)
				second.plan(row.config)
				w.succeeds()

				w.startRun(nil)
				first.apply(inventory, before)
				planned := second.plan(engineers) // planned again, without another check
				w.succeeds()
				second.apply(engineers, planned)
				w.fails("Duplicate assessment", "Nothing was sent")
				if second.state != nil {
					t.Errorf("the state has %s", second.value())
				}

				w.startRun(nil)
				first.refresh()
				w.succeeds()
				w.configure(row.settings)
				third.plan(row.config)
				w.startRun(nil)
				w.service.Change(t, func(st *sandbox.State) {
					all := &st.Position(backend).Assessments
					*all = slices.DeleteFunc(*all, func(pa sandbox.PositionAssessment) bool { return pa.Assessment == "asm-lumen" })
				})
				w.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Reset: true, When: sandboxtest.AfterEffect})
				third.apply(engineers, third.plan(engineers))
				w.succeeds()
				if n := len(w.service.State(t).Position(backend).Assessments); n != 2 || third.state == nil {
					t.Errorf("the service has %d position assessments, want 2, and the state has %s", n, third.value())
				}
			})
		})
	}
}

// A service may show packages, benchmark and tests in responses to writes but never in
// reads. Such a service does not show what a lost response did. The read after the
// first write proves it.
func TestFaultLostCreationEchoed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newHarness(t, func(o *sandboxtest.Options) { o.Assumptions = sandboxtest.Mute })
		first, second := &managed{harness: w, name: attachmentType}, &managed{harness: w, name: attachmentType}
		w.startRun(nil)
		one, other := first.plan(engineers), second.plan(managers)
		w.succeeds()
		w.startRun(nil)
		w.service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: sandboxtest.AfterEffect, Body: []byte(
			`{"id":"pas-0001","organizationAssessment":"asm-lumen","metadata":{"benchmark":"bmk-lumen-engineers-en-gb"}}`,
		)})
		first.apply(engineers, one)
		w.succeeds()
		w.service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: sandboxtest.AfterEffect, Reset: true})
		second.apply(managers, other)
		w.fails("Unknown whether the assessment was attached", "the service does not show how it is configured")
		if n := len(w.service.State(t).Position(backend).Assessments); n != 2 {
			t.Errorf("the service has %d position assessments, want 2", n)
		}
	})
}
