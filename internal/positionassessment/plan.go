// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// ValidateConfig checks the rules that need only the configuration.
func (r *Resource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	tf.AddFindings(rules.CheckBlocks(config.desired()), &resp.Diagnostics)
	ids, selected := tf.IDsIn(config.Packages), tf.StringIn(config.Packages, "select")
	if set, _ := tf.BlockIn(config.Packages); set && !ids.IsUnknown() && !selected.IsUnknown() {
		tf.AddFindings(rules.CheckSelection(!ids.IsNull(), !selected.IsNull()), &resp.Diagnostics)
	}
}

// ModifyPlan plans computed attributes, rejects what the service would reject, and warns about the effects of a change.
// After an error, it leaves the plan as it is.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.Run.ReportPlan(ctx, req, resp)
	var state, plan, config model
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.Run.CheckOrigin(ctx, req.Private, &resp.Diagnostics)
	}
	if req.Plan.Raw.IsNull() {
		r.planRemoval(ctx, state, req, resp)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	tf.AddFindings(rules.CheckPossible(config.desired()), &resp.Diagnostics)
	tf.AddFindings(r.selectPackages(ctx, config, &plan), &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		r.planWrite(ctx, state, &plan, req, resp)
	}
	if !resp.Diagnostics.HasError() {
		plan.ProfileURL = r.Run.Privacy.Personal(plan.ProfileURL)
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	}
}

// planWrite checks a creation, a replacement or an update. For an update, it plans the status and the address of the
// profile as far as they are known (see [Resource.planProfile]). For a creation with a block that excludes a profile,
// they are null. Otherwise, they stay unknown. planWrite also clears PlanSawCompleted in the private state.
func (r *Resource) planWrite(
	ctx context.Context, state model, plan *model, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	diags := &resp.Diagnostics
	private := tf.LoadPrivate[privateState](ctx, req.Private, privateStateKey, diags)
	private.PlanSawCompleted = false // a failed removal leaves it set, but this plan does not read the profile
	tf.SavePrivate(ctx, resp.Private, privateStateKey, private, diags)
	switch {
	case req.State.Raw.IsNull():
		tf.AddFindings(r.checkCreation(ctx, *plan), diags)
		hasNoProfile := tf.HasBlock(plan.Packages) || tf.HasBlock(plan.Benchmark) || tf.HasBlock(plan.Tests)
		if hasNoProfile {
			plan.ProfileStatus, plan.ProfileURL = types.StringNull(), types.StringNull()
		}
	case state.replacedBy(*plan): // Core also plans the creation in a second call, but drops the warnings of that call
		tf.AddFindings(r.checkRemoval(ctx, state, plan), diags)
		tf.AddFindings(r.checkCreation(ctx, *plan), diags)
	default:
		tf.AddFindings(r.checkUpdate(ctx, state, *plan, private), diags)
		tf.AddFindings(r.planProfile(state, plan), diags)
	}
}

// planRemoval checks a removal. If a supervisor has completed the profile since the state was read, planRemoval records
// this in the private state, because the apply discards only work that the plan has shown.
func (r *Resource) planRemoval(
	ctx context.Context, state model, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	private := tf.LoadPrivate[privateState](ctx, req.Private, privateStateKey, &resp.Diagnostics)
	private.PlanSawCompleted = r.completedSince(ctx, state)
	if private.PlanSawCompleted {
		state.ProfileStatus = types.StringValue(assessapi.SupervisorCompleted)
	}
	tf.AddFindings(r.checkRemoval(ctx, state, nil), &resp.Diagnostics)
	tf.SavePrivate(ctx, resp.Private, privateStateKey, private, &resp.Diagnostics)
}

// selectPackages plans the IDs of the packages that the attribute select selects from the list of the service. It does
// nothing if the configuration has IDs, or if select is absent or unknown. While the assessment or a setting of the
// provider is unknown, the IDs are unknown. If packages cannot be selected, the IDs are unknown, and the findings say
// why (see [Resource.unlessGone]).
func (r *Resource) selectPackages(ctx context.Context, config model, plan *model) []messages.Finding {
	value := tf.StringIn(config.Packages, "select")
	hasIDs := !tf.IDsIn(config.Packages).IsNull() // also with ignore_changes: the CLI then copies them from the state
	if value.IsNull() || value.IsUnknown() || hasIDs {
		return nil
	}
	plan.Packages = packagesBlock(types.SetUnknown(types.StringType), value)
	if plan.AssessmentID.IsUnknown() || !r.Run.Connected() {
		return nil
	}
	ids, found := r.selected(ctx, plan.AssessmentID.ValueString(), value.ValueString())
	if len(found) > 0 {
		return r.unlessGone(plan.key(), found)
	}
	plan.Packages = packagesBlock(tf.IDSet(ids), value)
	return nil
}

