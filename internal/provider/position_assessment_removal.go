// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// checkDestroy refuses a removal that the service would refuse.
func (r *positionAssessmentResource) checkDestroy(
	ctx context.Context, state positionAssessmentModel, diags *diag.Diagnostics,
) {
	if !r.engine.connected() {
		return
	}
	if r.engine.PlanDestroy(state.ref()) {
		diags.Append(r.engine.importedAndDestroyed(state.ref()))
		return
	}
	r.checkRemoval(ctx, state.replacedObject(), diags)
}

// checkRemoval refuses a removal if candidates have been invited. With on_refused_removal =
// "forget", it warns that the apply drops the resource from the state. It reads that
// attribute from the state, because a destroy does not get the new configuration.
func (r *positionAssessmentResource) checkRemoval(ctx context.Context, old replacedObject, diags *diag.Diagnostics) {
	addFindings(rules.Removable(r.removal(ctx, old)), diags)
}

func (r *positionAssessmentResource) removal(ctx context.Context, old replacedObject) rules.Removal {
	invited := r.engine.Invited(ctx, old.Ref, old.Assessment, false)
	return rules.Removal{
		Position: r.engine.PositionLabel(old.Position), Assessment: r.engine.AssessmentLabel(old.Assessment),
		ID: old.ID, Forget: old.Forget,
		Invited: invited.Candidates, Completed: invited.Completed, AtLeast: invited.AtLeast,
	}
}

// checkUpdate refuses changes that the service would refuse, and warns if candidates have
// completed the assessment that changes.
func (r *positionAssessmentResource) checkUpdate(
	ctx context.Context, state, plan positionAssessmentModel, diags *diag.Diagnostics,
) {
	if !r.engine.connected() || !r.engine.LooksUp() {
		return
	}
	addFindings(rules.Update(ctx, r.engine, state.desired(), r.desired(plan)), diags)
	if plan.Packages.Equal(state.Packages) && plan.Benchmark.Equal(state.Benchmark) && plan.Tests.Equal(state.Tests) {
		return
	}
	has, _ := state.metadata()
	if wants, known := plan.metadata(); known && has.Equal(wants) {
		return // for example, ids have replaced select
	}
	assessment := state.AssessmentID.ValueString()
	invited := r.engine.Invited(ctx, state.ref(), assessment, true)
	addFindings(rules.Comparable(r.engine.PositionLabel(state.PositionID.ValueString()),
		r.engine.AssessmentLabel(assessment), invited.Completed), diags)
}
