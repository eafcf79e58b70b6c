// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// InvitationWait configures [Results.AwaitInvitations].
type InvitationWait struct {
	Filters           []ResultsFilter // one for each position
	Minimum           int             // of invitations in all positions together
	Timeout, Interval time.Duration
}

// UnreadResultsError means that the results of a position could not be read.
type UnreadResultsError struct {
	Position string
	Err      error
}

func (e *UnreadResultsError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the request.
func (e *UnreadResultsError) Unwrap() error { return e.Err }

// AwaitInvitations waits until every invitation is completed or expired, and until there are
// as many invitations as required. It calls progress after each check, and checks a last time
// when the timeout is over. It returns the counts of the last check, and whether the wait is
// over. The error is an [UnreadResultsError], or the error of the context.
func (r *Results) AwaitInvitations(ctx context.Context, w InvitationWait, progress func(Tally)) (Tally, bool, error) {
	filters := slices.DeleteFunc(slices.Clone(w.Filters), ResultsFilter.SelectsNothing)
	if len(filters) == 0 {
		w.Minimum = 0 // no invitation can be found
	}
	tallies := make([]Tally, len(filters))
	done, err := assessapi.Poll(ctx, w.Interval, w.Timeout, func(ctx context.Context) (bool, error) {
		for i, filter := range filters {
			// If there are too few invitations, each position can get more.
			t := tallies[i]
			if t.Counted && t.Open() == 0 && t.Total > 0 && sum(tallies).Total >= w.Minimum {
				continue
			}
			results, err := r.ReadFresh(ctx, filter)
			if err != nil {
				return false, &UnreadResultsError{filter.Position, err}
			}
			tallies[i] = TallyOf(results)
		}
		seen := sum(tallies)
		progress(seen)
		return seen.Open() == 0 && seen.Total >= w.Minimum, nil
	})
	return sum(tallies), done, err
}

func sum(tallies []Tally) (total Tally) {
	for _, t := range tallies {
		total = total.Plus(t)
	}
	return total
}
