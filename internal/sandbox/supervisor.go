// SPDX-License-Identifier: MPL-2.0

package sandbox

import "fmt"

// profileStatus returns the profile status of a position assessment after a creation or an update
// (getPositionAssessment, assumption A5). It returns "" if the assessment is not two-sided. The parameter before is the
// status before an update, or "" for a creation. An update without a profile changes PROFILE_ATTACHED to
// SUPERVISOR_TO_COMPLETE and keeps every other status.
func profileStatus(assessment *Assessment, profile, before string) string {
	switch {
	case !assessment.isTwoSided():
		return ""
	case profile != "":
		return ProfileAttached
	case before == "" || before == ProfileAttached:
		return SupervisorToComplete
	default:
		return before
	}
}

// CompleteProfile does what a supervisor does at profileUrl. It completes the profile, or replaces the attached
// profile, which responses then omit (getPositionAssessment). It returns an error if the position or the position
// assessment does not exist, or if the position assessment has no profile status.
func (st *State) CompleteProfile(positionID, positionAssessmentID string) error {
	_, attached := st.Attached(positionID, positionAssessmentID)
	if attached == nil || attached.Metadata.ProfileStatus == "" {
		return fmt.Errorf("position %q has no profile for an assessment %q", positionID, positionAssessmentID)
	}
	attached.Metadata.ProfileStatus = SupervisorCompleted
	attached.Metadata.Profile = ""
	return nil
}

// Attach attaches an assessment to a position without checking the metadata, as a client of a less strict service
// could, and returns the id of the new position assessment. If the metadata have no profile status, Attach sets the
// status that attachAssessment sets. Attach returns an error if the position or the assessment does not exist.
func (st *State) Attach(positionID, assessmentID string, metadata Metadata) (string, error) {
	position, assessment := st.Position(positionID), st.Assessment(assessmentID)
	if position == nil || assessment == nil {
		return "", fmt.Errorf("there is no position %q, or no assessment %q", positionID, assessmentID)
	}
	return st.attach(position, assessment, metadata).ID, nil
}

// attach does what [State.Attach] does. The returned position assessment points into the state.
func (st *State) attach(position *Position, assessment *Assessment, metadata Metadata) *PositionAssessment {
	if metadata.ProfileStatus == "" {
		metadata.ProfileStatus = profileStatus(assessment, metadata.Profile, "")
	}
	added := PositionAssessment{ID: st.NextID("pas"), Assessment: assessment.ID, Metadata: metadata}
	position.Assessments = append(position.Assessments, added)
	return position.Assessment(added.ID)
}
