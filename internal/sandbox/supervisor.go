// SPDX-License-Identifier: MPL-2.0

package sandbox

import "fmt"

// profileStatus is the status that a creation or an update leads to (section
// 3.1): an attached profile always counts, and without one only an attached
// profile is taken away.
func profileStatus(kind Kind, profile, before string) string {
	switch {
	case !kind.isTwoSided():
		return ""
	case profile != "":
		return ProfileAttached
	case before == "" || before == ProfileAttached:
		return SupervisorToComplete
	default:
		return before
	}
}

// CompleteProfile does what a supervisor does at profileUrl: the profile is
// completed or replaced, and an attached one is no longer returned (section
// 3.1). It fails where there is nothing to complete.
func (st *State) CompleteProfile(positionID, positionAssessmentID string) error {
	position := st.Position(positionID)
	if position == nil {
		return fmt.Errorf("there is no position %q", positionID)
	}
	attached := position.Assessment(positionAssessmentID)
	if attached == nil {
		return fmt.Errorf("position %q has no assessment %q", positionID, positionAssessmentID)
	}
	if attached.Metadata.ProfileStatus == "" {
		return fmt.Errorf("the assessment %q takes no profile", attached.Assessment)
	}
	attached.Metadata.ProfileStatus = SupervisorCompleted
	attached.Metadata.Profile = ""
	return nil
}

// Attach adds an assessment to a position without any check, as a rival does
// or another service would, and returns the new id.
func (st *State) Attach(positionID, assessmentID string, metadata Metadata) (string, error) {
	position := st.Position(positionID)
	if position == nil {
		return "", fmt.Errorf("there is no position %q", positionID)
	}
	assessment := st.Assessment(assessmentID)
	if assessment == nil {
		return "", fmt.Errorf("there is no assessment %q", assessmentID)
	}
	if metadata.ProfileStatus == "" {
		metadata.ProfileStatus = profileStatus(assessment.Kind, metadata.Profile, "")
	}
	attached := PositionAssessment{ID: st.NextID("pas"), Assessment: assessmentID, Metadata: metadata}
	position.Assessments = append(position.Assessments, attached)
	return attached.ID, nil
}
