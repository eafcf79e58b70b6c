// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"time"
)

// classifications contains the lowest percentile of each classification, highest first. The specification names only
// FAR_ABOVE_AVERAGE.
var classifications = []struct {
	from float64
	name string
}{
	{93, "FAR_ABOVE_AVERAGE"},
	{70, "ABOVE_AVERAGE"},
	{31, "AVERAGE"},
	{8, "BELOW_AVERAGE"},
	{0, "FAR_BELOW_AVERAGE"},
}

// deviation is how many percentiles a later sitting may differ from the result without changing it.
const deviation = 15

// invitationDays is how long an invitation is valid.
const invitationDays = 28

// expiry returns the last day on which an invitation is valid, in the format YYYY-MM-DD.
func expiry(created time.Time) string {
	return created.AddDate(0, 0, invitationDays).Format(time.DateOnly)
}

// StatusAt returns the status at a time. An invitation that is not completed expires at the end of its expiry date
// (listResults). An invitation without an expiry date never expires.
func (i Invitation) StatusAt(now time.Time) string {
	open := i.Status == Invited || i.Status == InProgress
	if open && i.Expiry != "" && now.UTC().Format(time.DateOnly) > i.Expiry {
		return Expired
	}
	return i.Status
}

// Invite invites a candidate to a sitting of an assessment, as a recruiter does, and returns the invitation's id.
// sitting is [Remote] or [Supervised]. The first invitation to an assessment also adds the candidate's result for it.
// Invite returns an error if the position or the candidate does not exist. It does not check the assessment or sitting.
func (st *State) Invite(positionID, candidateID, assessmentID, sitting string) (string, error) {
	position := st.Position(positionID)
	if position == nil || position.candidate(candidateID) == nil {
		return "", fmt.Errorf("there is no candidate %q on a position %q", candidateID, positionID)
	}
	candidate := position.candidate(candidateID)
	if candidate.Result(assessmentID) == nil {
		candidate.Results = append(candidate.Results, Result{Assessment: assessmentID})
	}
	result := candidate.Result(assessmentID)
	now := time.Now().UTC().Truncate(time.Second)
	invitation := Invitation{ID: st.NextID("inv"), Type: sitting, Status: Invited, Created: now, Expiry: expiry(now)}
	result.Invitations = append(result.Invitations, invitation)
	return invitation.ID, nil
}

// Sit moves an invitation to its next status, as the candidate does at candidateLoginUrl: from INVITED to IN_PROGRESS,
// then to TESTED_WITH_RESULTS. The second step also scores the result ([Result.score]). Sit returns an error if the
// invitation does not exist, is completed or has expired.
func (st *State) Sit(invitationID string) error {
	found := st.Invitation(invitationID)
	if found == nil {
		return fmt.Errorf("there is no invitation %q", invitationID)
	}
	invitation, result := found.Invitation, found.Result // both point into the state
	switch status := invitation.StatusAt(time.Now()); status {
	case Invited:
		invitation.Status = InProgress
	case InProgress:
		now := time.Now().UTC().Truncate(time.Second)
		invitation.Status, invitation.Completed = TestedWithResults, &now
		result.score(st.rulesFor(result.Assessment).result, percentileOf(invitationID))
	default:
		return fmt.Errorf("the invitation %q has the status %s and cannot be continued", invitationID, status)
	}
	return nil
}

// Sitting is an invitation with its result, candidate and position.
type Sitting struct {
	Position   *Position
	Candidate  *Candidate
	Result     *Result
	Invitation *Invitation
}

// Sittings returns all invitations, in the order of the state. The pointers in a Sitting point into the state.
func (st *State) Sittings() iter.Seq[Sitting] {
	return func(yield func(Sitting) bool) {
		for p := range st.Positions {
			position := &st.Positions[p]
			for c := range position.Candidates {
				candidate := &position.Candidates[c]
				for r := range candidate.Results {
					result := &candidate.Results[r]
					for i := range result.Invitations {
						if !yield(Sitting{position, candidate, result, &result.Invitations[i]}) {
							return
						}
					}
				}
			}
		}
	}
}

// Invitation returns the invitation with an id, or nil.
func (st *State) Invitation(id string) *Sitting {
	for s := range st.Sittings() {
		if s.Invitation.ID == id {
			return &s
		}
	}
	return nil
}

// score records the percentile of a sitting and its classification. If resultType is [Validated], it also records a
// validity. It changes nothing if resultType is [ReportOnly], or if the result has a percentile that differs from the
// new percentile by at most the constant deviation.
func (r *Result) score(resultType string, percentile float64) {
	if resultType == ReportOnly || r.Percentile != nil && math.Abs(*r.Percentile-percentile) <= deviation {
		return
	}
	r.Percentile = &percentile
	r.Classification = classify(percentile)
	if resultType == Validated {
		r.Validity = validityOf(percentile)
	}
}

func classify(percentile float64) string {
	for _, band := range classifications {
		if percentile >= band.from {
			return band.name
		}
	}
	return ""
}

// validityOf invents a validity status: a very high percentile is doubtful.
func validityOf(percentile float64) string {
	if percentile >= 98 {
		return "INTERPRET_WITH_CAUTION"
	}
	return "VALID"
}

// percentileOf derives a percentile between 1 and 99.5 from an id.
func percentileOf(id string) float64 {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id)) // never fails
	return 1 + float64(sum.Sum32()%198)/2
}
