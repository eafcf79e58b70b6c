// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	// mistakeTime is how long a call is repeated if its error is probably caused by a wrong setting, and no request of
	// the run has succeeded yet.
	mistakeTime = 10 * time.Second
	// shortestOutage is how long an outage must last before a call ends the run, even if retry_timeout is shorter.
	shortestOutage = 10 * time.Second
)

// call is a request that is sent until it succeeds, fails, or has no time left.
type call struct {
	*Client
	request

	breaker       *breaker
	began         time.Time
	successes     int64         // successes of the run when the call began, or later, when its first attempt failed
	spent         time.Duration // attempts, pauses and holds, which count for the timeout; not the wait for a slot
	attempts      int
	last          attempt
	cause         error         // why the last attempt failed, except for interrupted attempts
	hold          time.Duration // after a 429
	held          int           // how often there was a 429 without a usable Retry-After
	repeated      bool          // whether the request was sent once more, because of a cache or an unusable 2xx
	mayHaveEffect bool          // whether an attempt of a write may have had an effect
}

// do sends a request, and repeats it if [decide] returns [once], or if it returns [again] and time is left. It stops
// earlier if ctx or the run ends, or if request.check returns an error. It returns a 2xx of the service, or an error:
// an [Error] or a [ShapeError]. It sends nothing if an ID is not valid in a URL path, or if the client is read-only and
// the request is a write.
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
		v, err := call.next(ctx)
		if err != nil {
			return nil, err
		}
		switch v.action {
		case done:
			c.warnCached(call.last.response)
			return call.last.response, nil
		case fail:
			c.warnCached(call.last.response)
			return nil, call.failed(v.outcome)
		case endRun:
			return nil, call.endRun(call.failure(v.outcome))
		case again, once:
			if err := call.prepareNext(ctx, v); err != nil {
				return nil, err
			}
		}
	}
}

// next makes one attempt within the limits, and returns how the call goes on. It returns the error of the call if
// nothing more is sent.
func (c *call) next(ctx context.Context) (verdict, error) {
	release, err := c.acquire(ctx)
	if err != nil {
		return verdict{}, err
	}
	c.try(ctx, release)
	v := decide(c.method, c.last, history{repeated: c.repeated, succeeded: c.breaker.successes.Load() > 0})
	if isSuccess(c.last.response) {
		c.breaker.successes.Add(1)
	}
	return v, nil
}

// prepareNext records an attempt, and waits before the next one. It returns the error of the call if ctx has ended, if
// ctx or the run ends during the wait, if no time is left or not enough for the hold of a 429, or if request.check
// returns an error. The time limit does not apply to the action [once].
func (c *call) prepareNext(ctx context.Context, v verdict) error {
	c.record(ctx, v)
	if ctx.Err() != nil {
		return c.stopped(context.Cause(ctx))
	}
	left := c.timeLimit() - c.spent
	if v.action == again && (left <= 0 || c.hold > left) {
		return c.outOfTime(v.outcome)
	}
	if c.attempts == 1 { // requests in progress at the beginning of an outage may have succeeded
		c.successes = c.breaker.successes.Load()
	}
	if err := c.pause(ctx, min(c.nextPause(v), max(left, 0))); err != nil {
		return err
	}
	return c.mayRepeat(ctx)
}