// selected returns the IDs of the packages that the attribute select selects. The parameter value is the attribute's
// value. If it cannot select packages, it returns findings that say why.
func (r *Resource) selected(ctx context.Context, assessment, value string) (ids []string, found []messages.Finding) {
	packages, err := r.Run.Lists.Items(ctx, assessapi.Packages, assessment)
	if assessapi.IsNotFound(err) && r.Run.ChecksPlan() {
		if found = messages.CheckAssessment(ctx, r.facts(), assessment); len(found) > 0 {
			return nil, found
		}
	}
	label := r.Run.Lists.AssessmentLabel(assessment)
	if err != nil {
		return nil, rules.NotSelected(label, err)
	}
	return rules.Select(packages, label, value)
}

// checkCreation returns what the service would reject about a creation. It also warns if it finds that the position
// already has the assessment, or that candidates lose their ranking. If Read has reported the position assessment as
// gone, all findings are warnings. If the run does not check plans, checkCreation returns no findings.
func (r *Resource) checkCreation(ctx context.Context, plan model) []messages.Finding {
	if !r.Run.ChecksPlan() {
		return nil
	}
	key, desired := plan.key(), r.withActivations(plan.desired())
	existing, hasOthers, found := r.lookAt(ctx, plan)
	adopts := len(existing) == 1 && r.Run.AdoptExisting
	if adopts { // tests that are already attached need not be enabled
		desired.Attached = existing[0].Metadata.Tests.OrZero()
	}
	found = r.unlessGone(key, append(found, rules.CheckCreation(ctx, r.facts(), desired)...))
	switch {
	case adopts:
		return append(found, rules.CheckAdoption(r.names(key), r.compare(ctx, plan, existing[0]))...)
	case len(existing) > 0:
		return append(found, rules.CheckAttached(r.names(key), existing[0].ID)...)
	case hasOthers: // candidates may have completed all of them, and have a suitability
		return append(found, r.checkRanking(ctx, key)...)
	}
	return found
}

// unlessGone returns findings about a creation. They are warnings if Read has reported the position assessment as gone:
// a destroy plans its creation, too, and an error would stop the destroy.
func (r *Resource) unlessGone(key run.Key, found []messages.Finding) []messages.Finding {
	if r.Run.Gone.Has(key) {
		return messages.AsWarnings(found)
	}
	return found
}

// lookAt returns the existing position assessments with the position and the assessment of a planned creation, and
// whether the position has other assessments. It returns neither if the plan cannot find them: an ID is unknown,
// there is no list, or the list comes from a cache. rejected says that the organization lacks the position, or what
// could not be found out. With adopt_existing, see [Resource.withConfiguration] for a single existing one.
func (r *Resource) lookAt(
	ctx context.Context, plan model,
) (existing []assessapi.PositionAssessment, hasOthers bool, rejected []messages.Finding) {
	if plan.PositionID.IsUnknown() {
		return nil, false, nil
	}
	key := plan.key()
	list, hasList, err := r.listAttached(ctx, key.Position)
	switch {
	case !hasList:
		return nil, false, rules.CheckPosition(ctx, r.facts(), key.Position)
	case err != nil:
		return nil, false, r.listFailed(key.Position, err)
	case plan.AssessmentID.IsUnknown(), list.Cached:
		return nil, false, nil
	}
	existing, _, err = look(ctx, r.Run.Run, key) // in the same list, which the run keeps
	if err == nil && len(existing) == 1 && r.Run.AdoptExisting {
		existing[0], err = r.withConfiguration(ctx, key.Position, existing[0])
	}
	if err != nil {
		return nil, false, r.listFailed(key.Position, err)
	}
	return existing, len(list.Elements) > len(existing), nil
}

