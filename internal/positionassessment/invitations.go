// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// mostInvitationChecks is how many positions a run checks at most for invited candidates. The service allows 30
// results requests per minute, so more of them would make a plan wait long.
const mostInvitationChecks = 40

// errManyPositions means that a run has checked as many positions for invited candidates as it may.
var errManyPositions = errors.New("the run checks no more positions")

// invitations caches the first page of results by position.
type invitations struct {
	client *assessapi.Client

	pages   catalog.Cache[resultsPage]
	mu      sync.Mutex
	counted map[string]bool // positions that were checked
}

type resultsPage struct {
	candidates []assessapi.Candidate
	whole      bool  // whether there are no more candidates
	err        error // also cached, so that there is only one request for each position
}

// Count counts who has been invited to an assessment of a position (assumption A28). It sends at most one request for
// each position. If there are too many positions, it returns [errManyPositions].
func (i *invitations) Count(ctx context.Context, position, assessment string) (rules.Candidates, error) {
	if !i.mayCheck(position) {
		return rules.Candidates{}, errManyPositions
	}
	page, _ := i.pages.Get(ctx, position, func(ctx context.Context) (resultsPage, error) {
		candidates, whole, err := i.client.FirstResults(ctx, position)
		return resultsPage{candidates, whole, err}, nil
	})
	return page.count(assessment), page.err
}

func (i *invitations) mayCheck(position string) bool {
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
func (i *invitations) Drop(position string) { i.pages.Drop(position) }

func (p resultsPage) count(assessment string) rules.Candidates {
	all := rules.Candidates{AtLeast: !p.whole && p.err == nil}
	for _, candidate := range p.candidates {
		for _, result := range candidate.Results {
			if result.AssessmentID != assessment {
				continue
			}
			all.Invited++
			if slices.ContainsFunc(result.Invitations, assessapi.Invitation.IsCompleted) {
				all.Completed++
			}
			break
		}
	}
	return all
}

// refusesRemoval reports whether the service refuses to remove a position assessment (assumption A6). A firewall
// refuses, too, and a 403 may refuse the API key. So the refusal must certainly come from the service, or candidates
// must have been invited.
func (a *positionAssessments) refusesRemoval(ctx context.Context, o ManagedObject, err error) bool {
	refused, ok := errors.AsType[*assessapi.Error](err)
	if !ok || errors.As(err, new(*catalog.UnprovenError)) {
		return false
	}
	switch refused.Class() {
	case assessapi.Conflict, assessapi.Foreign:
	case assessapi.Forbidden:
		if !errors.Is(a.catalog.ConfirmGone(ctx, o.Assessment), catalog.ErrGone) {
			return false // the credentials are wrong
		}
	default:
		return false
	}
	if refused.IsOwn() {
		return true
	}
	candidates, err := a.invitations.Count(ctx, o.Position, o.Assessment)
	return err == nil && candidates.Invited > 0
}