// acquire waits for a slot, and returns the function that releases it (see [Acquire]). If the run or ctx has ended, it
// holds no slot, and returns the error of the call. If Acquire fails for another reason, acquire also ends the run.
func (c *call) acquire(ctx context.Context) (release func(time.Duration), err error) {
	if ended := c.ended(ctx); ended != nil {
		return nil, ended
	}
	if c.cfg.Acquire == nil {
		return func(time.Duration) {}, nil
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := c.breaker.onEnd(cancel)
	defer stop()
	release, err = c.cfg.Acquire(waiting, c.limits)
	if ended := c.ended(ctx); ended != nil {
		if err == nil {
			release(0) // nothing is sent
		}
		return nil, ended
	}
	if err != nil {
		return nil, c.endRun(c.stopped(err))
	}
	return release, nil
}

// ended returns the error of a call whose run or context has ended, or nil.
func (c *call) ended(ctx context.Context) *Error {
	if first := c.breaker.first(); first != nil {
		return c.endedBy(first)
	}
	if ctx.Err() != nil {
		return c.stopped(context.Cause(ctx))
	}
	return nil
}

// record updates the history of the call after an attempt that has not ended the call.
func (c *call) record(ctx context.Context, v verdict) {
	c.repeated = c.repeated || v.action == once
	c.mayHaveEffect = c.mayHaveEffect || v.outcome == Unknown && !c.isRead()
	if r := c.last.response; r != nil {
		c.cause = errors.New(statusLine(r.status))
	} else if ctx.Err() == nil {
		c.cause = c.last.err
	}
}

// pause adds length to c.spent, and waits for length. After a 429, it does not wait if the client has an [Acquire],
// because the next Acquire waits. pause returns the error of the call if ctx or the run ends while it waits.
func (c *call) pause(ctx context.Context, length time.Duration) error {
	c.spent += length
	if c.hold > 0 && c.cfg.Acquire != nil {
		return nil
	}
	timer := time.NewTimer(length)
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

// outOfTime returns the error of a call that has no time left. If the service has an outage (see isOutage), outOfTime
// also ends the run.
func (c *call) outOfTime(outcome Outcome) error {
	e := c.failure(outcome)
	if c.isOutage() {
		return c.endRun(e)
	}
	return e
}

// timeLimit returns how long the call is repeated.
func (c *call) timeLimit() time.Duration {
	if c.breaker.successes.Load() == 0 && isMistake(c.last.err) {
		return min(c.cfg.RetryTimeout, mistakeTime)
	}
	return c.cfg.RetryTimeout
}

// isOutage reports whether the call has lasted for its time limit, and at least for shortestOutage, while no request of
// the run has succeeded. A call that fails sooner, for example because of one 429 with a long hold, does not show an
// outage.
func (c *call) isOutage() bool {
	return c.breaker.successes.Load() == c.successes && time.Since(c.began) >= max(c.timeLimit(), shortestOutage)
}

// mayRepeat calls request.check if a write that may have had an effect is about to be repeated. If request.check
// returns an error, mayRepeat returns the error of the call. Its outcome is Unknown, because of the earlier attempt.
func (c *call) mayRepeat(ctx context.Context) error {
	if !c.mayHaveEffect || c.check == nil {
		return nil
	}
	if err := c.check(ctx); err != nil {
		return c.stopped(err)
	}
	return nil
}

// nextPause returns the pause before the next attempt: the hold of a 429, zero if the request is sent once more because
// of a cache, or a time that doubles from 0.5 to 30 seconds. This time is shortened at random, by up to a half, so that
// calls that failed together do not retry together. A 5xx can ask for a longer pause, up to a minute.
func (c *call) nextPause(v verdict) time.Duration {
	r := c.last.response
	switch {
	case c.hold > 0:
		return c.hold
	case v.action == once && r.isCached: // with this action, there is always a response
		return 0
	}
	half := min(firstPause<<min(c.attempts-1, 6), longestPause) / 2 // firstPause<<6 is longer than longestPause
	pause := half + rand.N(half)
	if r != nil && r.status >= 500 {
		after, _ := retryAfter(r.header)
		pause = max(pause, min(after, time.Minute))
	}
	return pause
}

// failed returns the error of a call that [decide] has ended.
func (c *call) failed(outcome Outcome) error {
	if r := c.last.response; r != nil && r.status/100 == 2 && r.isOwn && c.isRead() {
		return c.shapeError(c.route, r.problem)
	}
	return c.failure(outcome)
}

// failure returns the error of a call whose last attempt has failed with an outcome. The error describes the last
// response, or contains the error of the last attempt if there is no response. If an earlier attempt of a write may
// have had an effect, the outcome is Unknown, unless the service now says that the resource does not exist.
func (c *call) failure(outcome Outcome) *Error {
	e := c.newError()
	e.Outcome, e.Err = outcome, c.last.err // c.last.err is nil if there is a response
	if r := c.last.response; r != nil {
		c.describe(e, r)
		if r.status/100 == 2 {
			e.Err = c.noEffect(r)
		}
	}
	if c.mayHaveEffect && !IsNotFound(e) {
		e.Outcome = Unknown
	}
	return e
}

// noEffect returns why a 2xx does not show that a write had an effect. It returns nil if the only doubt is whether the
// service itself sent the response.
func (c *call) noEffect(r *response) error {
	if r.isOwn && !isDocumented(c.method, r.status) {
		return errors.New("this status does not show that the request had an effect")
	}
	if problem := failureOf(r.body); problem != nil {
		return c.secrets.showError(problem)
	}
	return nil
}

// stopped returns the error of a call that sends nothing more.
func (c *call) stopped(reason error) *Error {
	e := c.newError()
	e.Err = reason
	if c.cause != nil {
		e.Err = fmt.Errorf("%w (before that: %s)", reason, c.cause.Error())
	}
	return e
}

// newError returns an error of the call without a reason. Its outcome is Unknown if an attempt of a write may have had
// an effect, and Stopped otherwise.
func (c *call) newError() *Error {
	e := &Error{
		Outcome: Stopped, Method: c.method, Route: c.route.template, Address: c.shownAddress(c.route),
		Attempts: c.attempts, Elapsed: time.Since(c.began), Spent: c.spent,
	}
	if c.mayHaveEffect {
		e.Outcome = Unknown
	}
	return e
}

// endRun ends the run with the error e of this call, and returns e. If another error has already ended the run, endRun
// returns an error that refers to the other error. But if e says that a write may have had an effect, endRun returns e.
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
