// SPDX-License-Identifier: MPL-2.0

package report

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// mostFailures is how many positions in a row may fail before a run stops reading, because it could wait minutes for
// each one. Some positions can fail because of their data.
const mostFailures = 7

// parallel is how many positions are read at the same time. With fewer requests, a response time
// of a second would keep a run below the rate limits.
const parallel = 4

// read reads everything that the reports show. A problem means that nothing can be written.
func (r *reportCommand) read(ctx context.Context) (problem string) {
	if problem = r.find(ctx); problem != "" {
		return problem
	}
	var err error
	r.Report.AssessmentNames, err = reading.AssessmentNames(ctx, r.catalog)
	switch {
	case err == nil:
	case ctx.Err() != nil, assessapi.StopsRun(err):
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
	if r.failures.Load() >= mostFailures {
		p.problem = errNotTried
		return
	}
	read, err := r.results(ctx, p.ID)
	switch {
	case isRepeated(err) && (endsReading(err) || r.failures.Load() >= mostFailures): // not sent
		p.problem = errNotTried
		return
	case err != nil:
		p.problem = err
		if isFault(err) {
			r.failures.Add(1)
		} else {
			r.failures.Store(0)
		}
		return
	}
	r.failures.Store(0)
	p.section = report.Section{PositionID: p.ID, Title: p.name(), Candidates: read.Candidates}
	if len(read.Candidates) > 0 {
		p.lacks = reading.Describe(ctx, r.catalog, &p.section)
		p.ranking = r.rankOverCompleted(ctx, &p.section)
	}
}

// results reads the results of a position. If another position has waited for the end of an outage without success, one
// position after the other finds out whether the outage is over, or only concerns that one.
func (r *reportCommand) results(ctx context.Context, id string) (assessapi.Results, error) {
	read, err := r.source.Client.Results(ctx, id, nil, nil)
	if !isRepeated(err) || endsReading(err) {
		return read, err
	}
	r.probing <- struct{}{}
	defer func() { <-r.probing }()
	if r.failures.Load() >= mostFailures || assessapi.Wait(ctx, assessapi.RestTime) != nil {
		return read, err
	}
	return r.source.Client.Results(ctx, id, nil, nil)
}

// stopped reports whether the service has stopped answering: the last requests have failed, and it does not even return
// again what this run has read.
func (r *reportCommand) stopped(ctx context.Context) bool {
	i := slices.IndexFunc(r.reported, func(p *reportedPosition) bool { return p.problem == nil })
	if r.failures.Load() == 0 || i < 0 {
		return false
	}
	_, err := r.results(ctx, r.reported[i].ID)
	return err != nil
}

// endsReading reports whether every later read fails with this error.
func endsReading(err error) bool {
	return hasClass(err, assessapi.Unauthorized) || connection.SharedBudgetError(err) != nil
}

func isRepeated(err error) bool { return errors.As(err, new(*assessapi.RepeatedError)) }

// isFault reports whether the service could not answer, so that the next positions will probably fail, too.
func isFault(err error) bool {
	if refused, answered := errors.AsType[*assessapi.Error](err); answered {
		return slices.Contains([]assessapi.Class{assessapi.ServiceFault, assessapi.TooManyRequests}, refused.Class())
	}
	return !errors.As(err, new(*assessapi.ShapeError))
}

// hasClass reports whether an error is a refusal of a class.
func hasClass(err error, class assessapi.Class) bool {
	refused, ok := errors.AsType[*assessapi.Error](err)
	return ok && refused.Class() == class
}
