// SPDX-License-Identifier: MPL-2.0

package report

import (
	"context"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// rankOverCompleted reads scores over the assessments that mostCompleted returns. If more candidates then have a score
// and an ID, it replaces the scores of the section, and sets RankedOver and Without. The service gives a score only to
// candidates who have completed all assessments (section 2.8), so attaching another assessment would otherwise end the
// ranking. After an error, the section stays as it is.
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
	if len(scores) <= countScores(s.Candidates) { // for example, because no other candidate has completed them all
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

// mostCompleted returns the attached assessments that more than half of the active candidates have completed. An active
// candidate has completed at least one assessment. If the attached assessments are not known, mostCompleted chooses
// from the assessments in the results. It returns nil if each active candidate has a score, or if it would return all
// attached assessments.
func mostCompleted(s report.Section) []string {
	var active []assessapi.Candidate
	count := map[string]int{} // how many candidates have completed each assessment
	for _, c := range s.Candidates {
		ids := completedBy(c)
		if len(ids) > 0 {
			active = append(active, c)
		}
		for id := range ids {
			count[id]++
		}
	}
	if countScores(active) == len(active) {
		return nil
	}
	attached := s.Assessments
	if len(attached) == 0 {
		attached = report.AssessmentsOf(s.Candidates)
	}
	most := slices.DeleteFunc(slices.Clone(attached), func(id string) bool { return 2*count[id] <= len(active) })
	if len(most) == len(s.Assessments) { // all, and the section has the scores over all
		return nil
	}
	return most
}

// completedBy returns the IDs of the assessments that a candidate has completed. It ignores results without an
// assessment ID.
func completedBy(c assessapi.Candidate) map[string]bool {
	ids := map[string]bool{}
	for _, result := range c.Results {
		if result.IsCompleted() && result.AssessmentID != "" {
			ids[result.AssessmentID] = true
		}
	}
	return ids
}
