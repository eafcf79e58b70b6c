// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"cmp"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Values of on_supervisor_change and of on_refused_removal.
const (
	onChangeKeep     = string(rules.Keep)
	onChangeReattach = string(rules.Reattach)

	onRefusalFail   = "fail"
	onRefusalForget = "forget"
)

// model is the resource in a configuration, plan or state. The blocks are objects, because a whole block may be
// unknown.
type model struct {
	ID            types.String `tfsdk:"id"`
	PositionID    types.String `tfsdk:"position_id"`
	AssessmentID  types.String `tfsdk:"assessment_id"`
	Packages      types.Object `tfsdk:"packages"`
	Benchmark     types.Object `tfsdk:"benchmark"`
	Profile       types.Object `tfsdk:"profile"`
	Tests         types.Object `tfsdk:"tests"`
	ProfileStatus types.String `tfsdk:"profile_status"`
	ProfileURL    types.String `tfsdk:"profile_url"`
	SelfLink      types.String `tfsdk:"self_link"`

	OnRefusedRemoval types.String `tfsdk:"on_refused_removal"`
}

var (
	packagesType  = map[string]attr.Type{"ids": types.SetType{ElemType: types.StringType}, "select": types.StringType}
	benchmarkType = map[string]attr.Type{"id": types.StringType}
	profileType   = map[string]attr.Type{"id": types.StringType, "on_supervisor_change": types.StringType}
	testsType     = map[string]attr.Type{"ids": types.SetType{ElemType: types.StringType}}
)

func packagesBlock(ids types.Set, selected types.String) types.Object {
	return types.ObjectValueMust(packagesType, map[string]attr.Value{"ids": ids, "select": selected})
}

func benchmarkBlock(id string) types.Object {
	return types.ObjectValueMust(benchmarkType, map[string]attr.Value{"id": types.StringValue(id)})
}

func profileBlock(id, onChange types.String) types.Object {
	return types.ObjectValueMust(profileType, map[string]attr.Value{"id": id, "on_supervisor_change": onChange})
}

func testsBlock(ids []string) types.Object {
	return types.ObjectValueMust(testsType, map[string]attr.Value{"ids": tf.IDSet(ids)})
}

// identityModel is the identity of the resource.
type identityModel struct {
	PositionID types.String `tfsdk:"position_id"`
	ID         types.String `tfsdk:"id"`
}

func (m model) identity() identityModel { return identityModel{m.PositionID, m.ID} }

func (m model) ref() ref { return ref{m.PositionID.ValueString(), m.ID.ValueString()} }

func (m model) key() run.Key {
	return run.Key{Position: m.PositionID.ValueString(), Assessment: m.AssessmentID.ValueString()}
}

// isImport reports whether the state contains only the two IDs, as after an import.
func (m model) isImport() bool { return m.AssessmentID.IsNull() }

// supervised reports whether a supervisor has completed the profile. The service then no longer returns the ID of the
// profile.
func (m model) supervised() bool {
	return m.ProfileStatus.ValueString() == assessapi.SupervisorCompleted
}

// onSupervisorChange returns the value of on_supervisor_change. Without a block, it is the default.
func (m model) onSupervisorChange() rules.OnChange {
	value := tf.StringIn(m.Profile, "on_supervisor_change")
	switch {
	case value.IsUnknown():
		return rules.Undecided
	case value.IsNull():
		return rules.Keep
	}
	return rules.OnChange(value.ValueString())
}

// forgets reports whether the resource is removed from the state if the service rejects the removal of the position
// assessment.
func (m model) forgets() bool { return m.OnRefusedRemoval.ValueString() == onRefusalForget }

// replacedBy reports whether a plan replaces the position assessment instead of updating it. ModifyPlan cannot ask the
// framework, which decides that later.
func (m model) replacedBy(plan model) bool {
	return !m.PositionID.Equal(plan.PositionID) || !m.AssessmentID.Equal(plan.AssessmentID)
}

// replacedByUnknown returns "position_id" or "assessment_id" if a plan replaces the position assessment only because
// the value of this attribute is not known yet. If both values are unknown, it returns "position_id". Otherwise, it
// returns "".
func (m model) replacedByUnknown(plan model) string {
	switch {
	case plan.PositionID.IsUnknown() && (plan.AssessmentID.IsUnknown() || plan.AssessmentID.Equal(m.AssessmentID)):
		return "position_id"
	case plan.AssessmentID.IsUnknown() && plan.PositionID.Equal(m.PositionID):
		return "assessment_id"
	}
	return ""
}

// desired returns the configuration of the model in the form that the rules check. It does not set what other resources
// or the service contribute, such as Activations.
func (m model) desired() rules.Desired {
	return rules.Desired{
		Position: m.PositionID.ValueString(), Assessment: m.AssessmentID.ValueString(),
		Packages: blockWithIDs(m.Packages), Benchmark: blockWithID(m.Benchmark), Profile: blockWithID(m.Profile),
		Tests: blockWithIDs(m.Tests),
	}
}

// blockWithIDs converts a block with the attribute ids.
func blockWithIDs(block types.Object) (b rules.Block) {
	ids := tf.IDsIn(block)
	b.Set, b.Unknown = tf.BlockIn(block)
	b.IDs, b.Known = tf.KnownIDs(ids)
	b.Null = ids.IsNull()
	return b
}

