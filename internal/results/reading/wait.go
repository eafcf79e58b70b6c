// SPDX-License-Identifier: MPL-2.0

package reading

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// Wait configures [Wait.Until].
type Wait struct {
	Filters           []catalog.ResultsFilter // one for each position
	Minimum           int                     // of invitations in all positions together
	Timeout, Interval time.Duration
}

// UnreadError means that the results of a position could not be read.
type UnreadError struct {
	Position string
	Err      error
}

func (e *UnreadError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the request.
func (e *UnreadError) Unwrap() error { return e.Err }

// Until waits until every invitation is completed or expired, and until there are as many
// invitations as required. It calls progress after each check, and checks a last time when
// the timeout is over. It returns the counts of the last check, and whether the wait is
// over. The error is an [UnreadError], or the error of the context.
func (w Wait) Until(ctx context.Context, results *catalog.Results, progress func(Tally)) (Tally, bool, error) {
	filters := slices.DeleteFunc(slices.Clone(w.Filters), catalog.ResultsFilter.SelectsNothing)
	if len(filters) == 0 {
		w.Minimum = 0 // no invitation can be found
	}
	tallies := make([]Tally, len(filters))
	done, err := assessapi.Poll(ctx, w.Interval, w.Timeout, func(ctx context.Context) (bool, error) {
		for i, filter := range filters {
			// If there are too few invitations, each position can get more.
			t := tallies[i]
			if t.Total > 0 && t.Open() == 0 && sum(tallies).Total >= w.Minimum {
				continue
			}
			read, err := results.ReadFresh(ctx, filter)
			if err != nil {
				return false, &UnreadError{filter.Position, err}
			}
			tallies[i] = tallyOf(read.Candidates)
		}
		seen := sum(tallies)
		progress(seen)
		return seen.Open() == 0 && seen.Total >= w.Minimum, nil
	})
	return sum(tallies), done, err
}

// Tally counts invitations.
type Tally struct{ Total, Completed, Expired int }

func tallyOf(candidates []assessapi.Candidate) (t Tally) {
	for _, candidate := range candidates {
		for _, result := range candidate.Results {
			for _, i := range result.Invitations {
				t.Total++
				switch {
				case i.IsCompleted():
					t.Completed++
				case i.IsExpired():
					t.Expired++
				}
			}
		}
	}
	return t
}

func sum(tallies []Tally) (total Tally) {
	for _, t := range tallies {
		total.Total += t.Total
		total.Completed += t.Completed
		total.Expired += t.Expired
	}
	return total
}

// Open returns the number of invitations that are neither completed nor expired. Their
// status may be one that the specification does not list (assumption A13).
func (t Tally) Open() int { return t.Total - t.Completed - t.Expired }

func (t Tally) String() string {
	s := fmt.Sprintf("%d of %d completed", t.Completed, t.Total)
	if t.Expired > 0 {
		s += fmt.Sprintf(", %d expired", t.Expired)
	}
	return s
}
