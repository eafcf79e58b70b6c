// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Limits of how many positions a run looks at for invited candidates. The service
// allows 30 results requests a minute, so more of them make a plan wait.
const (
	noticeableInvitationChecks = 30
	mostInvitationChecks       = 40
)

// Invited is how far candidates have come with an assessment on a position.
type Invited struct {
	// Candidates are those who have been invited, Completed those who have
	// completed it.
	Candidates, Completed int
	// AtLeast is whether there are more candidates than were looked at.
	AtLeast bool
}

// invitations caches the first page of results by position.
type invitations struct {
	pages listCache[resultsPage]

	mu      sync.Mutex
	counted map[string]bool // positions that were looked at
}

type resultsPage struct {
	candidates []assessapi.Candidate
	whole      bool  // there are no more candidates
	err        error // stored, too: one request for each position must do
}

// Invited looks whether candidates have been invited to an assessment on a
// position (assumption A28), with at most one results request for each position.
// It looks nothing up if plan checks are off. If it cannot say, the run says so once.
//
// plannedAgain is whether core plans the change again in the apply: then a note
// keeps the apply from looking again.
func (e *Engine) Invited(ctx context.Context, ref Ref, assessment string, plannedAgain bool) Invited {
	note := hash("looked for invitations", ref.Position, ref.ID)
	if !e.LooksUp() || plannedAgain && e.signals.phase() == Undetermined && e.notes.contains(note) {
		return Invited{}
	}
	if !e.invitations.count(ref.Position, e) {
		return Invited{}
	}
	page, _ := e.invitations.pages.get(ctx, ref.Position, func(ctx context.Context) (resultsPage, error) {
		candidates, whole, err := e.client.FirstResults(ctx, ref.Position)
		return resultsPage{candidates, whole, err}, nil
	})
	invited := page.invited(assessment)
	if page.err != nil || invited.AtLeast && (invited.Candidates == 0 || plannedAgain && invited.Completed == 0) {
		if !assessapi.IsNotFound(page.err) { // without a position there are no candidates
			e.notices.once("invitations of a position", Notice{Kind: InvitationsUnknown, Ref: ref, Err: page.err})
		}
	}
	if plannedAgain {
		_ = e.notes.write(note) // without it, the apply looks again
	}
	return invited
}

// count reports whether one more position may be looked at.
func (i *invitations) count(position string, e *Engine) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.counted[position] && len(i.counted) == mostInvitationChecks {
		return false
	}
	mark(&i.counted, position)
	if len(i.counted) > noticeableInvitationChecks {
		e.notices.once("invitations", Notice{Kind: ManyRemovals})
	}
	return true
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
