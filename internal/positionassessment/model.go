// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

const (
	onChangeKeep     = "keep"
	onChangeReattach = "reattach"

	onRefusalFail   = "fail"
	onRefusalForget = "forget"
)

// model is the resource in a configuration, plan or state. The blocks
// are objects, because a whole block may be unknown.
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

func (m model) ref() Ref {
	return Ref{Position: m.PositionID.ValueString(), ID: m.ID.ValueString()}
}

// object describes the position assessment to a plan that removes or replaces it.
func (m model) object() ManagedObject {
	return ManagedObject{
		Ref: m.ref(), Assessment: m.AssessmentID.ValueString(), Forget: m.forgets(), Status: m.ProfileStatus.ValueString(),
	}
}

// supervised reports whether a supervisor has completed the profile, and the service does not
// return its id. Without a private state, and if the state has no profile, the status decides.
func (m model) supervised(memory *catalog.Memory) bool {
	if m.ProfileStatus.ValueString() != assessapi.SupervisorCompleted {
		return false
	}
	return memory == nil || memory.Supervised || m.Profile.IsNull()
}

// reattaches reports whether an update may discard the profile that a supervisor has completed.
func (m model) reattaches() bool {
	return tf.StringIn(m.Profile, "on_supervisor_change").ValueString() == onChangeReattach
}

// forgets reports whether the resource is dropped from the state if the service refuses
// to remove the position assessment.
func (m model) forgets() bool {
	return m.OnRefusedRemoval.ValueString() == onRefusalForget
}

// replacedBy reports whether a plan replaces the position assessment instead of updating
// it. ModifyPlan cannot ask the framework, which decides that later.
func (m model) replacedBy(plan model) bool {
	return !m.PositionID.Equal(plan.PositionID) || !m.AssessmentID.Equal(plan.AssessmentID)
}

// desired is the configuration of the model in the form that the rules check.
func (m model) desired() rules.Desired {
	several := func(block types.Object) (b rules.Block) {
		ids := tf.IDsIn(block)
		b.Set, b.Unknown = tf.BlockIn(block)
		b.IDs, b.Known = tf.KnownIDs(ids)
		b.Null = ids.IsNull()
		return b
	}
	one := func(block types.Object) (b rules.Block) {
		id := tf.StringIn(block, "id")
		b.Set, b.Unknown = tf.BlockIn(block)
		b.Null = id.IsNull()
		if b.Known = !b.Null && !id.IsUnknown(); b.Known {
			b.IDs = []string{id.ValueString()}
		}
		return b
	}
	return rules.Desired{
		Position: m.PositionID.ValueString(), Assessment: m.AssessmentID.ValueString(),
		Packages: several(m.Packages), Benchmark: one(m.Benchmark), Profile: one(m.Profile), Tests: several(m.Tests),
	}
}

// metadata is the configuration of the model as the service takes it. known is false if any part of it is unknown.
func (m model) metadata() (metadata assessapi.Metadata, known bool) {
	return m.desired().Metadata()
}

// refresh updates the model with a response of the service.
//
// If the service does not return packages, benchmark and tests, the model keeps its blocks
// (assumption A22). If a supervisor has replaced an attached profile, the model keeps the
// id of that profile, because the supervisor's work is not drift.
func (m *model) refresh(found readAssessment, p tf.Privacy) {
	if m.AssessmentID.IsNull() { // after an import
		m.OnRefusedRemoval = types.StringValue(onRefusalFail)
	}
	m.AssessmentID = types.StringValue(found.AssessmentID)
	if found.SelfLink != nil {
		m.SelfLink = p.SelfLink(found.SelfLink)
	}
	metadata := found.Metadata
	m.ProfileStatus = types.StringPointerValue(metadata.ProfileStatus)
	m.ProfileURL = p.Personal(types.StringPointerValue(metadata.ProfileURL))
	if !found.Hidden {
		m.setBlocks(metadata)
	}
	switch {
	case metadata.Profile != nil:
		onChange := tf.StringIn(m.Profile, "on_supervisor_change")
		if onChange.IsNull() { // after an import, or if it was attached outside Terraform
			onChange = types.StringValue(onChangeKeep)
		}
		m.Profile = profileBlock(types.StringPointerValue(metadata.Profile), onChange)
	case !found.Memory.Supervised:
		m.Profile = types.ObjectNull(profileType)
	}
}

// setBlocks replaces packages, benchmark and tests.
func (m *model) setBlocks(metadata assessapi.Metadata) {
	selected := tf.StringIn(m.Packages, "select")
	m.Packages, m.Benchmark = types.ObjectNull(packagesType), types.ObjectNull(benchmarkType)
	m.Tests = types.ObjectNull(testsType)
	if len(metadata.Packages) > 0 {
		m.Packages = packagesBlock(tf.IDSet(metadata.Packages), selected)
	}
	if metadata.Benchmark != nil {
		m.Benchmark = benchmarkBlock(*metadata.Benchmark)
	}
	if len(metadata.Tests) > 0 {
		m.Tests = testsBlock(metadata.Tests)
	}
}

// needs says which attributes of the profile the plan does not know.
func (m *model) needs() profileNeeds {
	return profileNeeds{Status: m.ProfileStatus.IsUnknown(), URL: m.ProfileURL.IsUnknown()}
}

// settle sets the attributes that the plan did not know from the response to a write. What
// the response does not contain is null until the next refresh.
func (m *model) settle(pa assessapi.PositionAssessment, p tf.Privacy) {
	fill := func(value *types.String, response types.String) {
		if value.IsUnknown() {
			*value = response
		}
	}
	if m.ID.IsUnknown() {
		m.ID = types.StringValue(pa.ID)
	}
	fill(&m.ProfileStatus, types.StringPointerValue(pa.Metadata.ProfileStatus))
	fill(&m.ProfileURL, p.Personal(types.StringPointerValue(pa.Metadata.ProfileURL)))
	fill(&m.SelfLink, p.SelfLink(pa.SelfLink))
}

// changeTo compares the model with a planned one that is completely known.
func (m model) changeTo(plan model, supervised bool) rules.Change {
	has, _ := m.metadata()
	wants, _ := plan.metadata()
	return rules.ChangeOf(has, wants, supervised, plan.reattaches())
}
