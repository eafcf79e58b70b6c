// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
)

// standings are a section's candidates in the order in which every format shows
// them, with what makes a score comparable.
type standings struct {
	scored   []standing
	unscored []standing
	common   []string // the assessments that most scores rest on
	differ   int      // scores that rest on others
	tested   int      // assessments that anybody was invited to
}

// standing is a candidate among the others.
type standing struct {
	Candidate
	completed []string // assessment ids, sorted
	known     bool     // whether completed says everything
	without   []string // of the common assessments
	also      []string // beyond the common assessments
}

func standingsOf(candidates []Candidate) standings {
	s := standings{}
	tested := map[string]bool{}
	for _, candidate := range candidates {
		for _, result := range candidate.Results {
			tested[result.AssessmentID] = true
		}
		stands := standing{Candidate: candidate}
		stands.completed, stands.known = completedAssessments(candidate)
		if candidate.Suitability == nil {
			s.unscored = append(s.unscored, stands)
		} else {
			s.scored = append(s.scored, stands)
		}
	}
	s.tested = len(tested)
	s.common = mostCommon(s.scored)
	for i := range s.scored {
		stands := &s.scored[i]
		if !stands.known {
			continue
		}
		stands.without = missing(s.common, stands.completed)
		stands.also = missing(stands.completed, s.common)
		if stands.differs() {
			s.differ++
		}
	}
	return s
}

func (s standings) all() []standing { return slices.Concat(s.scored, s.unscored) }

// completedAssessments returns a candidate's completed assessments; false where
// the results are not known, or do not say what they are results of.
func completedAssessments(candidate Candidate) ([]string, bool) {
	ids := []string{}
	for _, result := range candidate.Results {
		if !result.completed() {
			continue
		}
		if result.AssessmentID == "" {
			return nil, false
		}
		ids = append(ids, result.AssessmentID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), candidate.Results != nil
}

// mostCommon returns the set of completed assessments that most candidates
// share. Of several, the largest: the more a score rests on, the better it is to
// measure others by; of several still, the first.
func mostCommon(candidates []standing) []string {
	count := map[string]int{}
	key := func(ids []string) string { return fmt.Sprintf("%q", ids) }
	for _, candidate := range candidates {
		if candidate.known {
			count[key(candidate.completed)]++
		}
	}
	var common []string
	best := 0
	for _, candidate := range candidates {
		n := count[key(candidate.completed)]
		if candidate.known && (n > best || n == best && len(candidate.completed) > len(common)) {
			common, best = candidate.completed, n
		}
	}
	return common
}

// missing returns what the first set has and the second has not.
func missing(from, in []string) []string {
	var ids []string
	for _, id := range from {
		if !slices.Contains(in, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// label is what a candidate is called.
func (c Candidate) label() string {
	for _, label := range []string{c.Name, c.ID} {
		if strings.TrimSpace(label) != "" {
			return label
		}
	}
	return "Candidate without a name"
}

func (s standing) differs() bool { return len(s.without)+len(s.also) > 0 }

// difference says what a score rests on other than the common assessments.
func (s standing) difference() string {
	var parts []string
	if len(s.without) > 0 {
		parts = append(parts, "without "+strings.Join(s.without, ", "))
	}
	if len(s.also) > 0 {
		parts = append(parts, "also "+strings.Join(s.also, ", "))
	}
	return undirected(strings.Join(parts, "; "))
}

// progress is how many of the section's assessments a candidate has completed,
// such as "2 of 3"; empty where the results are not known.
func (s standings) progress(of standing) string {
	switch {
	case of.Results == nil:
		return ""
	case len(of.Results) == 0:
		return "not invited"
	}
	done := 0
	for _, result := range of.Results {
		if result.completed() {
			done++
		}
	}
	return fmt.Sprintf("%d of %d", done, max(s.tested, len(of.Results)))
}
