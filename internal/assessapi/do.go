// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	// mistakeTime is how long a call retries what is probably a wrong setting, while nothing has succeeded.
	mistakeTime = 10 * time.Second
	// shortestOutage is how long nothing must have succeeded before a call ends the run, if retry_timeout is shorter.
	shortestOutage = 10 * time.Second
)

// call is a request on its way.
type call struct {
	*Client
	request

	breaker   *breaker
	successes int64 // of the run when the call began, and later when its first attempt had failed
	began     time.Time
	spent     time.Duration // what counts for the timeout: attempts, pauses and holds, not the wait for a slot
	attempts  int
	last      attempt
	before    error         // why the attempt before the last one has failed
	hold      time.Duration // after a 429
	held      int           // how often there was a 429 without Retry-After
	repeated  bool          // whether the request was sent once more because of a cache or invalid JSON
	mayCount  bool          // whether an attempt of a write may have had an effect
}

// do sends a request until [decide] ends the call, or its time is over. It returns a 2xx of the service, or an error:
// an [Error], a [ShapeError], or that of request.again.
func (c *Client) do(ctx context.Context, r request) (*response, error) {
	breaker := c.run.Load().breaker
	call := &call{Client: c, request: r, breaker: breaker, successes: breaker.successes.Load(), began: time.Now()}
	switch {
	case r.route.err != nil:
		return nil, call.stopped(r.route.err)
	case c.cfg.ReadOnly && !r.isRead():
		return nil, call.stopped(ErrReadOnly)
	}
	for {
		release, err := call.acquire(ctx)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		call.attempt(ctx, release)
		call.spent += time.Since(start)
		verdict := decide(r.method, call.last, call.repeated, breaker.successes.Load() > 0)
		if isSuccess(call.last.response) {
			breaker.successes.Add(1)
		}
		switch verdict.action {
		case done:
			c.warnCached(call.last.response)
			return call.last.response, nil
		case fail:
			c.warnCached(call.last.response)
			return nil, call.failed(verdict.outcome)
		case endRun:
			return nil, call.endRun(call.failure(verdict.outcome))
		case again, once:
			if err := call.pause(ctx, verdict); err != nil {
				return nil, err
			}
		}
	}
}

// acquire waits for a slot. The wait ends with the run.
func (c *call) acquire(ctx context.Context) (release func(time.Duration), err error) {
	release = func(time.Duration) {}
	if c.cfg.Acquire != nil && c.breaker.first() == nil {
		waiting, cancel := c.breaker.bind(ctx)
		defer cancel()
		release, err = c.cfg.Acquire(waiting, c.limits)
	}
	first := c.breaker.first()
	if err == nil && (first != nil || ctx.Err() != nil) {
		release(0) // nothing is sent
	}
	switch {
	case first != nil:
		return nil, c.endedBy(first)
	case ctx.Err() != nil:
		return nil, c.stopped(context.Cause(ctx))
	case err != nil:
		return nil, c.endRun(c.stopped(err))
	}
	return release, nil
}

// pause waits before the request is sent again. It returns the error of the call if its time is over, or if it must not
// be sent again.
func (c *call) pause(ctx context.Context, v verdict) error {
	c.repeated = c.repeated || v.action == once
	c.mayCount = c.mayCount || v.outcome == Unknown && !c.isRead()
	if c.last.err == nil {
		c.before = errors.New(statusLine(c.last.response.status))
	} else if ctx.Err() == nil {
		c.before = c.last.err
	}
	if ctx.Err() != nil {
		return c.stopped(context.Cause(ctx))
	}
	limit := c.cfg.RetryTimeout
	if c.breaker.successes.Load() == 0 && isMistake(c.last.err) {
		limit = min(limit, mistakeTime)
	}
	left := limit - c.spent
	pause, isHeld := c.nextPause(v), c.hold > 0
	if left <= 0 || isHeld && pause > left {
		e := c.failure(v.outcome)
		if c.isOutage(limit) {
			return c.endRun(e)
		}
		return e
	}
	if c.attempts == 1 { // requests in progress at the beginning of an outage may have succeeded
		c.successes = c.breaker.successes.Load()
	}
	pause = min(pause, left)
	c.spent += pause
	if !isHeld || c.cfg.Acquire == nil { // after a 429, Acquire waits
		if err := c.sleep(ctx, pause); err != nil {
			return err
		}
	}
	if c.mayCount && c.again != nil {
		return c.again(ctx)
	}
	return nil
}

