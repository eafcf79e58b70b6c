// SPDX-License-Identifier: MPL-2.0

// Package positionassessment attaches assessments to positions.
//
// resource.go contains the methods of the resource. They call functions that use no Terraform types: read.go and
// gone.go read what exists, attach.go and adopt.go attach or adopt an assessment, and change.go updates and removes a
// position assessment. readback.go completes the state after a write. plan.go collects the facts for the rules of
// package rules. model.go converts between the state and the client. private.go defines the private state, and
// messages.go contains errors and warnings.
package positionassessment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Resource is an assessment attached to a position (section 2.3 of the specification).
type Resource struct{ tf.Resource }

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// New returns the resource.
func New() resource.Resource { return &Resource{} }

func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_position_assessment"
}

func (r *Resource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"position_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the position."},
		"id":          identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the position assessment."},
	}}
}

// Create attaches the assessment, or adopts the position assessment that exists already (see [adopt]). After [attach]
// has succeeded, Create saves the state even if reads then fail, and adds only warnings.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Run.RequireWrite("attach the assessment", &resp.Diagnostics) {
		return
	}
	key := plan.key()
	unlock, err := r.Run.Attached.Lock(ctx, key)
	if err != nil {
		resp.Diagnostics.Append(attachFailure(r.Run.Run, key, err))
		return
	}
	defer unlock()
	wanted, _ := plan.configuration() // everything is known in an apply
	got, err := attach(ctx, r.Run.Run, key, wanted)
	if err != nil {
		resp.Diagnostics.Append(attachFailure(r.Run.Run, key, err))
		return
	}
	at := ref{key.Position, got.ID}
	r.warnCreated(ctx, at, key.Assessment, got, wanted, &resp.Diagnostics)
	what := "The state now has " + named(r.Run.Run, at, key.Assessment) + "."
	shown := r.readBack(ctx, at, plan, got.PositionAssessment, what, &resp.Diagnostics)
	plan.settle(shown, r.Run.Privacy)
	private := privateState{Readable: r.readBackKeys(plan)}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	tf.SavePrivate(ctx, resp.Private, privateStateKey, private, &resp.Diagnostics)
	r.Run.SaveOrigin(ctx, resp.Private, &resp.Diagnostics)
}

// Read refreshes the state. It removes the resource from the state only if several reads together show that the
// position assessment is gone. Every other failure is an error that changes no state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	if !r.Run.Connected() {
		return // while a setting is unknown, the plan shows the state
	}
	r.Run.BeginRead()
	r.Run.CheckOrigin(ctx, req.Private, &resp.Diagnostics)
	at, assessment, imported := state.ref(), state.AssessmentID.ValueString(), state.isImport()
	private := tf.LoadPrivate[privateState](ctx, req.Private, privateStateKey, &resp.Diagnostics)
	needs := run.Needs{
		Keys: private.readableKeys(state), Status: state.ProfileStatus.ValueString() != "", URL: r.Run.Privacy != tf.Strict,
	}
	pa, err := read(ctx, r.Run.Run, at, prior{assessment, needs})
	switch {
	case errors.Is(err, errGone):
		r.Run.Gone.Add(state.key())
		resp.Diagnostics.Append(goneWarning(r.Run.Run, at, assessment))
		resp.State.RemoveResource(ctx)
		return
	case err != nil && imported:
		resp.Diagnostics.Append(importFailure(r.Run.Run, at, err))
		return
	case err != nil:
		resp.Diagnostics.Append(readFailure(r.Run.Run, at, assessment, err))
		return
	}
	private.refresh(pa.Metadata, imported)
	state.refresh(pa, private.isReadable, r.Run.Privacy)
	if state.AssessmentID.IsNull() { // an import, and the service does not show the assessment
		resp.Diagnostics.Append(hiddenImportFailure(r.Run.Run, at))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	tf.SavePrivate(ctx, resp.Private, privateStateKey, private, &resp.Diagnostics)
	r.Run.SaveOrigin(ctx, resp.Private, &resp.Diagnostics)
}

// Update sends the configuration if [rules.ChangeOf] says so. Otherwise, it changes only the state. It takes no lock,
// because it neither attaches nor removes a position assessment.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var state, plan model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Run.Require("update the position assessment", &resp.Diagnostics) {
		return
	}
	r.Run.BeginApply()
	if change := state.changeTo(plan); change.Send {
		r.sendUpdate(ctx, state, &plan, change.Configuration, req.Private, resp)
	} else { // this only changes the state, so it also works while the provider is read-only
		plan.ProfileStatus, plan.ProfileURL = state.ProfileStatus, r.Run.Privacy.Personal(state.ProfileURL)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	r.Run.SaveOrigin(ctx, resp.Private, &resp.Diagnostics)
}

