// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
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

type positionAssessmentIdentity struct {
	PositionID types.String `tfsdk:"position_id"`
	ID         types.String `tfsdk:"id"`
}

func (r *positionAssessmentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_position_assessment"
}

func (r *positionAssessmentResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"position_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the position."},
		"id":          identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the position assessment."},
	}}
}

func (r *positionAssessmentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	id := []validator.String{identifier{}}
	ids := []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(identifier{})}
	replace := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "An assessment attached to a position, with the configuration that its kind needs.\n\n" +
			"A plan refuses what the service would refuse, and what a supervisor has completed is never undone silently.",
		Attributes: map[string]schema.Attribute{
			"id":            schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Id of the position assessment."},
			"position_id":   schema.StringAttribute{Required: true, Validators: id, PlanModifiers: replace, MarkdownDescription: "Id of the position. Changing it replaces the resource."},
			"assessment_id": schema.StringAttribute{Required: true, Validators: id, PlanModifiers: replace, MarkdownDescription: "Id of the assessment to attach. Changing it replaces the resource."},
			"profile_status": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "For values inventories and work preferences profiles: `SUPERVISOR_TO_COMPLETE`, `SUPERVISOR_COMPLETED` or `PROFILE_ATTACHED`, " +
					"as the service says it. Null for other assessments.",
			},
			"profile_url": schema.StringAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "Address at which a supervisor completes or updates the profile. Whoever has it can do so. Null for other assessments.",
			},
			"self_link": schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Address (URL) of the position assessment in the service."},
		},
		Blocks: map[string]schema.Block{
			"packages": schema.SingleNestedBlock{
				MarkdownDescription: "Packages that make up a multi-game cognitive assessment, which needs this block. May stand beside `benchmark`.",
				Attributes: map[string]schema.Attribute{
					"ids": schema.SetAttribute{
						Optional: true, Computed: true, ElementType: types.StringType, Validators: ids,
						MarkdownDescription: "Ids of the packages, every mandatory one among them. Exactly one of `ids` and `select` is given.",
					},
					"select": schema.StringAttribute{
						Optional: true, Validators: []validator.String{stringvalidator.OneOf(selectAll, selectMandatory)},
						MarkdownDescription: "`all` or `mandatory`: the packages that the service lists, resolved in every plan. " +
							"With `all`, a package that is added to the service later shows as a change.",
					},
				},
			},
			"benchmark": schema.SingleNestedBlock{
				MarkdownDescription: "Client-specific benchmark. Its locale must be the position's. Without this block there is none.",
				Attributes: map[string]schema.Attribute{
					"id": schema.StringAttribute{Optional: true, Validators: id, MarkdownDescription: "Id of the benchmark. Needed where the block is there."},
				},
			},
			"profile": schema.SingleNestedBlock{
				MarkdownDescription: "Existing profile for a values inventory or a work preferences profile. Without this block a supervisor completes the profile at `profile_url`. Excludes every other block.",
				Attributes: map[string]schema.Attribute{
					"id": schema.StringAttribute{Optional: true, Validators: id, MarkdownDescription: "Id of the profile. Needed where the block is there."},
					"on_supervisor_change": schema.StringAttribute{
						Optional: true, Computed: true, Default: stringdefault.StaticString(onChangeKeep),
						Validators: []validator.String{stringvalidator.OneOf(onChangeKeep, onChangeReattach)},
						MarkdownDescription: "What happens once a supervisor has replaced the attached profile: `keep`, the default, leaves it so; " +
							"`reattach` plans to attach `id` again, which discards the supervisor's work.",
					},
				},
			},
			"tests": schema.SingleNestedBlock{
				MarkdownDescription: "Skills tests of a skills assessment, which needs this block. Excludes every other block.",
				Attributes: map[string]schema.Attribute{
					"ids": schema.SetAttribute{
						Optional: true, ElementType: types.StringType, Validators: ids,
						MarkdownDescription: "Ids of the tests, one or more, each enabled for the organisation. Refer to the `test_id` of an " +
							"`assess_skills_test_activation` where the same configuration enables it. Needed where the block is there.",
					},
				},
			},
		},
	}
}

