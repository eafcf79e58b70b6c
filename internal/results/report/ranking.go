// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ranking is a section in the order in which every format shows it.
type ranking struct {
	ranked     []entry // candidates with scores based on the common assessments, highest first
	different  []entry // others who have finished, with scores based on other assessments, highest first
	unscored   []entry // others without a score, who have finished or of whom that is not known
	unfinished []entry
	common     []string // ids of the assessments that most scores are based on
	columns    []string // ids of all assessments, in the order of the results
	counts     counts   // of all candidates, including those that the options hide
	scores     scale    // of all scores, including those that the options hide
	bars       scale    // of the scores with a rank
	spread     []float64
	inDoubt    int // ranked candidates with a doubtful result, including those that the options hide
	cut        int // candidates that the limit hides although their score equals the last one shown
}

// counts says how many candidates of a section there are, and how many belong to each
// group. Each candidate belongs to one group.
type counts struct {
	total    int
	finished int // candidates with a rank, and others who completed everything to which they were invited
	unknown  int // candidates of whom neither results nor a score are known
	groups   [groupCount]int
}

// group says whether a candidate has a rank, or why not.
type group int

const (
	groupRanked     group = iota
	groupDifferent        // finished, but the score is based on other assessments
	groupPartial          // finished, but not invited to all common assessments
	groupUnfinished       // has open invitations
	groupExpired
	groupUninvited
	groupUnknown     // no score, and the results do not say why
	groupCount   int = iota
)

// group returns the group of an entry of a ranking.
func (e entry) group() group {
	switch {
	case e.rank > 0:
		return groupRanked
	case e.differs() && e.state == finished:
		return groupDifferent
	case e.state == uninvited:
		return groupUninvited
	case e.state == lapsed:
		return groupExpired
	case e.known && e.state == pending:
		return groupUnfinished
	case len(e.uninvited) > 0:
		return groupPartial
	default:
		return groupUnknown
	}
}

// isOver reports whether the candidate has a rank, or is not known to have something left to complete.
func (e entry) isOver() bool { return !e.group().isUnfinished() }

func (g group) isUnfinished() bool {
	return g == groupUnfinished || g == groupExpired || g == groupUninvited
}

// entry is a candidate in a ranking.
type entry struct {
	assessapi.Candidate
	label     string // the name or pseudonym of the candidate in the report
	rank      int    // 0 if not ranked, shared by equal scores
	state     candidateState
	done      int      // completed assessments
	completed []string // their ids, sorted
	known     bool     // whether completed contains all completed assessments
	without   []string // common assessments that the score is not based on
	also      []string // other assessments that the score is based on
	uninvited []string // common assessments that the candidate was not invited to
}

// candidateState is how many of the assessments to which a candidate was invited are completed.
type candidateState int

const (
	pending candidateState = iota
	finished
	lapsed // another invitation is required to complete the missing assessments
	uninvited
)

// rank orders the candidates of a section and applies the options.
func (s Section) rank(o Options, label func(assessapi.Candidate) string) ranking {
	r := ranking{columns: assessmentsOf(s.Candidates)}
	var (
		scored []entry
		scores []float64
	)
	for _, candidate := range s.Candidates {
		e := newEntry(candidate, label(candidate))
		if e.Suitability == nil {
			r.unscored = append(r.unscored, e)
		} else {
			scored = append(scored, e)
			scores = append(scores, *e.Suitability)
		}
	}
	slices.SortStableFunc(scored, func(a, b entry) int { return cmp.Compare(*b.Suitability, *a.Suitability) })
	r.common = mostCommon(scored)
	for _, e := range scored {
		if e.known {
			e.without, e.also = missingAssessments(r.common, e.completed), missingAssessments(e.completed, r.common)
		}
		if e.differs() {
			r.different = append(r.different, e)
			continue
		}
		e.rank = len(r.ranked) + 1
		if last := len(r.ranked) - 1; last >= 0 && *r.ranked[last].Suitability == *e.Suitability {
			e.rank = r.ranked[last].rank
		}
		r.ranked = append(r.ranked, e)
		r.spread = append(r.spread, *e.Suitability)
		if e.doubtful() {
			r.inDoubt++
		}
	}
	for i := range r.unscored {
		if !r.unscored[i].known {
			continue
		}
		r.unscored[i].uninvited = missingAssessments(r.common, assessmentsOf([]assessapi.Candidate{r.unscored[i].Candidate}))
	}
	r.unfinished = slices.DeleteFunc(slices.Concat(r.different, r.unscored), entry.isOver)
	r.different = slices.DeleteFunc(r.different, func(e entry) bool { return !e.isOver() })
	r.unscored = slices.DeleteFunc(r.unscored, func(e entry) bool { return !e.isOver() })
	r.scores, r.bars = scaleOf(scores, true), scaleOf(r.spread, true)
	for _, e := range r.all() {
		r.counts.total++
		switch {
		case e.state == finished || e.rank > 0:
			r.counts.finished++
		case e.Results == nil && e.Suitability == nil:
			r.counts.unknown++
		}
		r.counts.groups[e.group()]++
	}
	r.apply(o)
	return r
}

