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

// Complete completes an invitation, as the candidate does.
func (s *Service) Complete(t testing.TB, invitationID string) {
	t.Helper()
	if err := s.Update(func(st *sandbox.State) error { return st.Complete(invitationID) }); err != nil {
		t.Fatalf("completing an invitation: %v", err)
	}
}

// MarkPeople plants texts about people in a state: "needle N" in members that a service may
// add to the objects of lists, and "hidden needle N" in position assessments and results.
func MarkPeople(st *sandbox.State) {
	n, listed := 0, 0
	hidden := func() string { n++; return fmt.Sprintf("hidden needle %d", n) }
	mark := func(o *sandbox.Object) { listed++; o.Set("contact", fmt.Sprintf("needle %d.", listed)) }
	for i := range st.Assessments {
		a := &st.Assessments[i]
		mark(&a.Extra)
		for i := range a.Packages {
			mark(&a.Packages[i].Extra)
		}
		for i := range a.Benchmarks {
			mark(&a.Benchmarks[i].Extra)
		}
		for i := range a.Profiles {
			mark(&a.Profiles[i].Extra)
		}
		for i := range a.SkillsTests {
			mark(&a.SkillsTests[i].Object)
		}
	}
	for i := range st.Positions {
		p := &st.Positions[i]
		mark(&p.Extra)
		for j := range p.Assessments {
			p.Assessments[j].Metadata.Extra.Set(hidden(), hidden())
		}
		for j := range p.Candidates {
			c := &p.Candidates[j]
			c.ID, c.Name = hidden(), hidden()
			c.Extra.Set(hidden(), hidden())
			for k := range c.Results {
				result := &c.Results[k]
				result.Extra.Set(hidden(), hidden())
				if result.Percentile != nil {
					result.Classification, result.Validity = hidden(), hidden()
				}
				for l := range result.Invitations {
					result.Invitations[l].ID = hidden()
				}
			}
		}
	}
}