func (r *positionAssessmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	var state positionAssessmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, positionAssessmentIdentity{state.PositionID, state.ID})...)
	if !r.walk.connected() {
		return
	}
	what := state.attachment()
	r.walk.refreshed.Store(true)
	r.walk.remember(what)
	imported := state.AssessmentID.IsNull()
	asked := fmt.Sprintf("The position assessment %q of the position %q was to be read.", what.id, what.position)

	pa, err := r.walk.attached.one(ctx, what.position, what.id)
	switch {
	case assessapi.IsNotFound(err) && !imported:
		if doubt := r.walk.confirmGone(ctx, state.AssessmentID.ValueString()); doubt != nil {
			resp.Diagnostics.Append(failure("Cannot read the position assessment", asked, doubt))
			return
		}
		resp.Diagnostics.AddWarning("The position assessment is gone",
			fmt.Sprintf("The position assessment %q (assessment %q) is no longer attached to the position %q: it was removed outside this configuration, or the position was. "+
				"The next apply adds it again, unless it is removed from the configuration.", what.id, state.AssessmentID.ValueString(), what.position))
		resp.State.RemoveResource(ctx)
		return
	case assessapi.IsNotFound(err):
		resp.Diagnostics.Append(r.walk.notAttached(ctx, what, err))
		return
	case err != nil:
		resp.Diagnostics.Append(failure("Cannot read the position assessment", asked, err))
		return
	}
	before := readKnowledge(ctx, req.Private, &resp.Diagnostics)
	known := state.refresh(pa, before.Carried || r.walk.attached.carried.Load())
	if imported && !known.Carried && state.ProfileStatus.IsNull() && (!r.walk.planChecks || !r.walk.carriesNothing(ctx, pa.AssessmentID)) {
		resp.Diagnostics.AddWarning("Cannot say how the assessment is configured",
			fmt.Sprintf("%s The service has returned no packages, benchmark or tests in this run, so it cannot be told whether there are none. "+
				"Check the blocks of the resource before the next apply.", asked))
	}
	writeKnowledge(ctx, resp.Private, known, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *positionAssessmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	var state, plan positionAssessmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.walk.begin(&resp.Diagnostics) {
		return
	}
	known := readKnowledge(ctx, req.Private, &resp.Diagnostics)
	if c := state.changeTo(plan, known.Supervised); c.send {
		answer, ok := r.put(ctx, state, plan, c, &resp.Diagnostics)
		if !ok {
			return
		}
		plan.settle(answer)
		known.Supervised = false
		known.Carried = known.Carried || answer.Metadata.Configured()
	} else {
		plan.ProfileStatus, plan.ProfileURL = state.ProfileStatus, state.ProfileURL
	}
	writeKnowledge(ctx, resp.Private, known, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, positionAssessmentIdentity{plan.PositionID, plan.ID})...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// put sends the update. One that carries a profile looks first: a supervisor
// may have completed the profile since the plan was made.
func (r *positionAssessmentResource) put(ctx context.Context, state, plan positionAssessmentModel, c change, diags *diag.Diagnostics) (assessapi.PositionAssessment, bool) {
	const summary = "Cannot update the position assessment"
	what := state.attachment()
	asked := fmt.Sprintf("The assessment %q of the position %q (position assessment %q) was to be configured anew.", plan.AssessmentID.ValueString(), what.position, what.id)
	var current assessapi.PositionAssessment
	if c.metadata.Profile != nil {
		var err error
		if current, err = r.walk.attached.fresh(ctx, what.position, what.id); err != nil {
			diags.Append(failure(summary, asked, err))
			return current, false
		}
		status := current.Metadata.ProfileStatus
		if status != nil && *status == assessapi.SupervisorCompleted && state.ProfileStatus.ValueString() != assessapi.SupervisorCompleted {
			r.walk.changed(what.position)
			diags.AddError(summary, asked+"\n\nSince the plan was made, a supervisor has completed the profile: the update would discard that work. Nothing was sent.\n\n"+
				"Plan again, and decide with the new plan in view.")
			return current, false
		}
	}
	answer, err := r.walk.client.UpdatePositionAssessment(ctx, what.position, what.id, plan.AssessmentID.ValueString(), c.metadata)
	r.walk.changed(what.position)
	if err != nil {
		diags.Append(failure(summary, asked, err))
		return answer, false
	}
	r.walk.attached.noteWritten(answer)
	if answer.HasMetadata {
		return answer, true
	}
	if plan.ProfileStatus.IsUnknown() {
		if current, err = r.walk.attached.fresh(ctx, what.position, what.id); err != nil {
			diags.AddWarning("Cannot read the updated position assessment",
				explain(asked+" That has happened, but its profile's status and address could not be read; the next refresh will.", err))
		}
	}
	answer.Metadata = current.Metadata
	return answer, true
}

func (r *positionAssessmentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	var state positionAssessmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.walk.begin(&resp.Diagnostics) {
		return
	}
	what := state.attachment()
	asked := fmt.Sprintf("The assessment %q was to be removed from the position %q (position assessment %q).", state.AssessmentID.ValueString(), what.position, what.id)
	err := r.walk.client.RemovePositionAssessment(ctx, what.position, what.id)
	r.walk.changed(what.position)
	if assessapi.IsNotFound(err) {
		err = r.walk.confirmGone(ctx, state.AssessmentID.ValueString())
	}
	if err != nil {
		resp.Diagnostics.Append(removalFailure(asked, err))
	}
}

func (r *positionAssessmentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	var identity positionAssessmentIdentity
	if req.ID != "" {
		position, id, err := splitImportID(req.ID)
		if err != nil {
			resp.Diagnostics.AddError("Cannot import the position assessment", fmt.Sprintf("%q is no import id: %v. One looks like POSITION/POSITION_ASSESSMENT.", req.ID, err))
			return
		}
		identity = positionAssessmentIdentity{types.StringValue(position), types.StringValue(id)}
	} else {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	}
	if resp.Diagnostics.HasError() || !r.walk.mayImport(&resp.Diagnostics) {
		return
	}
	what := attachment{position: identity.PositionID.ValueString(), id: identity.ID.ValueString()}
	if r.walk.importing(what) {
		resp.Diagnostics.Append(importedAndDestroyed(what))
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
	setAttributes(ctx, &resp.State, map[string]types.String{"position_id": identity.PositionID, "id": identity.ID}, &resp.Diagnostics)
}

// privateState is the part of a request's or response's private state that is
// used here.
type privateReader interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(context.Context, string, []byte) diag.Diagnostics
}

const knowledgeKey = "service"

func readKnowledge(ctx context.Context, private privateReader, diags *diag.Diagnostics) serviceKnowledge {
	var known serviceKnowledge
	text, d := private.GetKey(ctx, knowledgeKey)
	diags.Append(d...)
	if len(text) > 0 && json.Unmarshal(text, &known) != nil {
		return serviceKnowledge{} // written by a version that knew other things
	}
	return known
}

func writeKnowledge(ctx context.Context, private privateWriter, known serviceKnowledge, diags *diag.Diagnostics) {
	text, err := json.Marshal(known)
	if err != nil {
		diags.AddError("Cannot save the private state", err.Error())
		return
	}
	diags.Append(private.SetKey(ctx, knowledgeKey, text)...)
}

func setAttributes(ctx context.Context, state *tfsdk.State, values map[string]types.String, diags *diag.Diagnostics) {
	for name, value := range values {
		diags.Append(state.SetAttribute(ctx, rootPath(name), value)...)
	}
}
