// SPDX-License-Identifier: MPL-2.0

package report

import (
	"context"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// rankOverCompleted replaces the scores of a section if this gives more candidates a score. The new scores are over the
// assessments that most active candidates have completed, which rankOverCompleted records in the section. Candidates
// who have not completed all of these assessments then have no score.
//
// A candidate has a score of the service only after completing all assessments of the position (section 2.8). So,
// without new scores, attaching another assessment would end the ranking.
//
// If the new scores cannot be read, rankOverCompleted returns the error, and the section stays as it is.
func (r *reportCommand) rankOverCompleted(ctx context.Context, s *report.Section) error {
	over := mostCompleted(*s)
	if len(over) == 0 {
		return nil
	}
	read, err := r.source.Client.Results(ctx, s.PositionID, nil, over)
	if err != nil {
		return err
	}
	scores := map[string]*float64{}
	for _, c := range read.Candidates {
		if c.Suitability != nil && c.ID != "" {
			scores[c.ID] = c.Suitability
		}
	}
	if len(scores) <= countScores(s.Candidates) { // for example, because the service ignores the filter
		return nil
	}
	for i := range s.Candidates {
		s.Candidates[i].Suitability = scores[s.Candidates[i].ID]
	}
	isOver := func(id string) bool { return slices.Contains(over, id) }
	s.RankedOver, s.Without = over, slices.DeleteFunc(slices.Clone(s.Assessments), isOver)
	return nil
}

// countScores returns how many candidates have a score.
func countScores(candidates []assessapi.Candidate) (n int) {
	for _, c := range candidates {
		if c.Suitability != nil {
			n++
		}
	}
	return n
}

// mostCompleted returns the attached assessments that more than half of the active candidates have completed, in the
// order of the position. An active candidate has completed at least one assessment. If the attached assessments are not
// known, it chooses from the assessments of the results. It returns nil if each active candidate has a score. It also
// returns nil instead of all attached assessments, because the section already has the scores over all of them.
func mostCompleted(s report.Section) []string {
	isInactive := func(c assessapi.Candidate) bool { return len(completedBy(c)) == 0 }
	active := slices.DeleteFunc(slices.Clone(s.Candidates), isInactive)
	if countScores(active) == len(active) {
		return nil
	}
	completed := map[string]int{} // number of candidates who have completed each assessment
	for _, c := range active {
		for id := range completedBy(c) {
			completed[id]++
		}
	}
	isRare := func(id string) bool { return 2*completed[id] <= len(active) }
	if len(s.Assessments) == 0 { // not known, so assessments that no result names may be attached
		return slices.DeleteFunc(report.AssessmentsOf(s.Candidates), isRare)
	}
	most := slices.DeleteFunc(slices.Clone(s.Assessments), isRare)
	if len(most) == len(s.Assessments) {
		return nil
	}
	return most
}

// completedBy returns the assessments that a candidate has completed, if their results name them.
func completedBy(c assessapi.Candidate) map[string]bool {
	ids := map[string]bool{}
	for _, result := range c.Results {
		if result.IsCompleted() && result.AssessmentID != "" {
			ids[result.AssessmentID] = true
		}
	}
	return ids
}
