// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// mostInvitationChecks is the number of positions that a run checks for invited candidates.
// The service allows 30 results requests per minute, so more of them would make a plan wait
// for long.
const mostInvitationChecks = 40

// ErrManyPositions means that a run has checked as many positions for invited candidates as it may.
var ErrManyPositions = errors.New("the run checks no more positions")

// Invited is the number of candidates who have been invited to an assessment of a
// position.
type Invited struct {
	// Candidates is the number of invited candidates. Completed is the number of those who
	// have completed the assessment.
	Candidates, Completed int
	// AtLeast is whether there are more candidates than were checked.
	AtLeast bool
}

// Invitations caches the first page of results by position.
type Invitations struct {
	Client *assessapi.Client

	pages   Cache[resultsPage]
	mu      sync.Mutex
	counted map[string]bool // positions that were checked
}

type resultsPage struct {
	candidates []assessapi.Candidate
	whole      bool  // whether there are no more candidates
	err        error // also cached, so that there is only one request for each position
}

// Count counts who has been invited to an assessment of a position (assumption A28). It sends at
// most one request for each position. If there are too many positions, it returns
// [ErrManyPositions].
func (i *Invitations) Count(ctx context.Context, position, assessment string) (Invited, error) {
	if !i.mayCheck(position) {
		return Invited{}, ErrManyPositions
	}
	page, _ := i.pages.Get(ctx, position, func(ctx context.Context) (resultsPage, error) {
		candidates, whole, err := i.Client.FirstResults(ctx, position)
		return resultsPage{candidates, whole, err}, nil
	})
	return page.invited(assessment), page.err
}

func (i *Invitations) mayCheck(position string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.counted[position] && len(i.counted) == mostInvitationChecks {
		return false
	}
	if i.counted == nil {
		i.counted = map[string]bool{}
	}
	i.counted[position] = true
	return true
}

// Drop makes the counts of a position stale.
func (i *Invitations) Drop(position string) { i.pages.Drop(position) }

func (p resultsPage) invited(assessment string) Invited {
	invited := Invited{AtLeast: !p.whole && p.err == nil}
	for _, candidate := range p.candidates {
		for _, result := range candidate.Results {
			if result.AssessmentID != assessment {
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
