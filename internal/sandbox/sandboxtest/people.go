// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Invite invites a new candidate to an assessment of a position, as a recruiter does,
// and returns the id of the invitation. After that, the service rejects the removal of the
// assessment from the position (assumption A28). Invite returns an error if the
// position does not have the assessment.
func Invite(st *sandbox.State, positionID, assessmentID string) (string, error) {
	isIt := func(a sandbox.PositionAssessment) bool { return a.Assessment == assessmentID }
	position := st.Position(positionID)
	if position == nil || !slices.ContainsFunc(position.Assessments, isIt) {
		return "", fmt.Errorf("position %q does not have the assessment %q", positionID, assessmentID)
	}
	id := st.NextID("cnd")
	position.Candidates = append(position.Candidates, sandbox.Candidate{ID: id, Name: "Candidate " + id})
	return st.Invite(positionID, id, assessmentID, sandbox.Remote)
}

// Invite calls the function [Invite] for the current state. It fails the test instead
// of returning an error.
func (s *Service) Invite(t testing.TB, positionID, assessmentID string) (invitationID string) {
	t.Helper()
	err := s.Update(func(st *sandbox.State) (err error) {
		invitationID, err = Invite(st, positionID, assessmentID)
		return err
	})
	if err != nil {
		t.Fatalf("inviting a candidate: %v", err)
	}
	return invitationID
}

// Complete completes an invitation, as a candidate does in one or two steps.
func Complete(st *sandbox.State, invitationID string) error {
	err := st.Sit(invitationID)
	if err == nil && st.Invitation(invitationID).Invitation.Status == sandbox.InProgress {
		err = st.Sit(invitationID)
	}
	return err
}

// Complete calls the function [Complete] for the current state. It fails the test instead of returning an error.
func (s *Service) Complete(t testing.TB, invitationID string) {
	t.Helper()
	if err := s.Update(func(st *sandbox.State) error { return Complete(st, invitationID) }); err != nil {
		t.Fatalf("completing an invitation: %v", err)
	}
}
