// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// ValidateConfig checks the rules that need only the configuration.
func (r *Resource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config model
	resp.Diagnostics.Append(tf.Get(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	tf.AddFindings(rules.CheckBlocks(config.desired()), &resp.Diagnostics)
	ids, selected := tf.IDsIn(config.Packages), tf.StringIn(config.Packages, "select")
	if set, _ := tf.BlockIn(config.Packages); set && !ids.IsUnknown() && !selected.IsUnknown() {
		tf.AddFindings(rules.CheckSelection(!ids.IsNull(), !selected.IsNull()), &resp.Diagnostics)
	}
}

// ModifyPlan plans computed attributes, refuses what the service would refuse, and warns about the effects of a change.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state, plan, config model
	i := intent{Action: Create}
	if req.State.Raw.IsNull() {
		i.Object = loadPrivate[ManagedObject](ctx, req.Private, replacedKey, &resp.Diagnostics)
		i.Gone = loadPrivate[bool](ctx, req.Private, goneKey, &resp.Diagnostics)
	} else {
		resp.Diagnostics.Append(tf.Get(ctx, req.State, &state)...)
		i.Action, i.Object, i.Before = Update, state.object(), state.desired()
		savePrivate(ctx, resp.Private, replacedKey, i.Object, &resp.Diagnostics)
	}
	if i.Action != Create || i.Object == (ManagedObject{}) { // otherwise the CLI drops the warnings of this call
		defer r.Run.Report(&resp.Diagnostics)
	}
	if req.Plan.Raw.IsNull() {
		i.Action = Remove
		found, _ := r.known().Plan(ctx, i)
		tf.AddFindings(found, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(tf.Get(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(tf.Get(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if i.Action == Update && state.replacedBy(plan) {
		i.Action = Replace
	}
	selected := tf.StringIn(config.Packages, "select")
	// With ignore_changes, the CLI copies the ids of the state into the configuration, where they precede select.
	selects := !selected.IsNull() && !selected.IsUnknown() && tf.HasBlock(plan.Packages) &&
		tf.IDsIn(config.Packages).IsNull()
	if selects {
		i.Select = selected.ValueString()
		plan.Packages = packagesBlock(tf.IDSet(nil), selected)
	}
	tf.AddFindings(rules.CheckPossible(config.desired()), &resp.Diagnostics)
	supervised := state.supervised(loadPrivate[*catalog.Memory](ctx, req.Private, memoryKey, &resp.Diagnostics))
	i.Desired, i.Supervised, i.Reattaches = plan.desired(), supervised, plan.reattaches()
	found, packages := r.known().Plan(ctx, i)
	tf.AddFindings(found, &resp.Diagnostics)
	switch {
	case packages != nil:
		plan.Packages = packagesBlock(tf.IDSet(packages), selected)
	case selects:
		plan.Packages = packagesBlock(types.SetUnknown(types.StringType), selected)
	}
	if slices.ContainsFunc(resp.Diagnostics.Errors(), func(d diag.Diagnostic) bool { return !tf.IsStopped(d.Summary()) }) {
		return // otherwise the plan must have all values, see PlanResourceChange in package provider
	}
	lacksProfile := tf.HasBlock(plan.Packages) || tf.HasBlock(plan.Benchmark) || tf.HasBlock(plan.Tests)
	if i.Action == Create && lacksProfile {
		plan.ProfileStatus, plan.ProfileURL = types.StringNull(), types.StringNull()
	}
	if i.Action == Update {
		tf.AddFindings(planProfile(r.Run, state, &plan, supervised), &resp.Diagnostics)
	}
	plan.ProfileURL = r.Run.Privacy.Personal(plan.ProfileURL)
	resp.Diagnostics.Append(tf.Set(ctx, &resp.Plan, &plan)...)
}

// planProfile plans the attributes of the profile, and refuses an update or warns if it discards a supervisor's work.
func planProfile(c *tf.Run, state model, plan *model, supervised bool) []finding.Finding {
	label := func(id string) assessapi.Label { return c.Catalog().ProfileLabel(state.AssessmentID.ValueString(), id) }
	undecided := supervised && tf.StringIn(plan.Profile, "on_supervisor_change").IsUnknown()
	if _, known := plan.metadata(); !known {
		if !supervised || !tf.StringIn(plan.Profile, "id").IsUnknown() {
			return nil
		}
		var was *assessapi.Label
		if tf.HasBlock(state.Profile) {
			l := label(tf.StringIn(state.Profile, "id").ValueString())
			was = &l
		}
		return rules.MaybeSupervised(was, plan.reattaches(), undecided)
	}
	change := state.changeTo(*plan, supervised)
	if undecided {
		if found := change.MaybeReattached(label); found != nil {
			plan.ProfileStatus, plan.ProfileURL = types.StringUnknown(), types.StringUnknown()
			return found
		}
	}
	switch {
	case change.Send && change.Metadata.Profile != nil:
		plan.ProfileStatus, plan.ProfileURL = types.StringValue(assessapi.ProfileAttached), types.StringUnknown()
	case change.Send && tf.HasBlock(state.Profile):
		plan.ProfileStatus, plan.ProfileURL = types.StringUnknown(), types.StringUnknown()
	default:
		plan.ProfileStatus, plan.ProfileURL = state.ProfileStatus, state.ProfileURL
	}
	return change.Supervised(label)
}