// sendUpdate sends a configuration, fills in the attributes that the plan left unknown, and saves the new private
// state. If it adds an error, the caller saves nothing: [Resource.failUpdate] has saved what the service shows, if
// needed. It does not repeat [rules.Change.CheckProfile], because core plans again before it applies.
func (r *Resource) sendUpdate(
	ctx context.Context, state model, plan *model, wanted assessapi.Configuration, before tf.PrivateState,
	resp *resource.UpdateResponse,
) {
	private := tf.LoadPrivate[privateState](ctx, before, privateStateKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Run.RequireWrite("update the position assessment", &resp.Diagnostics) {
		return
	}
	at, key := state.ref(), state.key()
	had, _ := state.configuration() // a state is completely known
	updated, err := update(ctx, r.Run.Run, pendingUpdate{
		key: key, id: at.ID, status: state.ProfileStatus.ValueString(), wanted: wanted,
		had: rules.Keys(had), isReadable: private.isReadable,
	})
	if err != nil {
		r.failUpdate(ctx, state, private, err, resp)
		return
	}
	made := "The update was made: " + named(r.Run.Run, at, key.Assessment) + "."
	shown := r.readBack(ctx, at, *plan, updated, made, &resp.Diagnostics)
	plan.settle(shown, r.Run.Privacy)
	readable := slices.Sorted(slices.Values(slices.Concat(private.Readable, r.readBackKeys(*plan))))
	private.Readable = slices.Compact(readable)
	private.ImportedHidden = false // the service now has what the configuration says
	tf.SavePrivate(ctx, resp.Private, privateStateKey, private, &resp.Diagnostics)
}

// failUpdate adds the error of an update. If the service has accepted the update without making it, failUpdate also
// saves the values that the service shows in the state.
func (r *Resource) failUpdate(
	ctx context.Context, state model, private privateState, err error, resp *resource.UpdateResponse,
) {
	what := "Could not update " + named(r.Run.Run, state.ref(), state.AssessmentID.ValueString()) + "."
	if notUpdated, ok := errors.AsType[*notUpdatedError](err); ok {
		what += " The state has what the service shows."
		state.refresh(notUpdated.shown, private.isReadable, r.Run.Privacy)
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
	failure := changeFailure("Could not update the position assessment", what, "The update would discard", err)
	resp.Diagnostics.Append(failure)
}

// Delete removes the assessment from the position. If a creation of this apply has attached or adopted the same
// position assessment, Delete sends nothing. In this case, or if the service rejects the removal and on_refused_removal
// is "forget", it warns that the resource is only removed from the state.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Run.RequireWrite("remove the position assessment", &resp.Diagnostics) {
		return
	}
	at, key := state.ref(), state.key()
	unlock, err := r.Run.Attached.Lock(ctx, key)
	if err != nil {
		resp.Diagnostics.Append(removalFailure(r.Run.Run, at, key.Assessment, err))
		return
	}
	defer unlock()
	if r.Run.Attached.LastWrite(key, at.ID) == run.Taken { // at another address, or with create_before_destroy
		warnKept(r.Run.Run, at, key.Assessment)
		return
	}
	status := state.ProfileStatus.ValueString()
	private := tf.LoadPrivate[privateState](ctx, req.Private, privateStateKey, &resp.Diagnostics)
	if private.PlanSawCompleted { // so the plan has shown that the removal discards the work
		status = assessapi.SupervisorCompleted
	}
	err = remove(ctx, r.Run.Run, key, at.ID, status)
	switch {
	case isRejection(err) && state.forgets():
		r.Run.Attached.Record(key, at.ID, run.RemovalRejected)
		resp.Diagnostics.Append(forgottenWarning(r.Run.Run, at, key.Assessment, err))
	case err != nil:
		resp.Diagnostics.Append(removalFailure(r.Run.Run, at, key.Assessment, err))
	}
}

// ImportState stores the two IDs of an import. The second part of an import ID can be the ID of the position assessment
// or the ID of its assessment (see [Resource.findImport]). Read, which core calls next, completes the state.
func (r *Resource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	defer r.Run.Report(&resp.Diagnostics)
	ids, ok := tf.ImportIDs(ctx, req, "position_id", "id", importForm, &resp.Diagnostics)
	if !ok || !r.Run.Require("import the position assessment", &resp.Diagnostics) {
		return
	}
	id := ids[1]
	if req.ID != "" { // not an identity, whose second part is always the position assessment
		found, problem := r.findImport(ctx, ids[0], ids[1])
		if problem != nil {
			resp.Diagnostics.Append(problem)
			return
		}
		id = found
	}
	for attribute, value := range map[string]string{"position_id": ids[0], "id": id} {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(attribute), value)...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), value)...)
	}
}

// findImport returns the ID of the position assessment that an import names. name is this ID, or else the ID of its
// assessment. If the service does not list the position's assessments, or the list has neither ID, findImport returns
// name, and Read decides. It is an error if the list cannot be read, if [look] fails, or if the position has the
// assessment more than once.
func (r *Resource) findImport(ctx context.Context, position, name string) (id string, problem diag.Diagnostic) {
	list, hasList, err := r.listAttached(ctx, position)
	switch {
	case !hasList || has(list, name):
		return name, nil
	case err != nil:
		return "", importFailure(r.Run.Run, ref{position, name}, err)
	}
	existing, _, err := look(ctx, r.Run.Run, run.Key{Position: position, Assessment: name}) // as the ID of an assessment
	switch {
	case err != nil:
		return "", tf.Failure(importFailed, fmt.Sprintf("Could not find assessment %q on "+
			"position %s.", name, r.Run.Lists.PositionLabel(position)), err)
	case len(existing) == 0:
		return name, nil
	case len(existing) > 1:
		return "", tf.Error("Several position assessments found", fmt.Sprintf("Position %s has assessment %q more than "+
			"once, as %s.\n\nTo fix this: import one of them by its own ID, such as %s.", r.Run.Lists.PositionLabel(position),
			name, strings.Join(idsOf(existing), ", "), messages.JoinImportID(position, existing[0].ID)))
	}
	return existing[0].ID, nil
}
