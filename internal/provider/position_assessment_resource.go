// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// positionAssessmentResource is an assessment attached to a position (section 2.3 of the specification).
type positionAssessmentResource struct{ resourceBase }

var (
	_ resource.ResourceWithModifyPlan     = (*positionAssessmentResource)(nil)
	_ resource.ResourceWithValidateConfig = (*positionAssessmentResource)(nil)
)

func newPositionAssessment() *positionAssessmentResource {
	return &positionAssessmentResource{resourceBase{name: "position_assessment", parts: [2]part{
		{"position_id", "ID of the position.", "POSITION_ID"},
		{"id", "ID of the position assessment.", "POSITION_ASSESSMENT_ID"},
	}}}
}

func (r *positionAssessmentResource) Create(
	ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse,
) {
	defer r.run.report(&resp.Diagnostics)
	var plan positionAssessmentModel
	resp.Diagnostics.Append(get(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.run.require("attach the assessment", &resp.Diagnostics) {
		return
	}
	metadata, _ := plan.metadata() // everything is known during an apply
	c := engine.Creation{
		Position: plan.PositionID.ValueString(), Assessment: plan.AssessmentID.ValueString(), Metadata: metadata,
	}
	attached, err := r.run.Attachments.Attach(ctx, c, plan.needs())
	if err != nil {
		resp.Diagnostics.Append(r.run.attachFailure(c, err))
		return
	}
	assessment, position := r.run.Catalog.AssessmentLabel(c.Assessment), r.run.Catalog.PositionLabel(c.Position)
	what := fmt.Sprintf("Assessment %s was attached to position %s as position assessment %q",
		assessment, position, attached.ID)
	if attached.Recovered != nil {
		resp.Diagnostics.Append(recovered("position assessment", what, "attached the same assessment", attached.Recovered))
	}
	r.save(ctx, plan, what, attached.Written, resp)
}

// save completes what was planned by what was written, and stores it. what says which write succeeded.
func (r *positionAssessmentResource) save(
	ctx context.Context, plan positionAssessmentModel, what string, w catalog.Written, resp *resource.CreateResponse,
) {
	if w.Incomplete != nil {
		resp.Diagnostics.Append(incomplete(what, w.Incomplete))
	}
	plan.settle(w.PositionAssessment, r.run.privacy)
	savePrivate(ctx, resp.Private, memoryKey, w.Memory, &resp.Diagnostics)
	resp.Diagnostics.Append(set(ctx, resp.Identity, &plan)...)
	resp.Diagnostics.Append(set(ctx, &resp.State, &plan)...)
}

func (r *positionAssessmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.run.report(&resp.Diagnostics)
	var state positionAssessmentModel
	resp.Diagnostics.Append(get(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(set(ctx, resp.Identity, &state)...)
	if !r.run.Connected() {
		return
	}
	ref, imported := state.ref(), state.AssessmentID.IsNull()
	metadata, _ := state.metadata() // everything is known in a state
	found, err := r.run.Attachments.Read(ctx, ref, engine.Prior{
		Assessment: state.AssessmentID.ValueString(), Metadata: metadata,
		Memory: loadPrivate[catalog.Memory](ctx, req.Private, memoryKey, &resp.Diagnostics),
	})
	if assessapi.IsNotFound(err) && imported {
		resp.Diagnostics.Append(r.importFailure(ctx, ref, err))
		return
	}
	if err != nil {
		unread(ctx, resp, err, r.run.goneWarning(ref, state.AssessmentID.ValueString()),
			failure("Could not read the position assessment", "Could not read "+r.run.named(ref)+".", err))
		if errors.Is(err, catalog.ErrGone) {
			savePrivate(ctx, resp.Private, goneKey, true, &resp.Diagnostics)
			savePrivate(ctx, resp.Private, replacedKey, engine.Object{}, &resp.Diagnostics) // of an earlier plan
		}
		return
	}
	state.refresh(found, r.run.privacy)
	if found.Unclear {
		resp.Diagnostics.Append(newWarning("Configuration of the assessment not shown", fmt.Sprintf(
			"Position assessment %q of position %s was imported, but this service does not return packages, benchmark and "+
				"tests. So the import omits these blocks.\n\nTo fix this: before the next apply, look up these settings on the "+
				"website of the service, and add the blocks to the configuration.",
			ref.ID, r.run.Catalog.PositionLabel(ref.Position))))
	}
	savePrivate(ctx, resp.Private, memoryKey, found.Memory, &resp.Diagnostics)
	resp.Diagnostics.Append(set(ctx, &resp.State, &state)...)
}

func (r *positionAssessmentResource) Update(
	ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse,
) {
	defer r.run.report(&resp.Diagnostics)
	var state, plan positionAssessmentModel
	resp.Diagnostics.Append(get(ctx, req.State, &state)...)
	resp.Diagnostics.Append(get(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.run.require("update the position assessment", &resp.Diagnostics) {
		return
	}
	stored := loadPrivate[*catalog.Memory](ctx, req.Private, memoryKey, &resp.Diagnostics)
	memory := cmp.Or(stored, &catalog.Memory{Supervised: state.supervised(nil)})
	change, updated := state.changeTo(plan, state.supervised(stored)), catalog.Written{Memory: *memory}
	var err error
	what := r.run.named(state.ref())
	if change.Send {
		before, _ := state.metadata() // everything is known in a state
		updated, err = r.run.Attachments.Update(ctx, engine.Change{
			Object: state.object(), Before: before, Metadata: change.Metadata, Needs: plan.needs(),
		})
		updated.Memory.Shown = updated.Memory.Shown || memory.Shown
	} else {
		err = r.run.BeginApply()
		plan.ProfileStatus, plan.ProfileURL = state.ProfileStatus, r.run.privacy.personal(state.ProfileURL)
	}
	if err != nil {
		resp.Diagnostics.Append(changeFailure("Could not update the position assessment", "Could not update "+what+".",
			"A supervisor has completed the profile since the plan was made. The update would discard", err))
		return
	}
	r.save(ctx, plan, "The provider has updated "+what, updated, (*resource.CreateResponse)(resp))
}

func (r *positionAssessmentResource) Delete(
	ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse,
) {
	defer r.run.report(&resp.Diagnostics)
	var state positionAssessmentModel
	resp.Diagnostics.Append(get(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() || !r.run.require("remove the position assessment", &resp.Diagnostics) {
		return
	}
	metadata, _ := state.metadata() // everything is known in a state
	forgotten, err := r.run.Attachments.Remove(ctx, state.object(), metadata)
	switch {
	case err != nil:
		resp.Diagnostics.Append(r.run.removalFailure(state.object(), err))
	case forgotten != nil:
		resp.Diagnostics.Append(r.run.forgotten(state.object(), forgotten))
	}
}

// ImportState also tells the run what the plan imports, because no other address may remove it.
func (r *positionAssessmentResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	r.resourceBase.ImportState(ctx, req, resp)
	var state positionAssessmentModel
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(get(ctx, resp.State, &state)...)
	i := engine.Intent{Action: engine.Import, Object: engine.Object{Ref: state.ref()}}
	addFindings(r.run.Attachments.Plan(ctx, i).Findings, &resp.Diagnostics)
	r.run.report(&resp.Diagnostics)
}