// isOutage reports whether no request of the run has succeeded for as long as a call is repeated. One slow response or
// one 429 does not show that, if the call was not repeated.
func (c *call) isOutage(limit time.Duration) bool {
	return c.breaker.successes.Load() == c.successes && time.Since(c.began) >= max(limit, shortestOutage)
}

func (c *call) sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return c.stopped(context.Cause(ctx))
	case <-c.breaker.ended.Done():
		return c.endedBy(c.breaker.first())
	}
}

// nextPause returns the pause before the next attempt: the hold of a 429, or a time that doubles from 0.5 to 30
// seconds. A random part of up to a half is subtracted, so that calls that failed together do not retry together. If
// the service asks for a longer time, it is that, up to a minute.
func (c *call) nextPause(v verdict) time.Duration {
	switch a := c.last.response; {
	case c.hold > 0:
		return c.hold
	case v.action == once && a.isCached:
		return 0
	default:
		pause := min(firstPause<<min(c.attempts-1, 10), longestPause) / 2
		pause += rand.N(pause)
		if a != nil && a.status >= 500 {
			after, _ := retryAfter(a.header)
			pause = max(pause, min(after, time.Minute))
		}
		return pause
	}
}

// failed returns the error of a call that [decide] has ended.
func (c *call) failed(outcome Outcome) error {
	if a := c.last.response; a != nil && a.status/100 == 2 && a.isOwn && c.isRead() {
		return c.shapeError(c.route, a.problem)
	}
	return c.failure(outcome)
}

// failure returns the error of a call whose last attempt has failed.
func (c *call) failure(outcome Outcome) *Error {
	e := c.newError()
	e.Err = c.last.err
	a := c.last.response
	isGone := a != nil && (a.status == http.StatusNotFound || a.status == http.StatusGone)
	if !c.mayCount || isGone { // otherwise an earlier attempt may have had an effect
		e.Outcome = outcome
	}
	if a != nil {
		c.describe(e, a)
		switch problem := failureOf(a.body); {
		case a.status/100 != 2:
		case a.isOwn && !isDocumented(c.method, a.status):
			e.Err = errUndocumented
		case problem != nil:
			e.Err = c.secrets.showError(problem)
		}
	}
	return e
}

// errUndocumented is the problem of a 2xx that does not show whether a write had an effect.
var errUndocumented = errors.New("this status does not show that the request had an effect")

// stopped returns the error of a call that sends nothing more.
func (c *call) stopped(reason error) *Error {
	e := c.newError()
	e.Err = reason
	if c.before != nil {
		e.Err = fmt.Errorf("%w (before that: %s)", reason, c.before.Error())
	}
	return e
}

func (c *call) newError() *Error {
	e := &Error{
		Outcome: Stopped, Method: c.method, Route: c.route.template, Address: c.shownAddress(c.route),
		Attempts: c.attempts, Elapsed: time.Since(c.began), Spent: c.spent,
	}
	if c.mayCount {
		e.Outcome = Unknown
	}
	return e
}

// endRun ends the run with the error of this call. If another error has ended it before, the error of this call only
// refers to it, unless it must say that a write may have had an effect.
func (c *call) endRun(e *Error) *Error {
	first := c.breaker.open(e)
	if first == e || e.Outcome == Unknown && !c.isRead() {
		return e
	}
	return c.endedBy(first)
}

// endedBy returns the error of a call that sends nothing more because of the error that has ended the run.
func (c *call) endedBy(first *Error) *Error {
	e := c.newError()
	e.First = first
	return e
}
