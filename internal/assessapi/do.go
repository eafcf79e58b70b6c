// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	// mistakeTime is how long a call retries what is probably a wrong setting, while nothing has succeeded.
	mistakeTime = 10 * time.Second
	// longestHold is the longest pause after a 429.
	longestHold = 3 * time.Minute
	// maxBody and maxErrorBody are how many bytes of a response are read.
	maxBody, maxErrorBody = 64 << 20, 1 << 20
)

// call is a request on its way.
type call struct {
	*Client
	request

	breaker   *breaker
	successes int // of the run, when the first attempt had failed
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
func (c *Client) do(ctx context.Context, r request) (*answer, error) {
	breaker := c.run.Load().breaker
	call := &call{Client: c, request: r, breaker: breaker, began: time.Now()}
	switch {
	case r.route.err != nil:
		return nil, call.stopped(r.route.err)
	case c.cfg.ReadOnly && !r.isRead():
		return nil, call.stopped(ErrReadOnly)
	case ctx.Err() != nil:
		return nil, call.stopped(context.Cause(ctx))
	}
	for {
		release, err := call.acquire(ctx)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		call.attempt(ctx, release)
		call.spent += time.Since(start)
		verdict := decide(r.method, call.last, call.repeated, breaker.count() > 0)
		if isSuccess(call.last.answer) {
			breaker.succeed()
		}
		switch {
		case verdict.action == done:
			c.warnCached(call.last.answer)
			return call.last.answer, nil
		case verdict.action == endRun:
			return nil, call.endRun(call.failure(verdict.outcome))
		case verdict.action == fail:
			return nil, call.failed(verdict.outcome)
		}
		if err := call.pause(ctx, verdict); err != nil {
			return nil, err
		}
	}
}

func (c *Client) warnCached(a *answer) {
	if !a.isCached {
		return
	}
	c.cfg.Warn(Warning{
		Key:     "cache",
		Summary: "A cache answered",
		Detail: "A cache between the provider and the service has answered a request, although the request asks for no " +
			"cached response (Cache-Control: no-cache). The response has the header Age, so it may be out of date.",
	})
}

// acquire waits for a slot. The wait ends with the run.
func (c *call) acquire(ctx context.Context) (release func(time.Duration), err error) {
	release = func(time.Duration) {}
	if c.cfg.Acquire != nil && c.breaker.first() == nil {
		waiting, cancel := c.breaker.bind(ctx)
		defer cancel()
		release, err = c.cfg.Acquire(waiting, c.limits)
	}
	switch {
	case c.breaker.first() != nil:
		if err == nil {
			release(0)
		}
		return nil, c.endedBy(c.breaker.first())
	case err != nil && ctx.Err() != nil:
		return nil, c.stopped(context.Cause(ctx))
	case err != nil:
		return nil, c.endRun(c.stopped(err))
	}
	return release, nil
}

// attempt sends the request once and reads the response. It calls release when the headers have arrived.
//
// If the context of a write ends after the request has reached the network, attempt still waits for the response.
// Otherwise the effect of the write would be unknown.
func (c *call) attempt(caller context.Context, release func(time.Duration)) {
	c.attempts++
	c.hold = 0
	start := time.Now()
	timeout := &timeoutError{c.cfg.RequestTimeout}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(caller), c.cfg.RequestTimeout, timeout)
	defer cancel()

	// The request counts as sent, unless the transport reports that it still has no connection.
	var sent atomic.Bool
	sent.Store(true)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { sent.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	})
	defer context.AfterFunc(caller, func() {
		if c.isRead() || !sent.Load() {
			cancel()
		}
	})()
	c.last.answer, c.last.err = c.send(ctx, release)
	if err := c.last.err; err != nil {
		if neverConnected(err) {
			sent.Store(false)
		}
		switch {
		case errors.Is(context.Cause(ctx), timeout):
			err = timeout
			// The network may have lost all idle connections, and each would cost another timeout.
			if pool, ok := c.cfg.Transport.(interface{ CloseIdleConnections() }); ok {
				pool.CloseIdleConnections()
			}
		case ctx.Err() != nil && caller.Err() != nil:
			err = context.Cause(caller)
		}
		c.last.err = c.secrets.showError(explain(err))
	}
	c.last.sent = sent.Load()
	o := Observation{
		Method: c.method, Route: c.route.template, Attempt: c.attempts, Took: time.Since(start), Err: c.last.err,
	}
	if c.last.answer != nil {
		o.Status = c.last.answer.status
	}
	c.cfg.Observe(caller, o)
}

