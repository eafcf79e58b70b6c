// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
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
	pages listCache[resultsPage]

	mu      sync.Mutex
	counted map[string]bool // positions that were checked
}

type resultsPage struct {
	candidates []assessapi.Candidate
	whole      bool  // whether there are no more candidates
	err        error // also cached, so that there is only one request for each position
}

// invited reads whether candidates have been invited to an assessment of a position
// (assumption A28). It sends at most one results request for each position, and none if
// plan checks are off. If it cannot say, it adds one notice in each run.
//
// plannedAgain is whether the CLI plans the change again in the apply. Then a note
// prevents a second request in the apply.
func (a *Attachments) invited(ctx context.Context, ref Ref, assessment string, plannedAgain bool) Invited {
	looked := content{ref.Position, "invitations", ref.ID}
	if !a.run.checksPlan() || plannedAgain && a.run.signals.phase() == Undetermined && a.notes.of(looked).Compared {
		return Invited{}
	}
	if !a.invitations.count(ref.Position, a.run) {
		return Invited{}
	}
	page, _ := a.invitations.pages.get(ctx, ref.Position, func(ctx context.Context) (resultsPage, error) {
		candidates, whole, err := a.run.client.FirstResults(ctx, ref.Position)
		return resultsPage{candidates, whole, err}, nil
	})
	invited := page.invited(assessment)
	if page.err != nil || invited.AtLeast && (invited.Candidates == 0 || plannedAgain && invited.Completed == 0) {
		if !assessapi.IsNotFound(page.err) { // a position that does not exist has no candidates
			a.run.notices.once("invitations of a position", Notice{Kind: InvitationsUnknown, Ref: ref, Err: page.err})
		}
	}
	if plannedAgain {
		_ = a.notes.write(looked, 0, note{Compared: true}) // without the note, the apply checks again
	}
	return invited
}

// count reports whether one more position may be checked.
func (i *invitations) count(position string, r *run) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.counted[position] && len(i.counted) == mostInvitationChecks {
		r.notices.once("invitations", Notice{Kind: ManyRemovals})
		return false
	}
	if i.counted == nil {
		i.counted = map[string]bool{}
	}
	i.counted[position] = true
	return true
}

func (i *invitations) clear() {
	i.pages.clear()
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
