// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// checkDestroy refuses to destroy what the service would refuse to remove.
func (r *positionAssessmentResource) checkDestroy(
	ctx context.Context, state positionAssessmentModel, diags *diag.Diagnostics,
) {
	if !r.engine.connected() {
		return
	}
	if r.engine.PlanDestroy(state.ref()) {
		diags.Append(importedAndDestroyed(state.ref()))
		return
	}
	r.checkRemoval(ctx, state.replacedObject(), false, diags)
}

// checkRemoval refuses to remove what candidates have been invited to, or says
// that it will be dropped from the state. forget is whether the plan says so
// besides the state.
func (r *positionAssessmentResource) checkRemoval(
	ctx context.Context, old replacedObject, forget bool, diags *diag.Diagnostics,
) {
	if forget = forget || old.Forget; forget {
		r.engine.PlanForget(old.Ref)
	}
	invited := r.engine.Invited(ctx, old.Ref, old.Assessment)
	addFindings(rules.Removable(rules.Removal{
		Position: old.Position, Assessment: old.Assessment, ID: old.ID,
		Invited: invited.Candidates, Completed: invited.Completed, Forget: forget,
	}), diags)
}

// checkUpdate refuses what the service would refuse to change, and warns if
// candidates have completed what changes.
func (r *positionAssessmentResource) checkUpdate(
	ctx context.Context, state, plan positionAssessmentModel, diags *diag.Diagnostics,
) {
	if !r.engine.connected() || !r.engine.LooksUp() {
		return
	}
	addFindings(rules.Update(ctx, r.engine, state.desired(), r.desired(plan)), diags)
	has, _ := state.metadata()
	wants, known := plan.metadata()
	has.Profile, wants.Profile = nil, nil
	if known && has.Equal(wants) {
		return
	}
	assessment := state.AssessmentID.ValueString()
	invited := r.engine.Invited(ctx, state.ref(), assessment)
	addFindings(rules.Comparable(state.PositionID.ValueString(), assessment, invited.Completed), diags)
}
