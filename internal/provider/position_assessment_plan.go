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
)

func rootPath(name string) path.Path { return path.Root(name) }

// ValidateConfig holds the rules that need no look-up.
func (r *positionAssessmentResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config positionAssessmentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	blocks := []struct {
		name  string
		block types.Object
		alone bool
		key   string // the attribute that the block is for
	}{
		{"packages", config.Packages, false, "ids"},
		{"benchmark", config.Benchmark, false, "id"},
		{"profile", config.Profile, true, "id"},
		{"tests", config.Tests, true, "ids"},
	}
	for i, a := range blocks {
		for _, b := range blocks[i+1:] {
			if (a.alone || b.alone) && isWritten(a.block) && isWritten(b.block) {
				resp.Diagnostics.AddAttributeError(path.Root(b.name), "Blocks that exclude each other",
					fmt.Sprintf("%q and %q belong to different kinds of assessment and cannot stand together: only \"packages\" and \"benchmark\" can. Remove one of the two.", a.name, b.name))
			}
		}
		if isPresent(a.block) && a.name != "packages" && a.block.Attributes()[a.key].IsNull() {
			resp.Diagnostics.AddAttributeError(path.Root(a.name).AtName(a.key), "Missing "+a.key,
				fmt.Sprintf("The block %q needs %q, which is left out or null: an expression that finds nothing gives null. Without the block, nothing of its kind is configured.", a.name, a.key))
		}
	}
	if isPresent(config.Packages) {
		ids, selected := idsIn(config.Packages), stringIn(config.Packages, "select")
		const needs = "The block \"packages\" needs exactly one of \"ids\" and \"select\": ids = [...] names the packages, select = \"all\" or \"mandatory\" takes them from the service."
		switch {
		case ids.IsNull() && selected.IsNull():
			resp.Diagnostics.AddAttributeError(path.Root("packages"), "Missing ids or select", needs)
		case !ids.IsNull() && !ids.IsUnknown() && !selected.IsNull() && !selected.IsUnknown():
			resp.Diagnostics.AddAttributeError(path.Root("packages").AtName("select"), "Both ids and select", needs)
		}
	}
}

func isPresent(block types.Object) bool { return !block.IsNull() && !block.IsUnknown() }

// isWritten tells a block that is certainly there from one that a dynamic block
// may yet turn out to leave away: while its for_each is unknown, as it is in
// every validation of a module, the CLI shows a block of unknown attributes.
func isWritten(block types.Object) bool {
	return isPresent(block) && !allUnknown(block)
}

func allUnknown(block types.Object) bool {
	for _, value := range block.Attributes() {
		if !value.IsUnknown() {
			return false
		}
	}
	return true
}

