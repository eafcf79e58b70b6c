// SPDX-License-Identifier: MPL-2.0

package report

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"
	"golang.org/x/text/unicode/norm"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// parallel is how many positions are read at the same time. If responses take a second, a lower number would make the
// run slower than the rate limits require.
const parallel = 4

// read reads the names of the assessments, and the positions with their results, into r. An error means that nothing
// can be written. If the names cannot be read, but the run has not ended, the reports show IDs, and read prints a note.
// What could not be read about a position is recorded in the position.
func (r *reportCommand) read(ctx context.Context) error {
	reported, err := r.find(ctx)
	if err != nil {
		return r.failed(ctx, "Could not list the positions.", err)
	}
	names, err := reading.AssessmentNames(ctx, r.source)
	if err != nil {
		if ctx.Err() != nil || r.source.Client.Ended() != nil { // then no position could be read either
			return r.failed(ctx, "Could not read the names of the assessments.", err)
		}
		r.progress.Print("Note: the reports show IDs instead of the names of assessments. " + run.Response(err))
	}
	r.reported, r.Report.AssessmentNames = reported, names
	r.readPositions(ctx)
	if ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}

// readPositions reads the positions that were found, several at the same time. After each position, it shows the
// progress, and prints the run's new notices.
func (r *reportCommand) readPositions(ctx context.Context) {
	found := slices.DeleteFunc(slices.Clone(r.reported), isMissing)
	group := errgroup.Group{}
	group.SetLimit(parallel)
	for _, p := range found {
		group.Go(func() error {
			r.readPosition(ctx, p)
			r.progress.Count(len(found), "positions read")
			r.printNotices()
			return nil
		})
	}
	_ = group.Wait() // no function of the group returns an error
}

// find returns the positions to report on, each once: the positions that --position names, or all positions except
// those that --except names. For a name that matches no position, it returns a reportedPosition with a problem. The
// error is that of [reportCommand.labels].
func (r *reportCommand) find(ctx context.Context) ([]*reportedPosition, error) {
	labels, err := r.labels(ctx)
	if err != nil {
		return nil, err
	}
	if len(r.Positions) > 0 {
		return distinct(r.named(r.Positions, labels)), nil
	}
	excepted := r.named(r.Except, labels)
	var found []*reportedPosition
	for _, l := range labels {
		if !slices.ContainsFunc(excepted, func(p *reportedPosition) bool { return p.Label == l }) {
			found = append(found, &reportedPosition{Label: l})
		}
	}
	isKnown := func(p *reportedPosition) bool { return !isMissing(p) }
	return distinct(append(found, slices.DeleteFunc(excepted, isKnown)...)), nil
}

// labels returns the titles and IDs of all positions. If --position is set, and there is no list or the API key may not
// read it, labels returns the values of --position as IDs, and prints a note. If the list cannot be read in any other
// case, labels returns the error.
func (r *reportCommand) labels(ctx context.Context) ([]assessapi.Label, error) {
	r.progress.Say("Reading the list of positions")
	listed, err := r.source.Lists.Positions(ctx)
	if err == nil {
		return assessapi.Labels(listed), nil
	}
	canUseIDs := len(r.Positions) > 0 && (assessapi.IsNoList(err) || isForbidden(err))
	if !canUseIDs {
		return nil, err
	}
	r.progress.Print("Note: each --position must be an ID, because titles cannot be looked up. " + run.Response(err))
	var labels []assessapi.Label
	for _, id := range r.Positions {
		labels = append(labels, assessapi.Label{ID: id})
	}
	return labels, nil
}

// distinct returns each position once.
func distinct(positions []*reportedPosition) (once []*reportedPosition) {
	seen := map[assessapi.Label]bool{}
	for _, p := range positions {
		if !seen[p.Label] {
			once = append(once, p)
		}
		seen[p.Label] = true
	}
	return once
}

// named returns, for each name, the position with this ID, or all positions with this title if there is no such ID. A
// name that matches no position becomes a reportedPosition with a problem. If a name matches several positions, named
// prints a note.
func (r *reportCommand) named(names []string, labels []assessapi.Label) (all []*reportedPosition) {
	for _, name := range names {
		found, similar := lookUp(name, labels)
		if len(found) > 1 {
			r.progress.Print(fmt.Sprintf("Note: several positions have the title %q: %s. To choose one, use its ID.",
				name, messages.OneOf(found)))
		}
		for _, l := range found {
			all = append(all, &reportedPosition{Label: l})
		}
		if len(found) == 0 {
			problem := notFound(name, labels, similar)
			all = append(all, &reportedPosition{Label: assessapi.Label{Name: name}, problem: problem})
		}
	}
	return all
}

// notFound says that a name matches no position, as far as the service shows the titles, and which are similar.
func notFound(name string, labels, similar []assessapi.Label) unknownError {
	text := fmt.Sprintf("No position has the title or ID %q.", name)
	shown := slices.DeleteFunc(slices.Clone(labels), func(l assessapi.Label) bool { return l.Name == "" })
	if hidden := len(labels) - len(shown); hidden > 0 {
		text = fmt.Sprintf("No position has the ID %q. The service does not show the titles of %d of %d positions, and "+
			"no other position has this title.", name, hidden, len(labels))
	}
	if len(similar) > 0 {
		text += " Similar: " + messages.OneOf(similar) + "."
	}
	return unknownError(text)
}

// lookUp returns the position whose ID equals name or, if there is none, all positions whose title equals name. In the
// second case, similar contains the positions that have a similar title or ID.
func lookUp(name string, labels []assessapi.Label) (found, similar []assessapi.Label) {
	for _, l := range labels {
		switch {
		case l.ID == name:
			return []assessapi.Label{l}, nil
		case norm.NFC.String(l.Name) == norm.NFC.String(name):
			found = append(found, l)
		case messages.Similar(l.Name, name) || messages.Similar(l.ID, name):
			similar = append(similar, l)
		}
	}
	return found, similar
}

// readPosition sets the section of a position: its candidates and, if there are candidates, a description of its
// assessments, and scores for a ranking. It records in the position what could not be read. If the candidates could not
// be read, it sets problem, and the position has no section.
func (r *reportCommand) readPosition(ctx context.Context, p *reportedPosition) {
	// Without filters, Results returns everything. r.source.Lists would keep the results of all positions in memory.
	read, err := r.source.Client.Results(ctx, p.ID, nil, nil)
	if err != nil {
		p.problem = err
		return
	}
	p.section = report.Section{PositionID: p.ID, Title: p.name(), Candidates: read.Candidates}
	if len(read.Candidates) > 0 {
		p.undescribed = reading.Describe(ctx, r.source, &p.section)
		p.notReranked = r.rankOverCompleted(ctx, &p.section)
	}
}

// isStopped reports whether a request was not sent because an earlier error has ended the run.
func isStopped(err error) bool {
	_, ended := run.EndedBy(err)
	return ended
}

// isForbidden reports whether an error is a 403 of the service itself, and not of a gateway or a cache.
func isForbidden(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return ok && failed.Own && !failed.Cached && failed.Status == http.StatusForbidden
}
