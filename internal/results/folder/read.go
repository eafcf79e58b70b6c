// SPDX-License-Identifier: MPL-2.0

package folder

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// A position can fail because of its data, or because the service does not answer, so that a run could wait minutes for
// each one. After longTries failures in a row, each further position gets only shortTry. After mostFailures, the run
// stops reading.
const (
	longTries    = 3
	mostFailures = 12
	shortTry     = 10 * time.Second
)

// parallel is how many positions are read at the same time. With fewer requests, a response time
// of a second would keep a run below the rate limits.
const parallel = 4

// read reads everything that the reports show. A problem means that nothing can be written.
func (r *reportCommand) read(ctx context.Context) (all found, problem string) {
	all, problem = r.positions(ctx)
	if problem != "" {
		return nil, problem
	}
	var err error
	r.Report.AssessmentNames, err = reading.AssessmentNames(ctx, r.catalog)
	switch {
	case err == nil:
	case ctx.Err() != nil, assessapi.StopsRun(err):
		return nil, r.failed(ctx, "Could not read the names of the assessments.", err)
	default:
		r.screen.print("Note: the reports show IDs instead of the names of assessments. " + run.Answer(err))
	}
	group := errgroup.Group{}
	group.SetLimit(parallel)
	for _, p := range all {
		if p.problem != nil {
			continue
		}
		group.Go(func() error {
			r.readPosition(ctx, p)
			r.screen.count(len(all))
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	if ctx.Err() != nil {
		return nil, runInterrupted
	}
	return all, ""
}

func (r *reportCommand) readPosition(ctx context.Context, p *reportedPosition) {
	if r.failures.Load() >= mostFailures {
		p.reason = report.NotTried
		return
	}
	limit, cancel := ctx, context.CancelFunc(func() {})
	if r.failures.Load() >= longTries {
		limit, cancel = throttle.WithTimeout(ctx, shortTry)
	}
	read, err := r.source.Client.Results(limit, p.ID, nil, nil)
	cancel()
	switch {
	case errors.As(err, new(*assessapi.RepeatedError)): // another request has the whole error
		p.reason = report.NotTried
		return
	case err != nil:
		p.problem, p.reason = err, reasonOf(err)
		if isFault(err) {
			r.failures.Add(1)
		} else {
			r.failures.Store(0)
		}
		return
	}
	r.failures.Store(0)
	p.read = true
	p.section = report.Section{PositionID: p.ID, Title: p.name(), Candidates: read.Candidates}
	if len(read.Candidates) > 0 {
		if err := reading.Describe(ctx, r.catalog, &p.section); err != nil {
			r.mu.Lock()
			r.undescribed, r.reason = r.undescribed+1, err
			r.mu.Unlock()
		}
	}
}

// isFault reports whether the service could not answer, so that the next positions will probably fail, too.
func isFault(err error) bool {
	if refused, answered := errors.AsType[*assessapi.Error](err); answered {
		return slices.Contains([]assessapi.Class{assessapi.ServiceFault, assessapi.TooManyRequests}, refused.Class())
	}
	return !errors.As(err, new(*assessapi.ShapeError))
}

// isForbidden reports whether the service refuses a request, although it accepts the credentials.
func isForbidden(err error) bool {
	refused, ok := errors.AsType[*assessapi.Error](err)
	return ok && refused.Class() == assessapi.Forbidden
}

func reasonOf(err error) report.Reason {
	switch {
	case assessapi.IsNotFound(err):
		return report.Gone
	case isForbidden(err):
		return report.Forbidden
	default:
		return report.Unreadable
	}
}
