// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// reportWait decides how long a report waits, and for what.
type reportWait struct {
	timeout, interval time.Duration
	minimum           int // of invitations
	filters           []engine.ResultsFilter
	tallies           []engine.Tally
}

func newReportWait(model resultsReportModel) *reportWait {
	w := &reportWait{
		timeout:  durationOr(stringIn(model.Wait, "timeout"), waitTimeout),
		interval: durationOr(stringIn(model.Wait, "poll_interval"), waitInterval),
		minimum:  waitInvitations,
	}
	if n, ok := model.Wait.Attributes()["min_invitations"].(types.Int32); ok && !n.IsNull() {
		w.minimum = int(n.ValueInt32())
	}
	for _, filter := range model.filters() {
		if !filter.SelectsNothing() {
			w.filters = append(w.filters, filter)
		}
	}
	if len(w.filters) == 0 {
		w.minimum = 0 // no invitation can be found
	}
	w.tallies = make([]engine.Tally, len(w.filters))
	return w
}

// mustRead reports whether a position has to be read again. If there are too few
// invitations, each position can get more.
func (w *reportWait) mustRead(i int) bool {
	t := w.tallies[i]
	return !t.Known || t.Open() > 0 || t.Total == 0 || w.seen().Total < w.minimum
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
	return seen.Open() == 0 && seen.Total >= w.minimum
}

// missing is the detail of the error after the timeout.
func (w *reportWait) missing() string {
	seen := w.seen()
	reason := fmt.Sprintf("Of %d invitations, %d are still open after %s (%s).", seen.Total, seen.Open(), w.timeout, seen)
	if seen.Total < w.minimum {
		reason = fmt.Sprintf(
			"After %s there are %d invitations, and wait.min_invitations requires %d.", w.timeout, seen.Total, w.minimum,
		)
	}
	return reason + " Nothing was written.\n\nTo fix this: invoke the action again later, set a longer timeout, or " +
		"remove the block \"wait\" to report the results that exist now."
}
