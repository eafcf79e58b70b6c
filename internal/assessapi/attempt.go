// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// connectTime is how long an attempt waits for a connection, with all handshakes, also those with and through a
	// proxy. Later nothing is sent, because the limits rely on it that a request follows its slot (throttle.Lost).
	connectTime = 10 * time.Second
	// longestHold is the longest pause after a 429.
	longestHold = 3 * time.Minute
	// maxBody and maxErrorBody are how many bytes of a response are read.
	maxBody, maxErrorBody = 64 << 20, 1 << 20
)

// attempt sends the request once and reads the response. It calls release when the headers have arrived.
//
// If the context of a write ends after the request has reached the network, attempt still waits for the response.
// Otherwise the effect of the write would be unknown.
func (c *call) attempt(caller context.Context, release func(time.Duration)) {
	c.attempts++
	c.hold = 0
	start := time.Now()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(caller), c.cfg.RequestTimeout,
		&timeoutError{"response", c.cfg.RequestTimeout})
	defer cancel()
	ctx, cancelCause := context.WithCancelCause(ctx)
	defer cancelCause(nil)

	// The request counts as sent, unless the transport reports that it still has no connection.
	var sent atomic.Bool
	sent.Store(true)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { sent.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	})
	defer time.AfterFunc(connectTime, func() {
		if !sent.Load() {
			cancelCause(&timeoutError{"connection", connectTime})
		}
	}).Stop()
	defer context.AfterFunc(caller, func() {
		if c.isRead() || !sent.Load() {
			cancel()
		}
	})()
	c.last.response, c.last.err = c.send(ctx, release)
	if err := c.last.err; err != nil {
		if neverConnected(err) {
			sent.Store(false)
		}
		timeout, isTimeout := errors.AsType[*timeoutError](context.Cause(ctx))
		switch {
		case isTimeout:
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
	if c.last.response != nil {
		o.Status = c.last.response.status
	}
	c.cfg.Observe(caller, o)
}

// send sends the request once and reads the response.
func (c *call) send(ctx context.Context, release func(time.Duration)) (*response, error) {
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
	a := c.newResponse(resp, body)
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
