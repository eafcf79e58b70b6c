// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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

// Difference says in which blocks another configuration differs, such as `benchmark (existing: "bmk-1", here: none)`.
// Of packages and tests, it shows the ids that only one of them has. It is empty if both are equal.
func (m Metadata) Difference(here Metadata) string {
	existing, others := m.ids(), here.ids()
	var all []string
	for i, block := range []string{"packages", "benchmark", "profile", "tests"} {
		gone, added := withoutIDs(existing[i], others[i]), withoutIDs(others[i], existing[i])
		switch {
		case len(gone)+len(added) == 0:
		case block == "packages" || block == "tests":
			sides := []string{side("only in the existing one", gone), side("only here", added)}
			sides = slices.DeleteFunc(sides, func(s string) bool { return s == "" })
			all = append(all, fmt.Sprintf("%s (%s)", block, strings.Join(sides, "; ")))
		default:
			there := cmp.Or(side("existing", gone), "existing: none")
			if block == "profile" && m.IsCompleted() {
				there = "existing: completed by a supervisor"
			}
			all = append(all, fmt.Sprintf("%s (%s, %s)", block, there, cmp.Or(side("here", added), "here: none")))
		}
	}
	return strings.Join(all, ", ")
}

// ids returns the ids of packages, benchmark, profile and tests.
func (m Metadata) ids() (all [4][]string) {
	all[0], all[3] = m.Packages, m.Tests
	for i, id := range []*string{m.Benchmark, m.Profile} {
		if id != nil {
			all[i+1] = []string{*id}
		}
	}
	return all
}

// withoutIDs returns the ids that are not among others, each once.
func withoutIDs(ids, others []string) []string {
	return slices.DeleteFunc(sortedUnique(ids), func(id string) bool { return slices.Contains(others, id) })
}

// side names one side of a difference and its ids, but not more than three, or returns "" if there are none.
func side(name string, ids []string) string {
	const most = 3
	quoted := make([]string, 0, most)
	for _, id := range ids[:min(len(ids), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", id))
	}
	switch text := name + ": " + strings.Join(quoted, ", "); {
	case len(ids) == 0:
		return ""
	case len(ids) > most:
		return fmt.Sprintf("%s and %d more", text, len(ids)-most)
	default:
		return text
	}
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
	case got.AssessmentID != "" && got.HasMetadata && got.Metadata.Equal(wanted.Metadata):
		return Alike
	}
	return Unclear
}