// withConfiguration returns an element of a position's list. If the element lacks the metadata, or the ID of an
// attached profile, withConfiguration fetches the position assessment instead. After a 404, it returns the element.
func (r *Resource) withConfiguration(
	ctx context.Context, position string, element assessapi.PositionAssessment,
) (assessapi.PositionAssessment, error) {
	isAttached := element.Metadata.ProfileStatus.OrZero() == assessapi.ProfileAttached
	if element.HasMetadata && (!isAttached || element.Metadata.Profile.Shown) {
		return element, nil
	}
	fetched, err := fetch(ctx, r.Run.Run, ref{position, element.ID})
	if assessapi.IsNotFound(err) { // core plans again during an apply, which may have removed it by then
		return element, nil
	}
	return fetched, err
}

// listFailed rejects a planned creation, because it could not be checked what the position has.
func (r *Resource) listFailed(position string, err error) []messages.Finding {
	return messages.RejectFor(messages.LookupFailed, []string{"position_id"}, err, "Could not find out "+
		"whether position %s already has the assessment, or how it is configured there.", r.Run.Lists.PositionLabel(position))
}

// listAttached lists the assessments of a position. hasList is false if the service has returned no list for this
// position, or if this run has found that the service offers no such lists.
func (r *Resource) listAttached(
	ctx context.Context, position string,
) (list assessapi.List[assessapi.PositionAssessment], hasList bool, err error) {
	if r.Run.Reads.LacksLists() {
		return list, false, nil
	}
	list, err = r.Run.Attached.List(ctx, position)
	return list, !assessapi.IsNoList(err), err
}

// compare compares an existing position assessment with what a plan would attach.
func (r *Resource) compare(ctx context.Context, plan model, pa assessapi.PositionAssessment) rules.Existing {
	wanted, known := plan.configuration()
	shown, status := rules.ConfigurationOf(pa.Metadata), pa.Metadata.ProfileStatus.OrZero()
	return rules.Existing{
		ID: pa.ID, Unknown: !known, Differs: rules.Difference(shown, wanted, status),
		Hidden: hidesConfiguration(ctx, r.Run.Run, plan.AssessmentID.ValueString(), pa),
	}
}

// checkRanking warns about candidates who lose their suitability because the plan attaches another assessment to their
// position. If the plan does not read enough results to find such candidates, checkRanking warns, once in a run for
// each reason.
func (r *Resource) checkRanking(ctx context.Context, key run.Key) []messages.Finding {
	if !r.Run.Counted.MayCheckRanking(key.Position) {
		r.warnSkipped(key.Position)
		return nil
	}
	candidates, complete, err := r.Run.Lists.FirstResults(ctx, key.Position)
	if err != nil {
		r.warnUnseen(key.Position, err)
		return nil
	}
	ranked := 0
	for _, candidate := range candidates {
		if candidate.Suitability != nil {
			ranked++
		}
	}
	switch {
	case ranked > 0:
		return rules.CheckRanking(r.names(key), ranked, !complete)
	case !complete: // another candidate may have a suitability
		r.warnUnseen(key.Position, nil)
	}
	return nil
}

// checkRemoval rejects a removal that the service would reject, and warns if it deletes a supervisor's work. plan is
// the plan of a replacement, or nil. If the run does not check plans, checkRemoval does not count candidates.
func (r *Resource) checkRemoval(ctx context.Context, state model, plan *model) []messages.Finding {
	removal := rules.Removal{
		Names: r.names(state.key()), ID: state.ID.ValueString(), Forget: state.forgets(), Supervised: state.supervised(),
		Replaces: plan != nil,
	}
	if plan != nil {
		removal.Unknown = state.replacedByUnknown(*plan)
	}
	if r.Run.ChecksPlan() {
		removal.Candidates = r.countInvited(ctx, state.key())
	}
	return append(rules.CheckRemoval(removal), rules.CheckSupervised(removal)...)
}

// completedSince reports whether a supervisor has completed the profile since the state of a removal was read. It reads
// the position assessment, unless this run has read it: Terraform 1.9 to 1.11 plan a removal before they refresh it,
// and with -refresh=false no CLI refreshes it. After a failed read, it returns false, and the apply still protects the
// profile.
func (r *Resource) completedSince(ctx context.Context, state model) bool {
	at, hasProfile := state.ref(), state.ProfileStatus.ValueString() != ""
	if !r.Run.Connected() || !hasProfile || state.supervised() || r.Run.Reads.HasRead(at.Position, at.ID) {
		return false
	}
	pa, err := read(ctx, r.Run.Run, at, prior{state.AssessmentID.ValueString(), run.Needs{Status: true}})
	return err == nil && pa.Metadata.ProfileStatus.OrZero() == assessapi.SupervisorCompleted
}

