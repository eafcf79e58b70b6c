// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// reportedPosition is a position to report on, and what was read about it.
type reportedPosition struct {
	assessapi.Label
	section report.Section
	problem error // why the results were not read
	lacks   error // why the section does not describe all assessments
}

// name is the title, or the id if there is no title.
func (p *reportedPosition) name() string { return cmp.Or(strings.TrimSpace(p.Name), p.ID) }

// unknownError means that no position has this title or ID.
type unknownError struct {
	name    string
	similar []assessapi.Label
}

func (e *unknownError) Error() string {
	text := fmt.Sprintf("No position has the title or ID %q.", e.name)
	if len(e.similar) > 0 {
		text += " Similar: " + words.OneOf(e.similar) + "."
	}
	return text
}

// errNotTried means that the results were not requested, because earlier requests had failed.
var errNotTried = errors.New("earlier requests failed")

// reason is what the index says about a problem.
func (p *reportedPosition) reason() report.Reason {
	switch {
	case errors.As(p.problem, new(*unknownError)):
		return report.Unknown
	case errors.Is(p.problem, errNotTried):
		return report.NotTried
	case assessapi.IsNotFound(p.problem):
		return report.Gone
	case isForbidden(p.problem):
		return report.Forbidden
	default:
		return report.Unreadable
	}
}

// shows reports whether a position has a page.
func (r *reportCommand) shows(p *reportedPosition) bool {
	return p.problem == nil && (len(r.Positions) > 0 || len(p.section.Candidates) > 0)
}

// missing returns the positions that could not be read.
func (r *reportCommand) missing() []*reportedPosition {
	return slices.DeleteFunc(slices.Clone(r.reported), func(p *reportedPosition) bool { return p.problem == nil })
}

// empty returns the positions without candidates, which have no page.
func (r *reportCommand) empty() []*reportedPosition {
	return slices.DeleteFunc(slices.Clone(r.reported), func(p *reportedPosition) bool {
		return p.problem != nil || r.shows(p)
	})
}

// find finds the positions to report on. A problem means that nothing can be written.
func (r *reportCommand) find(ctx context.Context) (problem string) {
	r.progress.Say("Reading the list of positions")
	listed, err := r.source.Lists.Positions(ctx)
	var wanted []*reportedPosition
	switch {
	case err != nil && len(r.Positions) > 0 && (assessapi.IsNoList(err) || isForbidden(err)):
		for _, id := range r.Positions { // without the list, only IDs can be used
			wanted = append(wanted, &reportedPosition{Label: assessapi.Label{ID: id}})
		}
	case err != nil:
		return r.failed(ctx, "Could not list the positions.", err)
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
	seen := map[assessapi.Label]bool{}
	for _, p := range wanted {
		if !seen[p.Label] { // not named twice
			seen[p.Label] = true
			r.reported = append(r.reported, p)
		}
	}
	return ""
}

// named returns the position with this id, or else all positions with this title.
func (r *reportCommand) named(name string, listed []assessapi.Item) (found []*reportedPosition) {
	var similar []assessapi.Label
	for _, l := range assessapi.Labels(listed) {
		switch {
		case l.ID == name:
			return []*reportedPosition{{Label: l}}
		case norm.NFC.String(l.Name) == norm.NFC.String(name):
			found = append(found, &reportedPosition{Label: l})
		case words.Similar(l.Name, name) || words.Similar(l.ID, name):
			similar = append(similar, l)
		}
	}
	if len(found) == 0 {
		return []*reportedPosition{{Label: assessapi.Label{Name: name}, problem: &unknownError{name, similar}}}
	}
	if len(found) > 1 {
		r.progress.Print(fmt.Sprintf("Note: several positions have the title %q: %s. To choose one, use its ID.",
			name, words.OneOf(found)))
	}
	return found
}
