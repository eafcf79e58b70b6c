// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// looksUp reports whether a plan looks anything up. The apply walk plans every
// resource once more, and does not check again what was checked.
func (w *walk) looksUp() bool {
	return w.planChecks && w.connected() && (w.repeats || !w.applied.Load())
}

// checkCreation refuses what the service would refuse to add.
func (r *positionAssessmentResource) checkCreation(ctx context.Context, plan positionAssessmentModel, diags *diag.Diagnostics) {
	if r.walk.looksUp() && !plan.AssessmentID.IsUnknown() {
		if c := r.check(plan, diags); c.known(ctx) {
			c.packages(ctx)
			c.benchmark(ctx)
			c.profile(ctx)
			c.tests(ctx)
		}
	}
	if !diags.HasError() {
		r.checkDoubles(ctx, plan, diags)
	}
}

// checkUpdate refuses what the service would refuse to change: it looks at the
// blocks that differ.
func (r *positionAssessmentResource) checkUpdate(ctx context.Context, state, plan positionAssessmentModel, diags *diag.Diagnostics) {
	if !r.walk.looksUp() || plan.AssessmentID.IsUnknown() {
		return
	}
	c := r.check(plan, diags)
	packages, benchmark := !plan.Packages.Equal(state.Packages), !plan.Benchmark.Equal(state.Benchmark)
	profile, tests := !plan.Profile.Equal(state.Profile), !plan.Tests.Equal(state.Tests)
	if packages {
		c.packages(ctx)
	}
	if benchmark {
		c.benchmark(ctx)
	}
	if profile {
		c.profile(ctx)
	}
	if tests {
		c.tests(ctx)
	}
}

func (r *positionAssessmentResource) check(plan positionAssessmentModel, diags *diag.Diagnostics) check {
	return check{walk: r.walk, assessment: plan.AssessmentID.ValueString(), plan: plan, diags: diags}
}

// check looks up what one plan says. A list that the service does not show is
// no reason to refuse anything.
type check struct {
	walk       *walk
	assessment string
	plan       positionAssessmentModel // of a position assessment; zero for others
	diags      *diag.Diagnostics
}

// known refuses an assessment that the organisation does not have.
func (c check) known(ctx context.Context) bool {
	all, err := c.walk.assessments(ctx)
	if err != nil {
		c.cannot(path.Root("assessment_id"), "assessments", err)
		return false
	}
	ids, meant := make([]string, len(all)), ""
	for i, a := range all {
		ids[i] = a.ID
		if c.assessment == textOf(a.Code) || c.assessment == textOf(a.Name) {
			meant = fmt.Sprintf("That is the code or name of %q: an id is needed here. ", a.ID)
		}
	}
	if slices.Contains(ids, c.assessment) {
		return true
	}
	c.diags.AddAttributeError(path.Root("assessment_id"), "Unknown assessment",
		fmt.Sprintf("The organisation has no assessment %q. %sIts assessments: %s.", c.assessment, meant, near(c.assessment, ids)))
	return false
}

// packages refuses what section 2.5 rules out.
func (c check) packages(ctx context.Context) {
	block := c.plan.Packages
	if block.IsUnknown() || isPresent(c.plan.Profile) || isPresent(c.plan.Tests) {
		return // what excludes packages is judged by its own check
	}
	listed, err := c.walk.packages(ctx, c.assessment)
	if assessapi.IsNoList(err) {
		return
	}
	if err != nil {
		c.cannot(path.Root("packages"), "packages", err)
		return
	}
	var ids, mandatory []string
	for _, p := range listed {
		ids = append(ids, p.ID)
		if p.Mandatory != nil && *p.Mandatory {
			mandatory = append(mandatory, p.ID)
		}
	}
	if block.IsNull() {
		if len(listed) > 0 {
			c.diags.AddAttributeError(path.Root("packages"), "Missing packages",
				fmt.Sprintf("The assessment %q is made of packages, so the block \"packages\" is needed. Mandatory: %s. All: %s.", c.assessment, oneOf(mandatory), oneOf(ids)))
		}
		return
	}
	at := path.Root("packages").AtName("ids")
	chosen, known := knownIDs(idsIn(block))
	if !known {
		return
	}
	for _, id := range chosen {
		if !slices.Contains(ids, id) {
			c.diags.AddAttributeError(at, "Unknown package", fmt.Sprintf("The assessment %q has no package %q. Its packages: %s.", c.assessment, id, near(id, ids)))
		}
	}
	missing := slices.DeleteFunc(mandatory, func(id string) bool { return slices.Contains(chosen, id) })
	if len(missing) > 0 {
		c.diags.AddAttributeError(at, "Mandatory package left out", fmt.Sprintf("The assessment %q cannot do without %s. Add it, or use select = \"mandatory\" or \"all\" instead of ids.", c.assessment, oneOf(missing)))
	}
}

