// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// ValidateConfig checks the rules that need only the configuration.
func (r *positionAssessmentResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config positionAssessmentModel
	resp.Diagnostics.Append(get(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	named := func(name string, block types.Object, key string) rules.NamedBlock {
		missing := key != "" && isPresent(block) && block.Attributes()[key].IsNull()
		return rules.NamedBlock{Name: name, Written: isWritten(block), Key: key, Missing: missing}
	}
	addFindings(rules.Static([]rules.NamedBlock{
		named("packages", config.Packages, ""),
		named("benchmark", config.Benchmark, "id"),
		named("profile", config.Profile, "id"),
		named("tests", config.Tests, "ids"),
	}), &resp.Diagnostics)
	ids, selected := idsIn(config.Packages), stringIn(config.Packages, "select")
	if isPresent(config.Packages) && (ids.IsNull() || !ids.IsUnknown()) && (selected.IsNull() || !selected.IsUnknown()) {
		addFindings(rules.Selection(!ids.IsNull(), !selected.IsNull()), &resp.Diagnostics)
	}
}

func isPresent(block types.Object) bool { return !block.IsNull() && !block.IsUnknown() }

// isWritten reports whether a block is certainly in the configuration. A dynamic block may
// turn out to be absent: if its for_each is unknown, as in each validation of a module, the
// CLI sends a block whose attributes are all unknown.
func isWritten(block types.Object) bool {
	if !isPresent(block) {
		return false
	}
	for _, value := range block.Attributes() {
		if !value.IsUnknown() {
			return true
		}
	}
	return false
}

// ModifyPlan plans computed attributes, refuses what the service would refuse, and warns
// about the effects of an update.
func (r *positionAssessmentResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	var state, plan, config positionAssessmentModel
	creates, destroys := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	var replaced replacedObject
	gone := false
	if creates {
		replaced = replacedBefore(ctx, req.Private, &resp.Diagnostics)
		gone = wasGone(ctx, req.Private, &resp.Diagnostics)
	} else {
		resp.Diagnostics.Append(get(ctx, req.State, &state)...)
		markReplaced(ctx, resp.Private, state.replacedObject(), &resp.Diagnostics)
	}
	if replaced.isZero() { // otherwise the CLI drops the warnings of this call
		defer r.engine.report(&resp.Diagnostics)
	}
	if !creates && r.engine.connected() {
		r.engine.PlanPrior(state.ref())
	}
	if destroys {
		r.checkDestroy(ctx, state, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(get(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(get(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	gone = gone || creates && replaced.isZero() && r.engine.connected() &&
		r.engine.ReportedGone(plan.PositionID.ValueString(), plan.AssessmentID.ValueString())
	r.resolveSelect(ctx, config, &plan, gone, &resp.Diagnostics)
	switch {
	case resp.Diagnostics.HasError():
	case creates:
		planComputed(&plan)
		r.checkCreation(ctx, plan, replaced, gone, &resp.Diagnostics)
	case state.replacedBy(plan):
		r.checkReplacement(ctx, state, plan, &resp.Diagnostics)
	default:
		memory := loadPrivate[engine.Memory](ctx, req.Private, memoryKey, &resp.Diagnostics)
		r.engine.planUpdate(state, &plan, memory.Supervised, &resp.Diagnostics)
		r.checkUpdate(ctx, state, plan, &resp.Diagnostics)
	}
	plan.ProfileURL = r.engine.privacy.personal(plan.ProfileURL)
	resp.Diagnostics.Append(set(ctx, &resp.Plan, &plan)...)
}

// checkReplacement prepares the second call, in which the CLI plans the replacement as a
// creation. The CLI shows the errors of that call and drops its warnings. With
// ignore_changes, only that call has the values that the apply sends.
func (r *positionAssessmentResource) checkReplacement(
	ctx context.Context, state, plan positionAssessmentModel, diags *diag.Diagnostics,
) {
	if !r.engine.connected() {
		return
	}
	r.engine.PlanReplacement(state.ref())
	r.checkRemoval(ctx, state.replacedObject(), diags)
	if r.engine.LooksUp() {
		_ = rules.Creation(ctx, r.engine, r.desired(plan)) // so that this call warns about lists that cannot be read
	}
}

// desired is the planned configuration in the form that the rules check. It contains the
// activations that are planned by now, because the CLI has already planned each activation
// that this resource refers to.
func (r *positionAssessmentResource) desired(plan positionAssessmentModel) rules.Desired {
	d := plan.desired()
	d.Activations = r.engine.PlannedActivations(d.Assessment)
	return d
}

// checkCreation refuses duplicates, and what the service would refuse to attach. It only
// warns if Read has reported in this run that the instance is gone: an error would stop a
// destroy, because the CLI plans everything before it destroys anything.
func (r *positionAssessmentResource) checkCreation(
	ctx context.Context, plan positionAssessmentModel, replaced replacedObject, gone bool, diags *diag.Diagnostics,
) {
	if !r.engine.connected() {
		return
	}
	desired := r.desired(plan)
	add := func(findings []rules.Finding) {
		if gone {
			findings = rules.AsWarnings(findings)
		}
		addFindings(findings, diags)
	}
	if r.engine.LooksUp() {
		add(rules.Creation(ctx, r.engine, desired))
	}
	if !replaced.isZero() {
		r.engine.PlanReplacement(replaced.Ref)
		r.checkRemoval(ctx, replaced, diags)
	}
	metadata, known := plan.metadata()
	switch {
	case diags.HasError():
	case !known || desired.Position == "" || desired.Assessment == "":
		found := r.engine.PlanUnknownCreation(ctx, desired.Position, desired.Assessment)
		ids := make([]string, len(found))
		for i, ref := range found {
			ids[i] = ref.ID
		}
		if replaced.isZero() {
			add(rules.UnknownDuplicate(
				r.engine.PositionLabel(desired.Position), r.engine.AssessmentLabel(desired.Assessment), ids))
		}
	default:
		c := engine.Creation{Position: desired.Position, Assessment: desired.Assessment, Metadata: metadata}
		add(r.checkDuplicate(ctx, c, replaced.Ref, gone))
	}
}

// checkDuplicate compares a creation with what the position already has. A replacement is
// compared only with other creations of the same run, because the plan may also replace
// what the position has.
func (r *positionAssessmentResource) checkDuplicate(
	ctx context.Context, c engine.Creation, replaced engine.Ref, gone bool,
) []rules.Finding {
	position, assessment := r.engine.PositionLabel(c.Position), r.engine.AssessmentLabel(c.Assessment)
	presence, err := r.engine.PlanCreation(ctx, c, replaced)
	if assessapi.IsNotFound(err) {
		return rules.PositionNotListed(ctx, r.engine, c.Position, r.engine.GiveUpLists)
	}
	if err != nil {
		return []rules.Finding{{
			Rule: rules.LookupFailed, Path: []string{"position_id"}, Err: err,
			Detail: fmt.Sprintf("Could not list the assessments of position %s to check for duplicates.", position),
		}}
	}
	p := rules.Presence{
		PlannedSame:  presence.PlannedSame,
		PlannedOther: presence.PlannedOther,
		PlannedAgain: presence.PlannedAgain,
	}
	if (replaced == engine.Ref{}) {
		for _, e := range presence.Attached {
			p.Attached = append(p.Attached, rules.Existing{
				ID: e.Ref.ID, Comparable: e.Comparable, Same: e.Same, Known: e.Known, Replaced: e.Replaced,
			})
		}
	}
	findings := rules.NoDuplicate(position, assessment, p)
	for _, e := range p.Attached {
		if e.Known && e.Same {
			old := replacedObject{Ref: engine.Ref{Position: c.Position, ID: e.ID}, Assessment: c.Assessment}
			findings = append(findings, rules.MaybeReplaced(r.removal(ctx, old))...)
		}
	}
	switch refused := rules.Refuses(findings); {
	case !refused:
		r.engine.AcceptCreation(c, presence, replaced)
	case gone:
		r.engine.GuardCreation(c)
	}
	return findings
}

// resolveSelect sets the ids that `select` means, in each plan. The apply then uses the ids
// that the plan shows. With ignore_changes, the CLI copies the ids of the state into the
// configuration, and they take precedence.
func (r *positionAssessmentResource) resolveSelect(
	ctx context.Context,
	config positionAssessmentModel,
	plan *positionAssessmentModel,
	gone bool,
	diags *diag.Diagnostics,
) {
	selected := stringIn(config.Packages, "select")
	if selected.IsNull() || !isPresent(plan.Packages) || !idsIn(config.Packages).IsNull() {
		return
	}
	ids := types.SetUnknown(types.StringType)
	if r.engine.connected() && !selected.IsUnknown() && !plan.AssessmentID.IsUnknown() {
		var problems diag.Diagnostics
		chosen, ok := r.selectPackages(ctx, plan.AssessmentID.ValueString(), selected.ValueString(), &problems)
		switch {
		case ok:
			ids = chosen
		case gone:
			// An error would stop the destroy of everything else.
			diags.Append(asWarnings(path.Root("packages").AtName("select"), problems)...)
		default:
			diags.Append(problems...)
			return
		}
	}
	plan.Packages = packagesBlock(ids, selected)
}

func (r *positionAssessmentResource) selectPackages(
	ctx context.Context, assessment, selected string, diags *diag.Diagnostics,
) (types.Set, bool) {
	at, label := path.Root("packages").AtName("select"), r.engine.AssessmentLabel(assessment)
	packages, err := r.engine.Packages(ctx, assessment)
	if assessapi.IsNotFound(err) && r.engine.LooksUp() {
		if findings := rules.Assessment(ctx, r.engine, assessment); len(findings) > 0 {
			addFindings(findings, diags)
			return types.Set{}, false
		}
	}
	if err != nil {
		diags.Append(diag.WithPath(at, failure("Could not select packages",
			fmt.Sprintf("Could not list the packages of assessment %s.", label), err)))
		return types.Set{}, false
	}
	var ids []string
	for _, p := range packages {
		if selected == selectMandatory && p.Mandatory == nil {
			diags.Append(newAttributeError(at, "Could not select the mandatory packages", fmt.Sprintf(
				"The service does not say whether package %s of assessment %s is mandatory.\n\nTo fix this: list "+
					"the packages in ids, or use select = \"all\".", p.Label(), label)))
			return types.Set{}, false
		}
		if selected == selectAll || p.IsMandatory() {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		diags.Append(newAttributeError(at, "No packages to select", fmt.Sprintf(
			"Assessment %s has no packages for select = %q. Only multi-game cognitive assessments have packages.\n\nTo fix "+
				"this: correct assessment_id, or remove the block \"packages\".", label, selected)))
		return types.Set{}, false
	}
	return idSet(ids), true
}

// planComputed plans the computed attributes of a creation. An assessment with packages, a
// benchmark or tests has no profile.
func planComputed(plan *positionAssessmentModel) {
	if isPresent(plan.Packages) || isPresent(plan.Benchmark) || isPresent(plan.Tests) {
		plan.ProfileStatus, plan.ProfileURL = types.StringNull(), types.StringNull()
	}
}

// planUpdate plans the attributes of the profile. It refuses the update or warns if the
// update discards a supervisor's work.
func (c *configured) planUpdate(
	state positionAssessmentModel, plan *positionAssessmentModel, supervised bool, diags *diag.Diagnostics,
) {
	at := path.Root("profile")
	const lost = "A supervisor has completed the profile of this position assessment."
	profile := func(id string) assessapi.Label { return c.ProfileLabel(state.AssessmentID.ValueString(), id) }
	was := profile(stringIn(state.Profile, "id").ValueString())
	if _, known := plan.metadata(); !known {
		if supervised && stringIn(plan.Profile, "id").IsUnknown() {
			diags.Append(newAttributeWarning(at.AtName("id"), "Supervisor's profile may be replaced", fmt.Sprintf(
				"%s The ID of the configured profile is not known yet. If it is not %s, the apply discards that work "+
					"permanently.\n\nTo fix this: use an ID that is known when you plan. Then the plan shows what happens.",
				lost, was)))
		}
		return
	}
	change := state.changeTo(*plan, supervised)
	switch {
	case change.unclear:
		diags.Append(newAttributeError(at, "Profile completed by a supervisor", fmt.Sprintf(
			"%s The configuration attaches another profile, %s. That would discard the supervisor's work.\n\n"+
				"To fix this: to keep the work, remove the block \"profile\". To discard the work, set "+
				"on_supervisor_change = \"reattach\" in the block. To replace the position assessment instead, plan without "+
				"-replace after this command:\n\n  terraform taint 'ADDRESS'", lost, profile(*change.metadata.Profile))))
		return
	case change.replaces:
		diags.Append(newAttributeWarning(at.AtName("id"), "Supervisor's profile will be replaced", fmt.Sprintf(
			"%s Attaching profile %s discards that work permanently.\n\nTo fix this: to keep the work, set the ID back to %s.",
			lost, profile(*change.metadata.Profile), was)))
	case change.reattaches:
		keep := "remove the block \"profile\""
		if isPresent(state.Profile) {
			keep = fmt.Sprintf("remove on_supervisor_change. If you have changed the ID, also set it back to %s", was)
		}
		diags.Append(
			newAttributeWarning(at.AtName("on_supervisor_change"), "Supervisor's profile will be replaced", fmt.Sprintf(
				"%s Because on_supervisor_change is \"reattach\", the apply attaches profile %s. This discards that "+
					"work permanently.\n\nTo fix this: to keep the work, %s.",
				lost, profile(*change.metadata.Profile), keep)),
		)
	}
	switch {
	case change.send && change.metadata.Profile != nil:
		plan.ProfileStatus, plan.ProfileURL = types.StringValue(assessapi.ProfileAttached), types.StringUnknown()
	case change.send && isPresent(state.Profile):
		plan.ProfileStatus, plan.ProfileURL = types.StringUnknown(), types.StringUnknown()
	default:
		plan.ProfileStatus, plan.ProfileURL = state.ProfileStatus, state.ProfileURL
	}
}
