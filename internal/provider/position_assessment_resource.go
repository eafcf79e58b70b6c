// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/rules"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// positionAssessmentResource is an assessment attached to a position (section
// 2.3 of the specification).
type positionAssessmentResource struct{ resourceBase }

var (
	_ resource.ResourceWithConfigure      = (*positionAssessmentResource)(nil)
	_ resource.ResourceWithIdentity       = (*positionAssessmentResource)(nil)
	_ resource.ResourceWithImportState    = (*positionAssessmentResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*positionAssessmentResource)(nil)
	_ resource.ResourceWithValidateConfig = (*positionAssessmentResource)(nil)
)

func (r *positionAssessmentResource) Metadata(
	_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_position_assessment"
}

func (r *positionAssessmentResource) Create(
	ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse,
) {
	defer r.engine.report(&resp.Diagnostics)
	var plan positionAssessmentModel
	resp.Diagnostics.Append(get(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.engine.require("attach the assessment", &resp.Diagnostics) {
		return
	}
	metadata, _ := plan.metadata() // everything is known during an apply
	c := engine.Creation{
		Position:   plan.PositionID.ValueString(),
		Assessment: plan.AssessmentID.ValueString(),
		Metadata:   metadata,
	}
	attached, err := r.engine.Attach(ctx, c, plan.needs())
	if err != nil {
		resp.Diagnostics.Append(r.engine.attachFailure(c, err))
		return
	}
	what := fmt.Sprintf("Assessment %s was attached to position %s as position assessment %q",
		r.engine.AssessmentLabel(c.Assessment), r.engine.PositionLabel(c.Position), attached.ID)
	if attached.Recovered != nil {
		resp.Diagnostics.Append(newWarning("Recovered after a lost response", fmt.Sprintf(
			"The response to a request was lost. The provider then found exactly one new position assessment that matches the "+
				"request, and added it to the state. %s.\n\n%s\n\nYou do not need to do anything, unless a teammate has "+
				"attached the same assessment at the same time.", what, Answer(attached.Recovered))))
	}
	if attached.Incomplete != nil {
		resp.Diagnostics.Append(incomplete(what, attached.Incomplete))
	}
	plan.settle(attached.PositionAssessment, r.engine.privacy)
	savePrivate(ctx, resp.Private, memoryKey, attached.Memory, &resp.Diagnostics)
	resp.Diagnostics.Append(set(ctx, resp.Identity, plan.identity())...)
	resp.Diagnostics.Append(set(ctx, &resp.State, &plan)...)
}

func (r *positionAssessmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.engine.report(&resp.Diagnostics)
	var state positionAssessmentModel
	resp.Diagnostics.Append(get(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(set(ctx, resp.Identity, state.identity())...)
	if !r.engine.connected() {
		return
	}
	ref, imported := state.ref(), state.AssessmentID.IsNull()
	metadata, _ := state.metadata() // everything is known in a state
	found, err := r.engine.ReadPositionAssessment(ctx, ref, engine.Prior{
		Assessment: state.AssessmentID.ValueString(),
		Metadata:   metadata,
		Memory:     loadPrivate[engine.Memory](ctx, req.Private, memoryKey, &resp.Diagnostics),
	})
	switch {
	case errors.Is(err, engine.ErrNotInSnapshot): // the state stays as it is
		return
	case errors.Is(err, engine.ErrGone):
		resp.Diagnostics.Append(r.engine.goneWarning(ref, state.AssessmentID.ValueString()))
		markGone(ctx, resp.Private, &resp.Diagnostics)
		resp.State.RemoveResource(ctx)
		return
	case assessapi.IsNotFound(err) && imported:
		resp.Diagnostics.Append(r.importFailure(ctx, ref, err))
		return
	case err != nil:
		resp.Diagnostics.Append(
			failure("Could not read the position assessment",
				"Could not read "+r.engine.named(ref)+".", err),
		)
		return
	}
	memory := state.refresh(found, r.engine.privacy)
	if found.Unclear {
		resp.Diagnostics.Append(newWarning("Configuration of the assessment not shown", fmt.Sprintf(
			"Position assessment %q of position %s was imported, but this service does not return packages, benchmark and "+
				"tests. So the import omits these blocks.\n\nTo fix this: before the next apply, compare the blocks of the "+
				"resource with the service.", ref.ID, r.engine.PositionLabel(ref.Position))))
	}
	savePrivate(ctx, resp.Private, memoryKey, memory, &resp.Diagnostics)
	resp.Diagnostics.Append(set(ctx, &resp.State, &state)...)
}

func (r *positionAssessmentResource) Update(
	ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse,
) {
	defer r.engine.report(&resp.Diagnostics)
	var state, plan positionAssessmentModel
	resp.Diagnostics.Append(get(ctx, req.State, &state)...)
	resp.Diagnostics.Append(get(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.engine.require("update the position assessment", &resp.Diagnostics) {
		return
	}
	memory := loadPrivate[engine.Memory](ctx, req.Private, memoryKey, &resp.Diagnostics)
	ref, change := state.ref(), state.changeTo(plan, memory.Supervised)
	if !change.send {
		if err := r.engine.Begin(); err != nil {
			resp.Diagnostics.Append(r.engine.updateFailure(ref, err))
			return
		}
		plan.ProfileStatus, plan.ProfileURL = state.ProfileStatus, r.engine.privacy.personal(state.ProfileURL)
	} else {
		updated, err := r.engine.Update(ctx, engine.Change{
			Ref: ref, Assessment: plan.AssessmentID.ValueString(), Metadata: change.metadata,
			WasCompleted: state.ProfileStatus.ValueString() == assessapi.SupervisorCompleted, Needs: plan.needs(),
		})
		if err != nil {
			resp.Diagnostics.Append(r.engine.updateFailure(ref, err))
			return
		}
		if updated.Incomplete != nil {
			what := fmt.Sprintf("Position assessment %q of position %s was updated", ref.ID,
				r.engine.PositionLabel(ref.Position))
			resp.Diagnostics.Append(incomplete(what, updated.Incomplete))
		}
		plan.settle(updated.PositionAssessment, r.engine.privacy)
		memory = engine.Memory{Shown: memory.Shown || updated.Shown}
	}
	savePrivate(ctx, resp.Private, memoryKey, memory, &resp.Diagnostics)
	resp.Diagnostics.Append(set(ctx, resp.Identity, plan.identity())...)
	resp.Diagnostics.Append(set(ctx, &resp.State, &plan)...)
}

func (r *positionAssessmentResource) Delete(
	ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse,
) {
	defer r.engine.report(&resp.Diagnostics)
	var state positionAssessmentModel
	resp.Diagnostics.Append(get(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() || !r.engine.require("remove the position assessment", &resp.Diagnostics) {
		return
	}
	ref, assessment := state.ref(), state.AssessmentID.ValueString()
	err := r.engine.Remove(ctx, ref, assessment)
	switch {
	case err == nil:
	case state.forgets() && r.engine.IsRefusedRemoval(ctx, err, assessment):
		resp.Diagnostics.Append(r.engine.forgotten(ref, assessment, err))
	default:
		resp.Diagnostics.Append(r.engine.removalFailure(ref, assessment, err))
	}
}

func (r *positionAssessmentResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	defer r.engine.report(&resp.Diagnostics)
	var identity positionAssessmentIdentity
	if req.ID != "" {
		position, id, err := rules.SplitImportID(req.ID)
		if err != nil {
			resp.Diagnostics.Append(importIDFailure(req.ID, "POSITION_ID/POSITION_ASSESSMENT_ID", err))
			return
		}
		identity = positionAssessmentIdentity{types.StringValue(position), types.StringValue(id)}
	} else {
		resp.Diagnostics.Append(get(ctx, req.Identity, &identity)...)
	}
	if resp.Diagnostics.HasError() || !r.engine.require("import the position assessment", &resp.Diagnostics) {
		return
	}
	ref := engine.Ref{Position: identity.PositionID.ValueString(), ID: identity.ID.ValueString()}
	if r.engine.PlanImport(ref) {
		resp.Diagnostics.Append(r.engine.importedAndDestroyed(ref))
		return
	}
	resp.Diagnostics.Append(set(ctx, resp.Identity, identity)...)
	setAttributes(
		ctx, &resp.State, map[string]types.String{"position_id": identity.PositionID, "id": identity.ID}, &resp.Diagnostics,
	)
}

func setAttributes(ctx context.Context, state *tfsdk.State, values map[string]types.String, diags *diag.Diagnostics) {
	for name, value := range values {
		diags.Append(state.SetAttribute(ctx, path.Root(name), value)...)
	}
}
