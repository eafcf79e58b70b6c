// SPDX-License-Identifier: MPL-2.0

package folder

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
	"github.com/assessascode/terraform-provider-assess/internal/run"
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
	switch class := classOf(err); {
	case err == nil:
	case ctx.Err() != nil, class == noResponse, class == assessapi.Unauthorized:
		return nil, r.failed(ctx, "Could not read the names of the assessments.", err)
	default:
		r.screen.print("Note: the reports show IDs instead of the names of assessments. " + run.Answer(err))
	}
	group, service := errgroup.Group{}, &serviceHealth{}
	group.SetLimit(parallel)
	for _, p := range all {
		if p.problem != nil {
			continue
		}
		group.Go(func() error {
			r.readPosition(ctx, service, p)
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

func (r *reportCommand) readPosition(ctx context.Context, service *serviceHealth, p *reportedPosition) {
	if ctx.Err() != nil || service.stopped() {
		p.reason = report.NotTried
		return
	}
	read, err := r.source.Client.Results(ctx, p.ID, nil, nil)
	service.answered(err)
	if err != nil {
		p.problem, p.reason = err, reasonOf(err)
		return
	}
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

// serviceHealth knows whether the service still answers, so that a run does not try each of many positions
// for minutes.
type serviceHealth struct {
	mu       sync.Mutex
	failures int // in a row
	refuses  bool
}

// mostFailures is how many positions in a row may fail because of the service. One of them may fail because of
// its data.
const mostFailures = 3

func (s *serviceHealth) answered(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch classOf(err) {
	case assessapi.Unauthorized:
		s.refuses = true
	case noResponse, assessapi.ServiceFault, assessapi.TooManyRequests:
		s.failures++
	default:
		s.failures = 0
	}
}

func (s *serviceHealth) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuses || s.failures >= mostFailures
}

// Classes of results besides those of a refusal.
const (
	noError    assessapi.Class = -1
	noResponse assessapi.Class = -2
	unreadable assessapi.Class = -3 // a response that the client does not understand
)

// classOf returns the class of the result of a request.
func classOf(err error) assessapi.Class {
	var refused *assessapi.Error
	switch {
	case err == nil:
		return noError
	case errors.As(err, &refused):
		return refused.Class()
	case errors.As(err, new(*assessapi.ShapeError)):
		return unreadable
	default:
		return noResponse
	}
}

func reasonOf(err error) report.Reason {
	switch {
	case assessapi.IsNotFound(err):
		return report.Gone
	case classOf(err) == assessapi.Forbidden:
		return report.Forbidden
	default:
		return report.Unreadable
	}
}
