// SPDX-License-Identifier: MPL-2.0

package assessapi

import "slices"

// Values of [Metadata.ProfileStatus] in the contract. A service may
// return others.
const (
	ProfileAttached     = "PROFILE_ATTACHED"
	SupervisorCompleted = "SUPERVISOR_COMPLETED"
)

var positionAssessments = Objects[PositionAssessment]{
	name: "position assessment", route: "/positions/{position}/assessments",
	fields: "organizationAssessment,metadata", required: "organizationAssessment", read: readPositionAssessment,
	body: requestBody, like: likePositionAssessment,
	key:     func(pa *PositionAssessment) (*string, **string) { return &pa.ID, &pa.SelfLink },
	isWhole: func(pa PositionAssessment) bool { return pa.AssessmentID != "" },
}

// PositionAssessment is an assessment attached to a position (attachAssessment).
type PositionAssessment struct {
	ID           string
	AssessmentID string // `organizationAssessment`
	SelfLink     *string
	Metadata     Metadata
	HasMetadata  bool    // whether the response had metadata
	Extra        *string // sensitive, because it contains other members of the metadata
}

// Metadata is the configuration of a position assessment (attachAssessment). Requests contain
// Packages, Benchmark, Profile and Tests, except those that are nil.
type Metadata struct {
	Packages      []string
	Benchmark     *string
	Profile       *string
	Tests         []string
	ProfileStatus *string
	ProfileURL    *string
}

// Equal reports whether both contain the same configuration. Ids are compared as sets,
// and members that only the service writes are ignored.
func (m Metadata) Equal(other Metadata) bool { return m.Key() == other.Key() }

// Key returns the same text for all metadata that [Metadata.Equal] considers equal.
func (m Metadata) Key() string {
	return string(marshal([]any{sortedUnique(m.Packages), m.Benchmark, m.Profile, sortedUnique(m.Tests)}))
}

// sortedUnique sorts ids and drops duplicates.
func sortedUnique(ids []string) []string {
	return append([]string{}, slices.Compact(slices.Sorted(slices.Values(ids)))...)
}

// Configured reports whether there are packages, a benchmark or tests, which some
// services omit from responses (assumption A22).
func (m Metadata) Configured() bool {
	return m.Packages != nil || m.Benchmark != nil || m.Tests != nil
}

// IsCompleted reports whether a supervisor has completed the profile.
func (m Metadata) IsCompleted() bool {
	return m.ProfileStatus != nil && *m.ProfileStatus == SupervisorCompleted
}

// requestBody returns the body of attachAssessment and updatePositionAssessment. Members of the metadata that are nil
// are absent, which removes them (assumption A5).
func requestBody(pa PositionAssessment) []byte {
	m, metadata := pa.Metadata, map[string]any{}
	if m.Packages != nil {
		metadata["packages"] = sortedUnique(m.Packages)
	}
	if m.Benchmark != nil {
		metadata["benchmark"] = *m.Benchmark
	}
	if m.Profile != nil {
		metadata["profile"] = *m.Profile
	}
	if m.Tests != nil {
		metadata["tests"] = sortedUnique(m.Tests)
	}
	return marshal(map[string]any{"organizationAssessment": pa.AssessmentID, "metadata": metadata})
}

func readPositionAssessment(o *jsonObject) PositionAssessment {
	pa := PositionAssessment{
		ID: o.text("id"), AssessmentID: o.text("organizationAssessment"), SelfLink: o.selfLink(),
	}
	if m := o.object("metadata"); m != nil {
		pa.HasMetadata = true
		pa.Metadata = Metadata{
			Packages:      m.someStrings("packages"),
			Benchmark:     m.someString("benchmark"),
			Profile:       m.someString("profile"),
			Tests:         m.someStrings("tests"),
			ProfileStatus: m.someString("profileStatus"),
			ProfileURL:    m.someString("profileUrl"),
		}
		o.join("metadata", m)
	}
	pa.Extra = o.extra()
	return pa
}

// PositionAssessments are the assessments of positions (assumption A7).
func (c *Client) PositionAssessments() Objects[PositionAssessment] { return positionAssessments.of(c) }

func likePositionAssessment(wanted, got PositionAssessment) Likeness {
	switch {
	case got.AssessmentID != "" && got.AssessmentID != wanted.AssessmentID:
		return Unlike
	case got.AssessmentID == "" && got.ID == wanted.AssessmentID:
		return Unlike // the assessment itself, which some services return after they have attached it
	case got.AssessmentID != "" && got.HasMetadata && got.Metadata.Equal(wanted.Metadata):
		return Alike
	}
	return Unclear
}
