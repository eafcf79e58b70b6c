// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ranking is a section whose candidates are sorted and ranked, with counts and scales for the texts about them.
type ranking struct {
	Section
	entries             []entry   // the candidates that the options show, sorted by group and score
	common              []string  // ids of the assessments that most scores are based on
	columns             []string  // ids of all assessments, in the order of the results
	spread              []float64 // the scores with a rank, highest first
	counts              counts
	scores, percentiles scale // of all candidates, including those that the options hide
	bars                scale // of the scores with a rank
	cut                 int   // number of hidden candidates with the same score as the last candidate shown
}

// counts are the numbers of candidates in a section, in total and by group. They include candidates that the options
// hide. Each candidate belongs to one group.
type counts struct {
	total    int
	finished int // candidates who have completed all assessments in the invitations
	unknown  int // candidates of whom neither results nor a score are known
	inDoubt  int // ranked candidates with a doubtful result
	groups   map[group]int
}

// group says whether a candidate has a rank, or why not.
type group string

const (
	groupRanked     group = "ranked"
	groupDifferent  group = "different"  // finished, but the score is based on other assessments
	groupPartial    group = "partial"    // finished, but not invited to all common assessments
	groupUnknown    group = "unknown"    // no score, and the results do not say why
	groupUnfinished group = "unfinished" // has open invitations
	groupExpired    group = "expired"    // another invitation is required to complete the missing assessments
	groupUninvited  group = "uninvited"
)

// groups are all groups in the order of the table.
var groups = []group{
	groupRanked, groupDifferent, groupPartial, groupUnknown, groupUnfinished, groupExpired, groupUninvited,
}

// entry is a candidate in a ranking.
type entry struct {
	assessapi.Candidate
	rank      int // 0 if not ranked, shared by equal scores
	group     group
	finished  bool     // whether the candidate has completed all assessments in the invitations
	done      int      // number of completed assessments
	completed []string // ids of the completed assessments that count for the score, sorted
	known     bool     // false if the results, or the assessment IDs of some completed results, are not known
	without   []string // common assessments that the score is not based on
	also      []string // other assessments that the score is based on
	uninvited []string // common assessments that the candidate was not invited to
	change    change   // what is new since an earlier report
}

// rank returns the ranking of a section: the candidates whom the options show, by group and score. Its counts and
// scales include candidates that the options hide. With [Section.Filtered], its RankedOver contains the common
// assessments. rank does not compare the ranking with an earlier report.
func (s Section) rank(o Options) ranking {
	r := ranking{Section: s, columns: AssessmentsOf(s.Candidates), counts: counts{groups: map[group]int{}}}
	for _, candidate := range s.Candidates {
		r.entries = append(r.entries, newEntry(candidate, s.RankedOver))
	}
	slices.SortStableFunc(r.entries, func(a, b entry) int { return cmp.Compare(b.score(), a.score()) })
	if s.RankedOver != nil {
		r.common = slices.Sorted(slices.Values(s.RankedOver))
	} else {
		r.common = mostCommon(r.entries)
	}
	if s.Filtered { // the report names the assessments in RankedOver
		r.RankedOver = r.common
	}
	r.giveRanks()
	r.setScales()
	// Within a group, the entries stay sorted by score.
	slices.SortStableFunc(r.entries, func(a, b entry) int {
		return cmp.Compare(slices.Index(groups, a.group), slices.Index(groups, b.group))
	})
	r.hideEntries(o)
	return r
}

// setScales sets the scales of all scores, of all percentiles, and of the scores with a rank. giveRanks must have set
// r.spread.
func (r *ranking) setScales() {
	var scores, percentiles []float64
	for _, candidate := range r.Candidates {
		if candidate.Suitability != nil {
			scores = append(scores, *candidate.Suitability)
		}
		for _, result := range candidate.Results {
			if result.Percentile != nil {
				percentiles = append(percentiles, *result.Percentile)
			}
		}
	}
	r.scores, r.percentiles, r.bars = scoreScale(scores), scaleOf(percentiles), scaleOf(r.spread)
}

// giveRanks compares each entry with the common assessments, and gives a rank to each entry whose score is based on
// exactly these assessments, or on assessments that are not known. Equal scores share a rank. giveRanks also sets the
// groups, spread and counts. The entries must be sorted by score.
func (r *ranking) giveRanks() {
	for i := range r.entries {
		e := &r.entries[i]
		e.compareAssessments(r.common)
		if e.Suitability != nil && !e.differs() {
			r.spread = append(r.spread, *e.Suitability)
			higher := slices.Index(r.spread, *e.Suitability) // the number of higher scores
			e.group, e.rank = groupRanked, higher+1
		}
		r.counts.add(*e)
	}
}

// score returns the suitability or, if there is none, negative infinity, so that the entry comes after all others.
func (e entry) score() float64 {
	if e.Suitability == nil {
		return math.Inf(-1)
	}
	return *e.Suitability
}