// send sends the request once and reads the response.
func (c *call) send(ctx context.Context, release func(time.Duration)) (*answer, error) {
	req, err := c.encode(ctx, c.request)
	if err != nil {
		release(0)
		return nil, err
	}
	resp, err := c.cfg.Transport.RoundTrip(req)
	if err != nil {
		release(0)
		return nil, err
	}
	defer resp.Body.Close()
	c.hold = c.holdAfter(resp)
	release(c.hold)
	most := int64(maxBody)
	if resp.StatusCode/100 != 2 {
		most = maxErrorBody
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	isSigned := resp.Header.Get(conversationHeader) != ""
	if err != nil && (c.isRead() || !isSigned) { // the headers of a signed response say what a write has done
		return nil, fmt.Errorf("the response ended early: %w", err)
	}
	a := c.newAnswer(resp, body)
	if len(body) > maxBody {
		a.problem = fmt.Errorf("the response is larger than %d MiB", maxBody>>20)
	}
	return a, nil
}

// holdAfter returns how long all requests must pause after a response (assumption A14): zero unless it is a 429.
func (c *call) holdAfter(resp *http.Response) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests {
		return 0
	}
	if after, ok := retryAfter(resp.Header); ok {
		return min(after, longestHold)
	}
	c.held++
	return min(time.Second<<min(c.held-1, 6), time.Minute)
}

// retryAfter reads the header Retry-After (RFC 9110, section 10.2.3). A date is compared with the Date of the response,
// so the clock of this machine does not matter. It returns false if the header names no time in the future.
func retryAfter(h http.Header) (time.Duration, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	seconds, err := strconv.ParseFloat(value, 64)
	if at, parsing := http.ParseTime(value); parsing == nil {
		now, noDate := http.ParseTime(h.Get("Date"))
		if noDate != nil {
			now = time.Now()
		}
		seconds, err = at.Sub(now).Seconds(), nil
	}
	if err != nil || !(seconds > 0) { // NaN, too
		return 0, false
	}
	return time.Duration(min(seconds, 24*60*60) * float64(time.Second)), true
}

// pause waits before the request is sent again. It returns the error of the call if its time is over, or if it must not
// be sent again.
func (c *call) pause(ctx context.Context, v verdict) error {
	if c.attempts == 1 {
		c.successes = c.breaker.count()
	}
	c.repeated = c.repeated || v.action == once
	c.mayCount = c.mayCount || v.outcome == Unknown && !c.isRead()
	if c.last.err == nil {
		c.before = errors.New(statusLine(c.last.answer.status))
	} else if ctx.Err() == nil {
		c.before = c.last.err
	}
	if ctx.Err() != nil {
		return c.stopped(context.Cause(ctx))
	}
	limit := c.cfg.RetryTimeout
	if c.breaker.count() == 0 && isMistake(c.last.err) {
		limit = min(limit, mistakeTime)
	}
	left := limit - c.spent
	pause, isHeld := c.nextPause(v), c.hold > 0
	if left <= 0 || isHeld && pause > left {
		e := c.failure(v.outcome)
		if c.breaker.count() == c.successes { // an outage for all
			return c.endRun(e)
		}
		return e
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

// nextPause returns the pause before the next attempt: the hold of a 429, or a time that doubles from 0.5 to 30 seconds.
// A random part of up to a half is subtracted, so that calls that failed together do not retry together. If the service
// asks for a longer time, it is that, up to a minute.
func (c *call) nextPause(v verdict) time.Duration {
	switch a := c.last.answer; {
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
	if a := c.last.answer; a != nil && a.status/100 == 2 && a.isOwn && c.isRead() {
		return c.shapeError(c.route, a.problem)
	}
	return c.failure(outcome)
}

// failure returns the error of a call whose last attempt has failed.
func (c *call) failure(outcome Outcome) *Error {
	e := c.newError()
	e.Err = c.last.err
	a := c.last.answer
	isHeld := a != nil && a.status == http.StatusTooManyRequests
	if outcome != Stopped && !(isHeld && c.mayCount) { // an earlier attempt may have had an effect
		e.Outcome = outcome
	}
	if a != nil {
		c.describe(e, a)
		if problem := failureOf(a.body); problem != nil && a.status/100 == 2 {
			e.Err = c.secrets.showError(problem)
		}
	}
	return e
}

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
		Attempts: c.attempts, Elapsed: time.Since(c.began),
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
