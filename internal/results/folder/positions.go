// SPDX-License-Identifier: MPL-2.0

package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// reportedPosition is a position to report on, and what was read about it.
type reportedPosition struct {
	assessapi.Label
	named   bool // with the flag -position
	section report.Section
	// read is whether the results were read. If not, problem says why, and reason is what the index says.
	read    bool
	problem error
	reason  report.Reason
	similar []assessapi.Label // positions with a similar title, if no position has the title
}

// shown reports whether the position has a page.
func (p *reportedPosition) shown() bool { return p.read && (p.named || len(p.section.Candidates) > 0) }

// name is the title, or the id if there is no title.
func (p *reportedPosition) name() string { return cmp.Or(strings.TrimSpace(p.Name), p.ID) }

var errUnknown = errors.New("no position has this title or ID")

// positions returns the positions to report on.
func (r *reportCommand) positions(ctx context.Context) (all found, problem string) {
	r.screen.say("Reading the list of positions")
	listed, err := r.catalog.Positions(ctx)
	var wanted []*reportedPosition
	switch {
	case err != nil && len(r.Positions) > 0 && (assessapi.IsNoList(err) || hasClass(err, assessapi.Forbidden)):
		for _, id := range r.Positions { // without the list, only IDs can be used
			wanted = append(wanted, &reportedPosition{Label: assessapi.Label{ID: id}, named: true})
		}
	case err != nil:
		return nil, r.failed(ctx, "Could not list the positions.", err)
	case len(r.Positions) == 0:
		for _, l := range assessapi.Labels(listed) {
			wanted = append(wanted, &reportedPosition{Label: l})
		}
	default:
		for _, name := range r.Positions {
			wanted = append(wanted, r.named(name, listed)...)
		}
	}
	for _, name := range r.Except {
		for _, p := range r.named(name, listed) {
			if p.problem != nil {
				wanted = append(wanted, p)
			}
			wanted = slices.DeleteFunc(wanted, func(w *reportedPosition) bool { return w.problem == nil && w.Label == p.Label })
		}
	}
	return distinctPositions(wanted), ""
}

// named is [positionsNamed], with a note if several positions have the title.
func (r *reportCommand) named(name string, listed []assessapi.Item) []*reportedPosition {
	all := positionsNamed(name, assessapi.Labels(listed))
	if len(all) > 1 {
		r.screen.print(fmt.Sprintf("Note: the title %q means all these positions: %s. To choose one, use its ID.",
			name, words.OneOf(all)))
	}
	return all
}

// positionsNamed returns the position with an id, or else all positions with a title.
func positionsNamed(name string, listed []assessapi.Label) []*reportedPosition {
	var found []*reportedPosition
	for _, same := range []func(assessapi.Label) bool{
		func(l assessapi.Label) bool { return l.ID == name },
		func(l assessapi.Label) bool { return norm.NFC.String(l.Name) == norm.NFC.String(name) },
	} {
		for _, l := range listed {
			if same(l) {
				found = append(found, &reportedPosition{Label: l, named: true})
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	unknown := &reportedPosition{
		Label: assessapi.Label{Name: name}, named: true, problem: errUnknown, reason: report.Unknown,
	}
	for _, l := range listed {
		if words.Similar(l.Name, name) || words.Similar(l.ID, name) {
			unknown.similar = append(unknown.similar, l)
		}
	}
	return []*reportedPosition{unknown}
}

// distinctPositions removes positions that were named twice.
func distinctPositions(positions []*reportedPosition) []*reportedPosition {
	seen := map[assessapi.Label]bool{}
	return slices.DeleteFunc(positions, func(p *reportedPosition) bool {
		before := seen[p.Label]
		seen[p.Label] = true
		return before
	})
}
