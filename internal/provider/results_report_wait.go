// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// The statuses of an invitation that is no longer open (section 3.2).
const (
	testedWithResults = "TESTED_WITH_RESULTS"
	expired           = "EXPIRED"
)

// tally counts invitations.
type tally struct {
	known                     bool // whether they have been counted
	total, completed, expired int
}

// tallyOf counts the invitations of candidates. An invitation is open until it
// says that it is completed or expired, because there may be statuses that the
// specification does not list (assumption A13).
func tallyOf(results assessapi.Results) tally {
	t := tally{known: true}
	for _, candidate := range results.Candidates {
		for _, result := range candidate.Results {
			for _, i := range result.Invitations {
				t.total++
				switch {
				case i.Completed != nil || textOf(i.Status) == testedWithResults:
					t.completed++
				case textOf(i.Status) == expired:
					t.expired++
				}
			}
		}
	}
	return t
}

func (t tally) open() int { return t.total - t.completed - t.expired }

func (t tally) plus(other tally) tally {
	return tally{
		known:     true,
		total:     t.total + other.total,
		completed: t.completed + other.completed,
		expired:   t.expired + other.expired,
	}
}

func (t tally) String() string {
	s := fmt.Sprintf("%d of %d completed", t.completed, t.total)
	if t.expired > 0 {
		s += fmt.Sprintf(", %d expired", t.expired)
	}
	return s
}

// reportWait is what a report waits for.
type reportWait struct {
	timeout, interval time.Duration
	fewest            int // invitations that there must be
	filters           []engine.ResultsFilter
	tallies           []tally
}

func newReportWait(model resultsReportModel) *reportWait {
	w := &reportWait{
		timeout:  durationOr(stringIn(model.Wait, "timeout"), waitTimeout),
		interval: durationOr(stringIn(model.Wait, "poll_interval"), waitInterval),
		fewest:   waitInvitations,
	}
	if n, ok := model.Wait.Attributes()["min_invitations"].(types.Int32); ok && !n.IsNull() {
		w.fewest = int(n.ValueInt32())
	}
	for _, filter := range model.filters() {
		if !filter.SelectsNothing() {
			w.filters = append(w.filters, filter)
		}
	}
	if len(w.filters) == 0 {
		w.fewest = 0 // there cannot be any invitation
	}
	w.tallies = make([]tally, len(w.filters))
	return w
}

// mustRead reports whether a position can have changed in a way that matters. As
// long as there are too few invitations, every position can get more.
func (w *reportWait) mustRead(i int) bool {
	t := w.tallies[i]
	return !t.known || t.open() > 0 || t.total == 0 || w.seen().total < w.fewest
}

func (w *reportWait) seen() tally {
	var sum tally
	for _, t := range w.tallies {
		sum = sum.plus(t)
	}
	return sum
}

func (w *reportWait) done() bool {
	seen := w.seen()
	return seen.open() == 0 && seen.total >= w.fewest
}

// missing says why the wait is not over, and what to do about it.
func (w *reportWait) missing() string {
	seen := w.seen()
	reason := fmt.Sprintf(
		"Of %d invitations, %d are still open after %s (%s).",
		seen.total,
		seen.open(),
		w.timeout,
		seen,
	)
	if seen.total < w.fewest {
		reason = fmt.Sprintf(
			"After %s there are %d invitations, and wait.min_invitations asks for %d.",
			w.timeout,
			seen.total,
			w.fewest,
		)
	}
	return reason + " Nothing was written.\n\n" +
		"To fix this: invoke the action again later, set a longer timeout, or remove the block wait to report " +
		"what there is now."
}
