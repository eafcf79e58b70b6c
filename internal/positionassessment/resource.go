// SPDX-License-Identifier: MPL-2.0

// Package positionassessment attaches assessments to positions, and is the noun to study.
//
//   - What the CLI sees: resource.go, schema.go, model.go, modify_plan.go, private.go, list.go, the data sources
//     and profile_link.go. diagnostics.go contains the texts.
//   - What a run knows and does: run.go reads. plan.go and intents.go plan. attach.go, change.go and sites.go apply.
//     complete.go reads what a response lacks. invitations.go counts candidates.
//   - What a plan refuses: package rules.
package positionassessment

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Resource is an assessment attached to a position (section 2.3 of the specification).
type Resource struct{ tf.Resource }

var _ resource.ResourceWithValidateConfig = (*Resource)(nil)

// New returns the resource.
func New() tf.Noun {
	return &Resource{tf.Resource{Name: "position_assessment", Parts: [2]tf.Part{
		{Attribute: "position_id", Description: "ID of the position."},
		{Attribute: "id", Description: "ID of the position assessment."},
	}}}
}

// known is what the run knows and does.
func (r *Resource) known() *positionAssessments { return of(r.Run.Run) }

func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	tf.Create(ctx, r.Run, req, resp, "attach the assessment", func(plan *model) error {
		c, _ := creationOf(plan.desired()) // everything is known during an apply
		attached, err := r.known().Attach(ctx, c, plan.needs())
		if err != nil {
			return err
		}
		assessment, position := r.Run.Catalog().AssessmentLabel(c.Assessment), r.Run.Catalog().PositionLabel(c.Position)
		what := fmt.Sprintf("Assessment %s was attached to position %s as position assessment %q",
			assessment, position, attached.ID)
		if attached.Recovered != nil {
			resp.Diagnostics.Append(creationWords.Recovered(what, attached.Recovered))
		}
		r.settle(ctx, plan, what, attached, resp)
		return nil
	}, func(plan model, err error) diag.Diagnostic {
		c, _ := creationOf(plan.desired())
		return attachFailure(r.Run, c, err)
	})
}

// settle completes what was planned by what was written. what says which write succeeded.
func (r *Resource) settle(ctx context.Context, plan *model, what string, w written, resp *resource.CreateResponse) {
	if w.Incomplete != nil {
		resp.Diagnostics.Append(incomplete(what, w.Incomplete))
	}
	plan.settle(w.PositionAssessment, r.Run.Privacy)
	savePrivate(ctx, resp.Private, memoryKey, w.Memory, &resp.Diagnostics)
}

func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	state, ok := tf.Refresh[model](ctx, r.Run, req, resp)
	if !ok {
		return
	}
	ref := state.ref()
	metadata, _ := state.metadata() // everything is known in a state
	found, err := r.known().Read(ctx, ref, prior{
		Assessment: state.AssessmentID.ValueString(), Metadata: metadata,
		Memory: loadPrivate[catalog.Memory](ctx, req.Private, memoryKey, &resp.Diagnostics),
	})
	if err != nil {
		r.Unread(ctx, req, resp, "position assessment", named(r.Run, ref), err,
			goneWarning(r.Run, ref, state.AssessmentID.ValueString()))
		if errors.Is(err, catalog.ErrGone) {
			savePrivate(ctx, resp.Private, goneKey, true, &resp.Diagnostics)
			savePrivate(ctx, resp.Private, replacedKey, ManagedObject{}, &resp.Diagnostics) // of an earlier plan
		}
		return
	}
	state.refresh(found, r.Run.Privacy)
	if found.Unclear {
		resp.Diagnostics.Append(tf.Warning("Configuration of the assessment not shown", fmt.Sprintf(
			"Position assessment %q of position %s was imported, but this service does not return packages, benchmark and "+
				"tests. So the import omits these blocks.\n\nTo fix this: before the next apply, look up these settings on the "+
				"website of the service, and add the blocks to the configuration.",
			ref.ID, r.Run.Catalog().PositionLabel(ref.Position))))
	}
	savePrivate(ctx, resp.Private, memoryKey, found.Memory, &resp.Diagnostics)
	resp.Diagnostics.Append(tf.Set(ctx, &resp.State, &state)...)
}

func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var state, plan model
	resp.Diagnostics.Append(tf.Get(ctx, req.State, &state)...)
	resp.Diagnostics.Append(tf.Get(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.Run.Require("update the position assessment", &resp.Diagnostics) {
		return
	}
	stored := loadPrivate[*catalog.Memory](ctx, req.Private, memoryKey, &resp.Diagnostics)
	memory := cmp.Or(stored, &catalog.Memory{Supervised: state.supervised(nil)})
	change, updated := state.changeTo(plan, state.supervised(stored)), written{Memory: *memory}
	what, err := named(r.Run, state.ref()), r.Run.BeginApply()
	switch {
	case err != nil:
	case change.Send:
		before, _ := state.metadata() // everything is known in a state
		o := state.object()
		o.Created = memory.Created
		updated, err = r.known().Update(ctx, update{
			Object: o, Before: before, Metadata: change.Metadata, Needs: plan.needs(), Memory: *memory,
		})
	default:
		plan.ProfileStatus, plan.ProfileURL = state.ProfileStatus, r.Run.Privacy.Personal(state.ProfileURL)
	}
	if err != nil {
		resp.Diagnostics.Append(changeFailure("Could not update the position assessment", "Could not update "+what+".",
			"A supervisor has completed the profile since the plan was made. The update would discard", err))
		return
	}
	r.settle(ctx, &plan, "The provider has updated "+what, updated, (*resource.CreateResponse)(resp))
	tf.Save(ctx, &plan, resp.Identity, &resp.State, &resp.Diagnostics)
}

func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	tf.Delete(ctx, r.Run, req, resp, "remove the position assessment", func(state *model) error {
		metadata, _ := state.metadata() // everything is known in a state
		o := state.object()
		memory := loadPrivate[catalog.Memory](ctx, req.Private, memoryKey, &resp.Diagnostics)
		o.Unread, o.Created = memory.Unread, memory.Created
		forgotten, err := r.known().Remove(ctx, o, metadata)
		if forgotten != nil {
			resp.Diagnostics.Append(forgottenWarning(r.Run, state.object(), forgotten))
		}
		return err
	}, func(state model, err error) diag.Diagnostic { return removalFailure(r.Run, state.object(), err) })
}

// ImportState also tells the run what the plan imports, because no other address may remove it.
func (r *Resource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	r.Resource.ImportState(ctx, req, resp)
	var state model
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(tf.Get(ctx, resp.State, &state)...)
	found, _ := r.known().Plan(ctx, intent{Action: Import, Object: ManagedObject{Ref: state.ref()}})
	tf.AddFindings(found, &resp.Diagnostics)
	r.Run.Report(&resp.Diagnostics)
}
