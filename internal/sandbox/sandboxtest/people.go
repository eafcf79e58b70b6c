// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Invite invites a new candidate to an assessment of a position, as a recruiter does, and returns the ID of the
// invitation. After that, the service rejects the removal of the assessment from the position (assumption A28).
func (s *Service) Invite(t testing.TB, positionID, assessmentID string) (invitationID string) {
	t.Helper()
	err := s.Update(func(st *sandbox.State) (err error) {
		id, position := st.NextID("cnd"), st.Position(positionID)
		position.Candidates = append(position.Candidates, sandbox.Candidate{ID: id, Name: "Candidate " + id})
		invitationID, err = st.Invite(positionID, id, assessmentID, sandbox.Remote)
		return err
	})
	if err != nil {
		t.Fatalf("inviting a candidate: %v", err)
	}
	return invitationID
}

// Complete completes an invitation, as the candidate does.
func (s *Service) Complete(t testing.TB, invitationID string) {
	t.Helper()
	if err := s.Update(func(st *sandbox.State) error { return st.Complete(invitationID) }); err != nil {
		t.Fatalf("completing an invitation: %v", err)
	}
}