// blockWithID converts a block with the attribute id.
func blockWithID(block types.Object) (b rules.Block) {
	id := tf.StringIn(block, "id")
	b.Set, b.Unknown = tf.BlockIn(block)
	b.Null, b.Known = id.IsNull(), !id.IsNull() && !id.IsUnknown()
	if b.Known {
		b.IDs = []string{id.ValueString()}
	}
	return b
}

// configuration is what a write sends for the model. known is false if any part of it is unknown.
func (m model) configuration() (c assessapi.Configuration, known bool) {
	return m.desired().Configuration()
}

// changeTo returns the change from the model to a plan whose configuration is completely known.
func (m model) changeTo(plan model) rules.Change {
	has, _ := m.configuration()
	wants, _ := plan.configuration()
	return rules.ChangeOf(has, wants, m.supervised(), plan.onSupervisorChange())
}

// refresh updates a state with the values that a read shows. After an import, it also sets on_refused_removal to its
// default. An attribute that the read omits keeps its value, as far as the privacy setting allows. For the blocks and
// the profile, see [model.refreshBlocks] and [model.refreshProfile].
func (m *model) refresh(pa assessapi.PositionAssessment, isReadable func(key string) bool, p tf.Privacy) {
	if m.isImport() {
		m.OnRefusedRemoval = types.StringValue(onRefusalFail)
	}
	if assessment, ok := pa.AssessmentID.Get(); ok {
		m.AssessmentID = types.StringValue(assessment)
	}
	// An earlier run may have stored the addresses in standard mode.
	m.SelfLink = p.SelfLink(cmp.Or(pa.SelfLink, m.SelfLink.ValueStringPointer()))
	m.ProfileURL = p.Personal(m.ProfileURL)
	if pa.HasMetadata {
		m.refreshBlocks(pa.Metadata, isReadable)
		m.refreshProfile(pa.Metadata, p)
	}
}

// refreshBlocks updates the blocks other than the profile. It removes a block that the metadata show as empty. It also
// removes a block that they omit, if isReadable reports true for its key: reads would show the key if the position
// assessment had the block (assumption A22).
func (m *model) refreshBlocks(metadata assessapi.Metadata, isReadable func(key string) bool) {
	shown := rules.ConfigurationOf(metadata) // without empty values
	isKnown := func(key string) bool { return metadata.Shows(key) || isReadable(key) }
	switch {
	case shown.Packages != nil:
		m.Packages = packagesBlock(tf.IDSet(shown.Packages), tf.StringIn(m.Packages, "select"))
	case isKnown("packages"):
		m.Packages = types.ObjectNull(packagesType)
	}
	switch {
	case shown.Benchmark != nil:
		m.Benchmark = benchmarkBlock(*shown.Benchmark)
	case isKnown("benchmark"):
		m.Benchmark = types.ObjectNull(benchmarkType)
	}
	switch {
	case shown.Tests != nil:
		m.Tests = testsBlock(shown.Tests)
	case isKnown("tests"):
		m.Tests = types.ObjectNull(testsType)
	}
}

// refreshProfile updates the profile, its status and its address. A value that metadata do not show stays, but the
// profile is removed if metadata show that no profile is attached. Once a supervisor has completed the profile, the
// service no longer returns the profile's ID. The model then keeps the ID of the profile that was attached before,
// because the supervisor's work is not drift.
func (m *model) refreshProfile(metadata assessapi.Metadata, p tf.Privacy) {
	if metadata.ProfileStatus.Shown {
		m.ProfileStatus = types.StringPointerValue(metadata.ProfileStatus.Value)
	}
	if metadata.ProfileURL.Shown {
		m.ProfileURL = p.Personal(types.StringPointerValue(metadata.ProfileURL.Value))
	}
	if profile, ok := metadata.Profile.Get(); ok {
		onChange := tf.StringIn(m.Profile, "on_supervisor_change")
		if onChange.IsNull() { // after an import, or if it was attached outside Terraform
			onChange = types.StringValue(onChangeKeep)
		}
		m.Profile = profileBlock(types.StringValue(profile), onChange)
	} else if showsNoProfile(metadata, m.ProfileStatus.ValueString()) {
		m.Profile = types.ObjectNull(profileType)
	}
}

// showsNoProfile reports whether metadata that contain no profile ID show that no profile is attached. status is the
// last known status of the profile.
func showsNoProfile(metadata assessapi.Metadata, status string) bool {
	switch status {
	case assessapi.SupervisorCompleted: // a profile is attached, and the service does not return its ID
		return false
	case "", assessapi.SupervisorToComplete:
		return metadata.Profile.Shown || metadata.ProfileStatus.Shown
	}
	return metadata.Profile.Shown
}

// settle fills in the attributes that the plan left unknown, with the values that pa shows after a write. An attribute
// that pa omits is null until the next refresh.
func (m *model) settle(pa assessapi.PositionAssessment, p tf.Privacy) {
	if m.ID.IsUnknown() {
		m.ID = types.StringValue(pa.ID)
	}
	if m.ProfileStatus.IsUnknown() {
		m.ProfileStatus = types.StringPointerValue(pa.Metadata.ProfileStatus.Value)
	}
	if m.ProfileURL.IsUnknown() {
		m.ProfileURL = p.Personal(types.StringPointerValue(pa.Metadata.ProfileURL.Value))
	}
	if m.SelfLink.IsUnknown() {
		m.SelfLink = p.SelfLink(pa.SelfLink)
	}
}
