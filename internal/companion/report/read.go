// SPDX-License-Identifier: MPL-2.0

package report

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// parallel is how many positions are read at the same time. With fewer requests, a response time
// of a second would keep a run below the rate limits.
const parallel = 4

// read reads everything that the reports show. A problem means that nothing can be written.
func (r *reportCommand) read(ctx context.Context) (problem string) {
	if problem = r.find(ctx); problem != "" {
		return problem
	}
	var err error
	r.Report.AssessmentNames, err = reading.AssessmentNames(ctx, r.source)
	switch {
	case err == nil:
	case ctx.Err() != nil, r.source.Client.Ended() != nil:
		return r.failed(ctx, "Could not read the names of the assessments.", err)
	default:
		r.progress.Print("Note: the reports show IDs instead of the names of assessments. " + run.Answer(err))
	}
	group := errgroup.Group{}
	group.SetLimit(parallel)
	for _, p := range r.reported {
		if p.problem != nil {
			continue
		}
		group.Go(func() error {
			r.readPosition(ctx, p)
			r.progress.Count(len(r.reported), "positions read")
			r.printNotices()
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	if ctx.Err() != nil {
		return runInterrupted
	}
	return ""
}

func (r *reportCommand) readPosition(ctx context.Context, p *reportedPosition) {
	read, err := r.source.Client.Results(ctx, p.ID, nil, nil) // not through r.source.Lists, which would keep all of them
	switch {
	case isStopped(err):
		p.problem = errNotTried
		return
	case err != nil:
		p.problem = err
		return
	}
	p.section = report.Section{PositionID: p.ID, Title: p.name(), Candidates: read.Candidates}
	if len(read.Candidates) > 0 {
		p.lacks = reading.Describe(ctx, r.source, &p.section)
	}
}

// stopped reports whether the run has ended before all positions were tried.
func (r *reportCommand) stopped() bool {
	return slices.ContainsFunc(r.reported, func(p *reportedPosition) bool { return errors.Is(p.problem, errNotTried) })
}

// isStopped reports whether a request was not sent because an earlier error has ended the run.
func isStopped(err error) bool {
	_, ended := run.EndedBy(err)
	return ended
}

// isForbidden reports whether the service itself has answered 403.
func isForbidden(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return ok && failed.Own && failed.Status == http.StatusForbidden
}