// apply removes what the options hide.
func (r *ranking) apply(o Options) {
	if o.FinishedOnly {
		unfinished := func(e entry) bool { return e.state != finished }
		r.ranked = slices.DeleteFunc(r.ranked, unfinished)
		r.different = slices.DeleteFunc(r.different, unfinished)
		r.unscored = slices.DeleteFunc(r.unscored, unfinished)
		r.unfinished = nil
	}
	if o.Top > 0 {
		if len(r.ranked) > o.Top {
			for _, e := range r.ranked[o.Top:] {
				if *e.Suitability == *r.ranked[o.Top-1].Suitability {
					r.cut++
				}
			}
			r.ranked = r.ranked[:o.Top]
		}
		r.different, r.unscored, r.unfinished = nil, nil, nil
	}
}

// all returns the candidates that the report shows.
func (r ranking) all() []entry { return slices.Concat(r.ranked, r.different, r.unscored, r.unfinished) }

func newEntry(candidate assessapi.Candidate, label string) entry {
	// Section 2.8: there is no score before everything is completed. If a candidate has
	// a score and no results, the caller has left out the results.
	leftOut := len(candidate.Results) == 0 && candidate.Suitability != nil
	e := entry{Candidate: candidate, label: label, known: candidate.Results != nil && !leftOut}
	open := 0
	for _, result := range candidate.Results {
		switch {
		case result.IsCompleted():
			e.done++
			e.completed = append(e.completed, result.AssessmentID)
			e.known = e.known && result.AssessmentID != ""
		case !result.IsExpired():
			open++
		}
	}
	slices.Sort(e.completed)
	e.completed = slices.Compact(e.completed)
	switch {
	case leftOut:
		e.state = finished
	case candidate.Results == nil || open > 0:
		e.state = pending
	case len(candidate.Results) == 0:
		e.state = uninvited
	case e.done < len(candidate.Results):
		e.state = lapsed
	default:
		e.state = finished
	}
	return e
}

func (e entry) differs() bool { return len(e.without)+len(e.also) > 0 }

// doubtful reports whether the answer check found a problem, or an open supervised
// sitting may change the result (section 2.8).
func doubtful(r assessapi.Result) bool { return unreliable(r) || mayChange(r) }

func unreliable(r assessapi.Result) bool { return r.Validity != "" && r.Validity != valid }

func mayChange(r assessapi.Result) bool {
	return r.IsCompleted() && slices.ContainsFunc(r.Invitations, func(i assessapi.Invitation) bool {
		return i.Type == supervised && !i.IsCompleted() && !i.IsExpired()
	})
}

func (e entry) doubtful() bool { return slices.ContainsFunc(e.Results, doubtful) }

// assessmentsOf returns the ids of the assessments that candidates were invited
// to, in the order in which they first occur.
func assessmentsOf(candidates []assessapi.Candidate) []string {
	var ids []string
	for _, candidate := range candidates {
		for _, result := range candidate.Results {
			if !slices.Contains(ids, result.AssessmentID) {
				ids = append(ids, result.AssessmentID)
			}
		}
	}
	return ids
}

// mostCommon returns the set of completed assessments that most candidates share. If
// there are several such sets, it returns the largest of them. If several of these are
// equally large, it returns the one that comes first.
func mostCommon(candidates []entry) []string {
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
		if !candidate.known {
			continue
		}
		n := count[key(candidate.completed)]
		if n > best || n == best && len(candidate.completed) > len(common) {
			common, best = candidate.completed, n
		}
	}
	return common
}

// missingAssessments returns the ids of the first set that the second does not have.
func missingAssessments(from, in []string) []string {
	var ids []string
	for _, id := range from {
		if !slices.Contains(in, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// labelOf returns the name of a candidate in a report that is not anonymous.
func (w *words) labelOf(c assessapi.Candidate) string {
	for _, label := range []string{c.Name, c.ID} {
		if strings.TrimSpace(label) != "" {
			return label
		}
	}
	return w.nameless
}
