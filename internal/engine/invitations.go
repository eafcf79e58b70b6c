// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// mostInvitationChecks is the number of positions that a run checks for invited candidates.
// The service allows 30 results requests per minute, so more of them would make a plan wait
// for long.
const mostInvitationChecks = 40

// Invited is the number of candidates who have been invited to an assessment of a
// position.
type Invited struct {
	// Candidates is the number of invited candidates. Completed is the number of those who
	// have completed the assessment.
	Candidates, Completed int
	// AtLeast is whether there are more candidates than were checked.
	AtLeast bool
}

// invitations caches the first page of results by position.
type invitations struct {
	pages catalog.Cache[resultsPage]

	mu      sync.Mutex
	counted map[string]bool // positions that were checked
}

type resultsPage struct {
	candidates []assessapi.Candidate
	whole      bool  // whether there are no more candidates
	err        error // also cached, so that there is only one request for each position
}

// count reports whether one more position may be checked.
func (i *invitations) count(position string, n *notices) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.counted[position] && len(i.counted) == mostInvitationChecks {
		n.once("invitations", Notice{Kind: ManyRemovals})
		return false
	}
	if i.counted == nil {
		i.counted = map[string]bool{}
	}
	i.counted[position] = true
	return true
}

func (i *invitations) clear() {
	i.pages.Clear()
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.counted)
}

func (p resultsPage) invited(assessment string) Invited {
	invited := Invited{AtLeast: !p.whole && p.err == nil}
	for _, candidate := range p.candidates {
		for _, result := range candidate.Results {
			if result.AssessmentID == nil || *result.AssessmentID != assessment {
				continue
			}
			invited.Candidates++
			if slices.ContainsFunc(result.Invitations, assessapi.Invitation.IsCompleted) {
				invited.Completed++
			}
			break
		}
	}
	return invited
}