// countInvited counts the candidates who have been invited to a position assessment that a plan removes or replaces. A
// position that no longer exists has no candidates. If the plan does not read enough results to find such candidates,
// countInvited returns none and warns, once in a run for each reason.
func (r *Resource) countInvited(ctx context.Context, key run.Key) rules.Candidates {
	if !r.Run.Counted.MayCheckRemoval(key.Position) {
		r.Run.Warn("many removals", "Could not check all removals", fmt.Sprintf("This plan removes or replaces position "+
			"assessments on more than 40 positions. It checks only 40 of them, because each check is a request for results, "+
			"and the service allows only 30 of these a minute. Position %s is not checked.",
			r.Run.Lists.PositionLabel(key.Position))+uncheckedRemoval)
		return rules.Candidates{}
	}
	counted, err := countCandidates(ctx, r.Run.Run, key)
	switch {
	case assessapi.IsNotFound(err) && r.isMissing(ctx, key.Position):
		return rules.Candidates{}
	case err != nil, counted.AtLeast && counted.Invited == 0:
		r.Run.Warn("unseen removals", "Could not check all removals", r.unseen(key.Position, err)+uncheckedRemoval)
	}
	return counted
}

// isMissing reports whether the list of positions lacks a position. If the list comes from a cache or could not be
// read, isMissing returns false.
func (r *Resource) isMissing(ctx context.Context, position string) bool {
	list, err := r.Run.Lists.List(ctx, assessapi.Positions, "")
	return err == nil && !list.Cached && !hasItem(list.Elements, position)
}

const uncheckedRemoval = " So it is not known whether candidates have been invited to what the plan removes there. " +
	"If they have, the service rejects the removal during the apply." + otherPositions + "\n\nOptions: before you " +
	"apply, look in the service whether candidates have been invited."

// otherPositions is for warnings that name only the first position in a run.
const otherPositions = " The same may be true for other positions."

// unseen says why the candidates of a position are not known.
func (r *Resource) unseen(position string, err error) string {
	label := r.Run.Lists.PositionLabel(position)
	if err != nil {
		return fmt.Sprintf("Could not read the results of position %s. %s", label, run.Response(err))
	}
	return fmt.Sprintf("The results of position %s may be incomplete. Possible reasons: it has more than 1000 "+
		"candidates, a cache has answered, or the service does not show all results.", label)
}

// warnUnseen warns once in a run that the results of a position do not show which candidates a plan affects.
func (r *Resource) warnUnseen(position string, err error) {
	r.Run.Warn("unseen rankings", "Could not check all candidates", r.unseen(position, err)+
		" So it is not known whether candidates lose their ranking, or whether their scores can be compared."+otherPositions)
}

// warnSkipped warns once in a run that the plan does not read the results of all positions. Each position is planned in
// its own call, so the warning cannot say how many positions are skipped.
func (r *Resource) warnSkipped(position string) {
	r.Run.Warn("skipped rankings", "Could not check all candidates", fmt.Sprintf("This plan attaches or "+
		"changes assessments on more than 10 positions where candidates may have finished some. It looks only at 10 of "+
		"them, because each look is a request for results. On position %s and on all that follow, candidates may lose their "+
		"ranking, or their scores may not be comparable.", r.Run.Lists.PositionLabel(position)))
}

// checkUpdate returns what the service would reject about an update, and warns if it may make scores incomparable. It
// does not check an update that certainly sends nothing. After an import whose configuration no read has shown, it also
// warns that the update replaces the configuration, even if the run does not check plans.
func (r *Resource) checkUpdate(
	ctx context.Context, state, plan model, private privateState,
) (found []messages.Finding) {
	_, known := plan.configuration()
	if known && !state.changeTo(plan).Send {
		return nil
	}
	if private.ImportedHidden {
		found = append(found, messages.Warning("Update replaces hidden settings", messages.Sentence(named(r.Run.Run,
			state.ref(), state.AssessmentID.ValueString())+" was imported, and the service has shown no packages, benchmark or "+
			"tests of it. If it has any, the update replaces or removes them, because it sends only what the configuration "+
			"has.\n\nOptions: look up these settings on the website of the service, and add the blocks that are missing.")))
	}
	if !r.Run.ChecksPlan() {
		return found
	}
	before, desired := state.desired(), r.withActivations(plan.desired())
	found = append(found, rules.CheckUpdate(ctx, r.facts(), before, desired)...)
	if !before.SameScores(desired) {
		found = append(found, r.checkScores(ctx, state.key())...)
	}
	return found
}