// ModifyPlan resolves what the plan can know, refuses what the service would
// refuse, and says what an update amounts to.
func (r *positionAssessmentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	var state, plan, config positionAssessmentModel
	creates, destroys := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	if !creates {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.walk.remember(state.attachment())
	}
	if destroys {
		if r.walk.destroying(state.attachment()) {
			resp.Diagnostics.Append(importedAndDestroyed(state.attachment()))
		}
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.resolveSelect(ctx, config, &plan, &resp.Diagnostics)
	replaces := len(resp.RequiresReplace) > 0 // then this is planned once more, as a creation
	switch {
	case resp.Diagnostics.HasError() || replaces:
	case creates:
		planComputed(&plan)
		r.checkCreation(ctx, plan, &resp.Diagnostics)
	default:
		known := readKnowledge(ctx, req.Private, &resp.Diagnostics)
		planUpdate(state, &plan, known.Supervised, &resp.Diagnostics)
		r.checkUpdate(ctx, state, plan, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// resolveSelect turns `select` into ids. It does so in every plan of every
// walk: a plan that shows the packages must apply the same ones.
func (r *positionAssessmentResource) resolveSelect(ctx context.Context, config positionAssessmentModel, plan *positionAssessmentModel, diags *diag.Diagnostics) {
	selected := stringIn(config.Packages, "select")
	if selected.IsNull() || !isPresent(plan.Packages) {
		return
	}
	ids := types.SetUnknown(types.StringType)
	if r.walk.connected() && !selected.IsUnknown() && !plan.AssessmentID.IsUnknown() {
		var ok bool
		if ids, ok = r.selectPackages(ctx, plan.AssessmentID.ValueString(), selected.ValueString(), diags); !ok {
			return
		}
	}
	plan.Packages = packagesBlock(ids, selected)
}

func (r *positionAssessmentResource) selectPackages(ctx context.Context, assessment, selected string, diags *diag.Diagnostics) (types.Set, bool) {
	at := path.Root("packages").AtName("select")
	packages, err := r.walk.packages(ctx, assessment)
	if assessapi.IsNotFound(err) && r.walk.looksUp() {
		if c := (check{walk: r.walk, assessment: assessment, diags: diags}); !c.known(ctx) {
			return types.Set{}, false
		}
	}
	if err != nil {
		diags.Append(diag.WithPath(at, failure("Cannot select packages", fmt.Sprintf("The packages of the assessment %q were to be listed.", assessment), err)))
		return types.Set{}, false
	}
	var ids []string
	for _, p := range packages {
		if selected == selectMandatory && p.Mandatory == nil {
			diags.AddAttributeError(at, "Cannot select the mandatory packages",
				fmt.Sprintf("The service does not say whether the package %q of the assessment %q is mandatory. Give the packages by their ids, or use select = \"all\".", p.ID, assessment))
			return types.Set{}, false
		}
		if selected == selectAll || *p.Mandatory {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		diags.AddAttributeError(at, "No packages to select",
			fmt.Sprintf("The assessment %q has no packages that select = %q could take: only multi-game cognitive assessments are made of packages. Check assessment_id, or remove the block.", assessment, selected))
		return types.Set{}, false
	}
	return idSet(ids), true
}

// planComputed says what is known of the computed attributes of a creation:
// only assessments without any other configuration have a profile.
func planComputed(plan *positionAssessmentModel) {
	if isPresent(plan.Packages) || isPresent(plan.Benchmark) || isPresent(plan.Tests) {
		plan.ProfileStatus, plan.ProfileURL = types.StringNull(), types.StringNull()
	}
}

// planUpdate says what an update does to the profile, and refuses or warns
// where a supervisor's work would be lost.
func planUpdate(state positionAssessmentModel, plan *positionAssessmentModel, supervised bool, diags *diag.Diagnostics) {
	at := path.Root("profile")
	if _, known := plan.metadata(); !known {
		if supervised && stringIn(plan.Profile, "id").IsUnknown() {
			diags.AddAttributeWarning(at.AtName("id"), "A supervisor's profile may be replaced",
				"A supervisor has completed the profile of this position assessment, and the id that is configured is not known yet. If it turns out to be another one than "+
					fmt.Sprintf("%q, the apply discards that work, and it cannot be brought back. ", stringIn(state.Profile, "id").ValueString())+
					"Give an id that is known at plan to see what happens.")
		}
		return
	}
	c := state.changeTo(*plan, supervised)
	const completed = "A supervisor has completed the profile of this position assessment, which was not attached by this configuration. Attaching the profile %q would discard that work. " +
		"Leave the block \"profile\" out to keep it, or say on_supervisor_change = \"reattach\" to replace it."
	switch {
	case c.unclear:
		diags.AddAttributeError(at, "A supervisor has completed the profile", fmt.Sprintf(completed, *c.metadata.Profile))
		return
	case c.replaces:
		diags.AddAttributeWarning(at.AtName("id"), "A supervisor's profile will be replaced",
			fmt.Sprintf("A supervisor has completed the profile of this position assessment. Attaching the profile %q discards that work, and it cannot be brought back. "+
				"Set the id back to %q to keep it.", *c.metadata.Profile, stringIn(state.Profile, "id").ValueString()))
	case c.reattaches:
		diags.AddAttributeWarning(at.AtName("on_supervisor_change"), "A supervisor's profile will be replaced",
			fmt.Sprintf("A supervisor has completed the profile of this position assessment. Because on_supervisor_change is \"reattach\", the profile %q is attached again, "+
				"which discards that work.", *c.metadata.Profile))
	}
	switch {
	case c.send && c.metadata.Profile != nil:
		plan.ProfileStatus, plan.ProfileURL = types.StringValue(assessapi.ProfileAttached), types.StringUnknown()
	case c.send && isPresent(state.Profile):
		plan.ProfileStatus, plan.ProfileURL = types.StringUnknown(), types.StringUnknown()
	default:
		plan.ProfileStatus, plan.ProfileURL = state.ProfileStatus, state.ProfileURL
	}
}
