// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

const (
	onChangeKeep     = "keep"
	onChangeReattach = "reattach"

	selectAll       = "all"
	selectMandatory = "mandatory"
)

// positionAssessmentModel is the resource as Terraform has it. The blocks are
// objects because one may be unknown as a whole.
type positionAssessmentModel struct {
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
	return types.ObjectValueMust(testsType, map[string]attr.Value{"ids": idSet(ids)})
}

func (m positionAssessmentModel) attachment() attachment {
	return attachment{position: m.PositionID.ValueString(), id: m.ID.ValueString()}
}

// metadata is what the model configures. known is false while any part of it
// is unknown.
func (m positionAssessmentModel) metadata() (metadata assessapi.Metadata, known bool) {
	known = true
	ids := func(block types.Object) []string {
		set := idsIn(block)
		if set.IsNull() {
			return nil
		}
		list, ok := knownIDs(set)
		known = known && ok
		return list
	}
	id := func(block types.Object) *string {
		value := stringIn(block, "id")
		known = known && !value.IsUnknown()
		return value.ValueStringPointer()
	}
	metadata = assessapi.Metadata{Packages: ids(m.Packages), Benchmark: id(m.Benchmark), Profile: id(m.Profile), Tests: ids(m.Tests)}
	return metadata, known
}

// serviceKnowledge is what the private state remembers of the service's answers
// for a resource.
type serviceKnowledge struct {
	// Carried: an answer has held packages, benchmark or tests, so their absence
	// from a later one means something (assumption A22).
	Carried bool `json:"carried,omitempty"`
	// Supervised: a supervisor has completed the profile, and the service
	// returns none.
	Supervised bool `json:"supervised,omitempty"`
}

// refresh takes over what the service says.
//
// Where it does not return packages, benchmark and tests at all, what the state
// holds of them is kept (assumption A22). Where a supervisor has replaced an
// attached profile, its id is kept too: the supervisor's work is not drift.
func (m *positionAssessmentModel) refresh(pa assessapi.PositionAssessment, carried bool) serviceKnowledge {
	m.AssessmentID = types.StringValue(pa.AssessmentID)
	if pa.SelfLink != nil {
		m.SelfLink = types.StringValue(*pa.SelfLink)
	}
	m.ProfileStatus = types.StringPointerValue(pa.Metadata.ProfileStatus)
	m.ProfileURL = types.StringPointerValue(pa.Metadata.ProfileURL)

	switch {
	case len(pa.Metadata.Packages) > 0:
		m.Packages = packagesBlock(idSet(pa.Metadata.Packages), stringIn(m.Packages, "select"))
	case carried:
		m.Packages = types.ObjectNull(packagesType)
	}
	switch {
	case pa.Metadata.Benchmark != nil:
		m.Benchmark = benchmarkBlock(*pa.Metadata.Benchmark)
	case carried:
		m.Benchmark = types.ObjectNull(benchmarkType)
	}
	switch {
	case len(pa.Metadata.Tests) > 0:
		m.Tests = testsBlock(pa.Metadata.Tests)
	case carried:
		m.Tests = types.ObjectNull(testsType)
	}

	known := serviceKnowledge{Carried: carried}
	switch {
	case pa.Metadata.Profile != nil:
		onChange := stringIn(m.Profile, "on_supervisor_change")
		if onChange.IsNull() { // after an import, or attached outside
			onChange = types.StringValue(onChangeKeep)
		}
		m.Profile = profileBlock(types.StringPointerValue(pa.Metadata.Profile), onChange)
	case m.ProfileStatus.ValueString() == assessapi.SupervisorCompleted:
		known.Supervised = true
	default:
		m.Profile = types.ObjectNull(profileType)
	}
	return known
}

// settle fills in what the answer to a write says, and what it leaves open
// becomes null until the next refresh.
func (m *positionAssessmentModel) settle(pa assessapi.PositionAssessment) {
	fill := func(value *types.String, answer *string) {
		if value.IsUnknown() {
			*value = types.StringPointerValue(answer)
		}
	}
	if m.ID.IsUnknown() {
		m.ID = types.StringValue(pa.ID)
	}
	fill(&m.ProfileStatus, pa.Metadata.ProfileStatus)
	fill(&m.ProfileURL, pa.Metadata.ProfileURL)
	fill(&m.SelfLink, pa.SelfLink)
}

// change is what an update amounts to.
type change struct {
	metadata   assessapi.Metadata // to be sent
	send       bool               // whether it differs from what the service has
	reattaches bool               // a supervisor's profile is replaced because the configuration says so
	replaces   bool               // a supervisor's profile is replaced by another one
	unclear    bool               // a profile was never ours, and the configuration does not say to replace it
}

// changeTo compares the model with the one that is planned. Everything planned
// must be known.
func (m positionAssessmentModel) changeTo(plan positionAssessmentModel, supervised bool) change {
	has, _ := m.metadata()
	wants, _ := plan.metadata()
	c := change{metadata: wants}
	if supervised {
		before := has.Profile
		has.Profile = nil // the service returns none any more
		switch reattach := stringIn(plan.Profile, "on_supervisor_change").ValueString() == onChangeReattach; {
		case wants.Profile == nil: // forgetting it is a matter of the state alone
		case reattach:
			c.reattaches = true
		case before == nil:
			c.unclear = true
		case *before == *wants.Profile:
			wants.Profile = nil // the supervisor's work stays
		default:
			c.replaces = true
		}
	}
	c.send = !wants.Equal(has)
	return c
}