// checkScores warns about candidates who have completed an assessment that the plan changes. If the plan does not read
// enough results to find such candidates, checkScores warns, once in a run for each reason.
func (r *Resource) checkScores(ctx context.Context, key run.Key) []messages.Finding {
	if !r.Run.Counted.MayCheckRanking(key.Position) {
		r.warnSkipped(key.Position)
		return nil
	}
	counted, err := countCandidates(ctx, r.Run.Run, key)
	if err != nil {
		r.warnUnseen(key.Position, err)
		return nil
	}
	if counted.Completed == 0 && counted.AtLeast { // the results do not show who has completed it
		r.warnUnseen(key.Position, nil)
		return nil
	}
	return rules.CheckScores(r.names(key), counted)
}

// planProfile plans the status and the address of the profile. While the configuration is not completely known, it
// leaves them as they are in the plan. If the update discards or may discard a supervisor's work, planProfile returns
// an error or a warning.
func (r *Resource) planProfile(state model, plan *model) []messages.Finding {
	label := func(id string) assessapi.Label {
		return r.Run.Lists.ProfileLabel(state.AssessmentID.ValueString(), id)
	}
	if _, known := plan.configuration(); !known {
		return checkUnknownProfile(state, *plan, label)
	}
	change := state.changeTo(*plan)
	attaches := change.Send && change.Configuration.Profile != nil
	// Once a supervisor has completed the profile, the state has the ID of the profile that was attached before.
	detaches := change.Send && !attaches && tf.HasBlock(state.Profile) && !state.supervised()
	switch {
	case change.MayReattach(), detaches:
		plan.ProfileStatus, plan.ProfileURL = types.StringUnknown(), types.StringUnknown()
	case attaches:
		plan.ProfileStatus, plan.ProfileURL = types.StringValue(assessapi.ProfileAttached), types.StringUnknown()
	default:
		plan.ProfileStatus, plan.ProfileURL = state.ProfileStatus, state.ProfileURL
	}
	return change.CheckProfile(label)
}

// checkUnknownProfile checks the profile of a configuration that is not completely known. If the profile's ID is
// unknown, the update may discard a supervisor's work.
func checkUnknownProfile(state, plan model, label func(id string) assessapi.Label) []messages.Finding {
	if !state.supervised() || !tf.StringIn(plan.Profile, "id").IsUnknown() {
		return nil
	}
	var was *assessapi.Label
	if tf.HasBlock(state.Profile) {
		attached := label(tf.StringIn(state.Profile, "id").ValueString())
		was = &attached
	}
	return rules.CheckUnknownProfile(was, plan.onSupervisorChange())
}

// withActivations adds the skills tests that this run has planned to enable.
func (r *Resource) withActivations(d rules.Desired) rules.Desired {
	d.Activations = map[string]bool{}
	for _, id := range d.Tests.IDs {
		d.Activations[id] = r.Run.Planned.Has(run.TestRef{Assessment: d.Assessment, Test: id})
	}
	return d
}

func (r *Resource) names(key run.Key) rules.Names {
	return rules.Names{
		Position: r.Run.Lists.PositionLabel(key.Position), Assessment: r.Run.Lists.AssessmentLabel(key.Assessment),
	}
}

// facts are the lists of the service, for the rules.
func (r *Resource) facts() rules.Facts { return facts{&r.Run.Lists, r.Run.Run} }

type facts struct {
	*run.Lists
	run *run.Run
}

// SkipList warns once in a run that the service does not offer a list.
func (f facts) SkipList(list string, err error) {
	f.run.Warn("list "+list, "Could not check the "+list, fmt.Sprintf("This service does not list %s. %s\n\n"+
		"So the plan does not check them, and the service decides during the apply.", list, run.Response(err)))
}
