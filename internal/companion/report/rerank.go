// SPDX-License-Identifier: MPL-2.0

package report

import (
	"context"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// rankOverCompleted replaces scores with scores over the assessments that most candidates have completed, if more
// candidates then have a score. A candidate has a score only after all assessments of the position are completed
// (section 2.8), so without this function, the ranking would vanish when another assessment is attached.
//
// If it replaces the scores, a candidate without such a score has none any more, and the section says over which
// assessments it is ranked. An error means that the scores could not be read. Then the section stays as it is.
func (r *reportCommand) rankOverCompleted(ctx context.Context, s *report.Section) error {
	over := mostCompleted(*s)
	if over == nil {
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
	if len(scores) <= scored(s.Candidates) { // for example, because the service ignores the filter
		return nil
	}
	for i := range s.Candidates {
		s.Candidates[i].Suitability = scores[s.Candidates[i].ID]
	}
	s.RankedOver = over
	s.Without = slices.DeleteFunc(slices.Clone(s.Assessments), func(id string) bool { return slices.Contains(over, id) })
	return nil
}

// scored counts the candidates who have a score.
func scored(candidates []assessapi.Candidate) (n int) {
	for _, c := range candidates {
		if c.Suitability != nil {
			n++
		}
	}
	return n
}

// mostCompleted returns the attached assessments that more than half of the active candidates have completed, in the
// order of the position. An active candidate has completed at least one assessment. It returns nil if these are all
// attached assessments, or if each active candidate has a score. If the attached assessments are not known, it takes
// those of the results for them, but others may be attached, so these are never all.
func mostCompleted(s report.Section) (most []string) {
	completed := map[string]int{} // number of candidates who have completed each assessment
	active, withScore := 0, 0
	for _, c := range s.Candidates {
		ids := completedBy(c)
		for id := range ids {
			completed[id]++
		}
		if len(ids) > 0 {
			active++
			if c.Suitability != nil {
				withScore++
			}
		}
	}
	attached := s.Assessments
	isKnown := len(attached) > 0
	if !isKnown {
		attached = report.AssessmentsOf(s.Candidates)
	}
	for _, id := range attached {
		if id != "" && 2*completed[id] > active {
			most = append(most, id)
		}
	}
	areAll := isKnown && len(most) == len(attached)
	if withScore == active || areAll {
		return nil
	}
	return most
}

// completedBy returns the assessments that a candidate has completed.
func completedBy(c assessapi.Candidate) map[string]bool {
	ids := map[string]bool{}
	for _, result := range c.Results {
		if result.IsCompleted() {
			ids[result.AssessmentID] = true
		}
	}
	return ids
}