// benchmark refuses what section 2.4 rules out.
func (c check) benchmark(ctx context.Context) {
	at := path.Root("benchmark").AtName("id")
	chosen := stringIn(c.plan.Benchmark, "id")
	if chosen.IsNull() || c.plan.Benchmark.IsUnknown() {
		return
	}
	listed, err := c.walk.benchmarks(ctx, c.assessment)
	if assessapi.IsNoList(err) {
		c.walk.skip("benchmarks", err)
		return
	}
	if err != nil {
		c.cannot(at, "benchmarks", err)
		return
	}
	if len(listed) == 0 {
		c.diags.AddAttributeError(path.Root("benchmark"), "No benchmark possible",
			fmt.Sprintf("The assessment %q has no benchmarks: %s cannot be used with it. Remove the block.", c.assessment, chosen))
		return
	}
	if chosen.IsUnknown() {
		return
	}
	locale := c.locale(ctx)
	var ids, fitting []string
	found := slices.IndexFunc(listed, func(b assessapi.Benchmark) bool { return b.ID == chosen.ValueString() })
	for _, b := range listed {
		ids = append(ids, b.ID)
		if locale != nil && b.Locale != nil && *b.Locale == *locale {
			fitting = append(fitting, b.ID)
		}
	}
	if found < 0 {
		if locale != nil && len(fitting) > 0 {
			ids = fitting
		}
		c.diags.AddAttributeError(at, "Unknown benchmark", fmt.Sprintf("The assessment %q has no benchmark %q. Its benchmarks for this position: %s.", c.assessment, chosen.ValueString(), near(chosen.ValueString(), ids)))
		return
	}
	if b := listed[found]; locale != nil && b.Locale != nil && *b.Locale != *locale {
		c.diags.AddAttributeError(at, "Benchmark of another locale",
			fmt.Sprintf("The benchmark %q is for the locale %q, the position %q has %q. Benchmarks of the assessment for that locale: %s.",
				b.ID, *b.Locale, c.plan.PositionID.ValueString(), *locale, oneOf(fitting)))
	}
}

// locale is the position's; nil where it is not known, for whatever reason.
func (c check) locale(ctx context.Context) *string {
	if c.plan.PositionID.IsUnknown() {
		return nil
	}
	position, found, err := c.walk.positions.find(ctx, c.plan.PositionID.ValueString())
	if err != nil {
		c.cannot(path.Root("position_id"), "positions", err)
	}
	if !found {
		return nil
	}
	return position.Locale
}

// profile refuses a profile that the assessment does not have (section 2.6).
func (c check) profile(ctx context.Context) {
	at := path.Root("profile").AtName("id")
	chosen := stringIn(c.plan.Profile, "id")
	if chosen.IsNull() || chosen.IsUnknown() {
		return
	}
	listed, err := c.walk.profiles(ctx, c.assessment)
	if assessapi.IsNoList(err) {
		c.walk.skip("profiles", err)
		return
	}
	if err != nil {
		c.cannot(at, "profiles", err)
		return
	}
	ids := make([]string, len(listed))
	for i, p := range listed {
		ids[i] = p.ID
	}
	if !slices.Contains(ids, chosen.ValueString()) {
		c.diags.AddAttributeError(at, "Unknown profile", fmt.Sprintf("The assessment %q has no profile %q. Its profiles: %s.", c.assessment, chosen.ValueString(), near(chosen.ValueString(), ids)))
	}
}

// tests refuses what section 2.7 rules out.
func (c check) tests(ctx context.Context) {
	block := c.plan.Tests
	if block.IsUnknown() || isPresent(c.plan.Packages) || isPresent(c.plan.Benchmark) || isPresent(c.plan.Profile) {
		return
	}
	at := path.Root("tests").AtName("ids")
	enabled, ok := c.skills(ctx, at, true)
	if !ok {
		return
	}
	if block.IsNull() {
		disabled, ok := c.skills(ctx, at, false)
		if ok && len(enabled)+len(disabled) > 0 {
			c.diags.AddAttributeError(path.Root("tests"), "Missing skills tests",
				fmt.Sprintf("The assessment %q is made of skills tests, so the block \"tests\" is needed, with one or more. Enabled: %s.", c.assessment, oneOf(enabled)))
		}
		return
	}
	chosen, known := knownIDs(idsIn(block))
	if !known {
		return
	}
	for _, id := range chosen {
		if slices.Contains(enabled, id) || c.walk.plansActivation(activation{c.assessment, id}) {
			continue
		}
		disabled, ok := c.skills(ctx, at, false)
		if !ok {
			return
		}
		if slices.Contains(disabled, id) {
			c.diags.AddAttributeError(at, "Skills test is not enabled",
				fmt.Sprintf("The skills test %q of the assessment %q is not enabled for the organisation. Enable it with a resource \"assess_skills_test_activation\", "+
					"and refer to the activation here: ids = [assess_skills_test_activation.<name>.test_id]. An id that is written out does not wait for it. Enabled: %s.", id, c.assessment, oneOf(enabled)))
			continue
		}
		c.diags.AddAttributeError(at, "Unknown skills test", fmt.Sprintf("The assessment %q has no skills test %q. Enabled: %s.", c.assessment, id, near(id, enabled)))
	}
}

// skills lists the ids of enabled tests, or of the others.
func (c check) skills(ctx context.Context, at path.Path, active bool) ([]string, bool) {
	listed, err := c.walk.skills(ctx, c.assessment, active)
	if assessapi.IsNoList(err) {
		return nil, false
	}
	if err != nil {
		c.cannot(at, "skills tests", err)
		return nil, false
	}
	ids := make([]string, len(listed))
	for i, t := range listed {
		ids[i] = t.ID
	}
	return ids, true
}

// cannot says that a look-up failed for a reason that may pass.
func (c check) cannot(at path.Path, what string, err error) {
	c.diags.Append(diag.WithPath(at, failure("Cannot check the plan",
		fmt.Sprintf("The %s were to be listed, to check what is planned with the assessment %q.", what, c.assessment), err)))
}

// skip says once in a walk that a list is not to be had here (assumption A8).
func (w *walk) skip(what string, err error) {
	if _, said := w.skipped.LoadOrStore(what, true); !said {
		w.notice("Cannot check "+what, fmt.Sprintf("This service shows no list of %s: %s They are left to the service's own judgement.", what, came(err)))
	}
}