// compareAssessments sets e.without and e.also or, without a score, e.uninvited. If the candidate has finished and
// there is a difference, it also sets e.group. It changes nothing if it is not known which assessments the candidate
// has completed or, without a score, was invited to.
func (e *entry) compareAssessments(common []string) {
	switch {
	case !e.known:
	case e.Suitability == nil:
		invitedTo := AssessmentsOf([]assessapi.Candidate{e.Candidate})
		if slices.Contains(invitedTo, "") { // this assessment may be one of the common ones
			return
		}
		e.uninvited = notIn(common, invitedTo)
		if e.finished && len(e.uninvited) > 0 {
			e.group = groupPartial
		}
	default:
		e.without, e.also = notIn(common, e.completed), notIn(e.completed, common)
		if e.finished && e.differs() {
			e.group = groupDifferent
		}
	}
}

func (c *counts) add(e entry) {
	c.total++
	c.groups[e.group]++
	switch {
	case e.finished:
		c.finished++
	case e.Results == nil && e.Suitability == nil:
		c.unknown++
	}
	if e.rank > 0 && e.doubtful() {
		c.inDoubt++
	}
}

// hideEntries removes the entries that the options hide. If [Options.Top] is set, it also sets r.cut.
func (r *ranking) hideEntries(o Options) {
	if o.FinishedOnly {
		r.entries = slices.DeleteFunc(r.entries, func(e entry) bool { return !e.finished })
	}
	if o.Top > 0 {
		ranked := slices.DeleteFunc(r.entries, func(e entry) bool { return e.rank == 0 })
		r.entries = ranked[:min(o.Top, len(ranked))]
		for _, e := range ranked[len(r.entries):] {
			if e.rank == ranked[o.Top-1].rank {
				r.cut++
			}
		}
	}
}

// newEntry returns an entry without a rank. Its group does not depend on other candidates, and giveRanks may change it.
// The parameter over is [Section.RankedOver].
func newEntry(candidate assessapi.Candidate, over []string) entry {
	e := entry{Candidate: candidate, known: candidate.Results != nil, group: groupUnknown}
	open, all := e.countResults(over), len(candidate.Results)
	switch {
	case all == 0 && candidate.Suitability != nil:
		// Section 2.8: only candidates who have completed everything have a score, so the results exist.
		e.known, e.finished = false, true
	case candidate.Results == nil: // the group stays unknown
	case all == 0:
		e.group = groupUninvited
	case open > 0:
		e.group = groupUnfinished
	case e.done < all:
		e.group = groupExpired
	default: // the group stays unknown until giveRanks, because the candidate may have a score
		e.finished = true
	}
	return e
}

// countResults sets e.done and e.completed, and returns the number of open results. If over is not nil, e.completed
// contains only assessments of over. If a completed result has no assessment ID, countResults sets e.known to false,
// because e.completed may be incomplete.
func (e *entry) countResults(over []string) (open int) {
	for _, result := range e.Results {
		switch {
		case result.IsCompleted():
			e.done++
			if over == nil || slices.Contains(over, result.AssessmentID) {
				e.completed = append(e.completed, result.AssessmentID)
			}
			e.known = e.known && result.AssessmentID != ""
		case !result.IsExpired():
			open++
		}
	}
	slices.Sort(e.completed)
	e.completed = slices.Compact(e.completed)
	return open
}

func (e entry) differs() bool { return len(e.without)+len(e.also) > 0 }

// doubtful reports whether the answer check found a problem, or an open supervised sitting may change the result.
func doubtful(r assessapi.Result) bool { return unreliable(r) || mayChange(r) }

func unreliable(r assessapi.Result) bool { return r.Validity != "" && r.Validity != valid }

func mayChange(r assessapi.Result) bool {
	return r.IsCompleted() && slices.ContainsFunc(r.Invitations, func(i assessapi.Invitation) bool {
		return i.Type == supervised && !i.IsCompleted() && !i.IsExpired()
	})
}

func (e entry) doubtful() bool { return slices.ContainsFunc(e.Results, doubtful) }

// AssessmentsOf returns the ids of the assessments to which candidates were invited, in the order of the results.
func AssessmentsOf(candidates []assessapi.Candidate) []string {
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

// mostCommon returns the most common set of completed assessments among the scores. If several sets are equally common,
// it returns the largest of these sets. If several of these are equally large, it returns the one that comes first in
// entries. It ignores scores whose assessments are not known, and returns nil if it ignores all scores.
func mostCommon(entries []entry) (common []string) {
	scored := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !e.known || e.Suitability == nil })
	count := map[string]int{}
	key := func(e entry) string { return fmt.Sprintf("%q", e.completed) }
	for _, e := range scored {
		count[key(e)]++
	}
	best := 0
	for _, e := range scored {
		if n := count[key(e)]; n > best || n == best && len(e.completed) > len(common) {
			common, best = e.completed, n
		}
	}
	return common
}

// notIn returns the IDs that the other list does not contain.
func notIn(ids, other []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(other, id) })
}
