// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// reportWait is what a report waits for.
type reportWait struct {
	timeout, interval time.Duration
	fewest            int // invitations that there must be
	filters           []engine.ResultsFilter
	tallies           []engine.Tally
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
	w.tallies = make([]engine.Tally, len(w.filters))
	return w
}

// mustRead reports whether a position can have changed in a way that matters. As
// long as there are too few invitations, every position can get more.
func (w *reportWait) mustRead(i int) bool {
	t := w.tallies[i]
	return !t.Known || t.Open() > 0 || t.Total == 0 || w.seen().Total < w.fewest
}

func (w *reportWait) seen() engine.Tally {
	var sum engine.Tally
	for _, t := range w.tallies {
		sum = sum.Plus(t)
	}
	return sum
}

func (w *reportWait) done() bool {
	seen := w.seen()
	return seen.Open() == 0 && seen.Total >= w.fewest
}

// missing says why the wait is not over, and what to do about it.
func (w *reportWait) missing() string {
	seen := w.seen()
	reason := fmt.Sprintf("Of %d invitations, %d are still open after %s (%s).", seen.Total, seen.Open(), w.timeout, seen)
	if seen.Total < w.fewest {
		reason = fmt.Sprintf(
			"After %s there are %d invitations, and wait.min_invitations asks for %d.",
			w.timeout,
			seen.Total,
			w.fewest,
		)
	}
	return reason + " Nothing was written.\n\nTo fix this: invoke the action again later, set a longer timeout, or " +
		"remove the block wait to report what there is now."
}
