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
	// connectTime is how long an attempt waits for a connection, including all handshakes with a proxy and the service.
	// Without a connection by then, nothing is sent, because the limits require that a request is sent soon after it has
	// taken its slot (throttle.Lost). A later wait has no such limit: net/http repeats a POST or PUT if a reused
	// connection has failed before anything of the request was sent.
	connectTime = 10 * time.Second
	// longestHold is the longest pause after a 429, and the longest time that retryAfter returns.
	longestHold = 3 * time.Minute
	// maxBody is how many bytes of a 2xx response are read, and maxErrorBody is how many bytes of every other response
	// are read.
	maxBody, maxErrorBody = 64 << 20, 1 << 20
)

// try makes one attempt, and records it in c.last. When the headers of the response have arrived, or the attempt has
// failed without them, try calls release once. It passes the pause after a 429 ([call.holdAfter]), or zero.
func (c *call) try(caller context.Context, release func(time.Duration)) {
	c.attempts++
	start := time.Now()
	c.last = c.sendInTime(caller, release)
	took := time.Since(start)
	c.spent += took
	c.observe(caller, took)
}

// sendInTime sends the request within the time limits that [call.bound] sets.
func (c *call) sendInTime(caller context.Context, release func(time.Duration)) attempt {
	var connected atomic.Bool // updated by [call.bound]
	ctx, cancel := c.bound(caller, &connected)
	defer cancel()
	r, err := c.send(ctx, release)
	if err != nil {
		return attempt{err: c.attemptError(ctx, caller, err), sent: connected.Load() && !neverConnected(err)}
	}
	return attempt{response: r, sent: true}
}

// bound returns the context of one attempt, and a function that ends it and stops all timers. The context ends after
// request_timeout, after connectTime if there is no connection then, or with the caller's context. But a write that has
// a connection does not end with the caller's context, because then its effect would be unknown. bound sets connected
// to true, and to false while the transport waits for a connection. It stays false if the transport gets no connection.
func (c *call) bound(caller context.Context, connected *atomic.Bool) (ctx context.Context, stop func()) {
	connected.Store(true) // a transport without connections, such as the sandbox, reports none
	ctx, end := context.WithCancelCause(context.WithoutCancel(caller))
	response := time.AfterFunc(c.cfg.RequestTimeout, func() {
		missing := "response"
		if !connected.Load() {
			missing = "connection"
		}
		end(&timeoutError{missing, c.cfg.RequestTimeout})
	})
	connection := time.AfterFunc(connectTime, func() {
		if !connected.Load() {
			end(&timeoutError{"connection", connectTime})
		}
	})
	endWithCaller := func() {
		if caller.Err() != nil && (c.isRead() || !connected.Load()) {
			end(nil)
		}
	}
	stopFollowing := context.AfterFunc(caller, endWithCaller)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) {
			connected.Store(false)
			endWithCaller() // again, because caller may have ended while connected was still true
		},
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	return ctx, func() {
		stopFollowing()
		connection.Stop()
		response.Stop()
		end(nil)
	}
}

// attemptError returns the error of an attempt for a message: a timeout, the end of the caller's context, or the error
// of the transport. After a timeout, it also closes all idle connections, because the network may have lost them, and
// each would cost another timeout.
func (c *call) attemptError(ctx, caller context.Context, err error) error {
	if timeout, isTimeout := errors.AsType[*timeoutError](context.Cause(ctx)); isTimeout {
		if pool, ok := c.cfg.Transport.(interface{ CloseIdleConnections() }); ok {
			pool.CloseIdleConnections()
		}
		return timeout
	}
	if ctx.Err() != nil && caller.Err() != nil {
		err = context.Cause(caller)
	}
	return c.secrets.showError(explain(err))
}

func (c *call) observe(ctx context.Context, took time.Duration) {
	o := Observation{Method: c.method, Route: c.route.template, Attempt: c.attempts, Took: took, Err: c.last.err}
	if c.last.response != nil {
		o.Status = c.last.response.status
	}
	c.cfg.Observe(ctx, o)
}

// send sends the request once and reads the response. It calls release as [call.try] says, and sets c.hold to the same
// pause. If the body ends early, send returns an error, except for a write whose response has the header
// Conversation-Id: its status is enough. If the body of a 2xx is larger than maxBody, the response has a problem.
func (c *call) send(ctx context.Context, release func(time.Duration)) (*response, error) {
	c.hold = 0
	resp, err := c.roundTrip(ctx)
	if err != nil {
		release(0)
		return nil, err
	}
	defer resp.Body.Close()
	c.hold = c.holdAfter(resp)
	release(c.hold)
	body, err := readBody(resp)
	isSigned := resp.Header.Get(conversationHeader) != ""
	if err != nil && (c.isRead() || !isSigned) {
		return nil, fmt.Errorf("the response ended early: %w", err)
	}
	r := c.newResponse(resp, body)
	if len(body) > maxBody {
		r.problem = fmt.Errorf("the response is larger than %d MiB", maxBody>>20)
	}
	return r, nil
}

// roundTrip sends the request, and returns the response when its headers have arrived.
func (c *call) roundTrip(ctx context.Context) (*http.Response, error) {
	req, err := c.httpRequest(ctx, c.request)
	if err != nil {
		return nil, err
	}
	return c.cfg.Transport.RoundTrip(req)
}

// readBody reads the body of a response: at most one byte more than maxBody, or than maxErrorBody after an error.
func readBody(resp *http.Response) ([]byte, error) {
	most := int64(maxBody)
	if resp.StatusCode/100 != 2 {
		most = maxErrorBody
	}
	return io.ReadAll(io.LimitReader(resp.Body, most+1))
}

// holdAfter returns how long requests must pause after a response (assumption A14): zero unless it is a 429. A 429
// without a usable Retry-After increments c.held. The pause is then one second after the first such 429 of the call,
// and doubles with each further one, up to a minute.
func (c *call) holdAfter(resp *http.Response) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests {
		return 0
	}
	if after, ok := retryAfter(resp.Header); ok {
		return after
	}
	c.held++
	return min(time.Second<<min(c.held-1, 6), time.Minute)
}

// retryAfter reads the header Retry-After (RFC 9110, section 10.2.3): seconds, or a date, which counts from the header
// Date or, without a valid one, from now. It returns at most longestHold, and false if the header names no time in the
// future.
func retryAfter(h http.Header) (time.Duration, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	seconds, _ := strconv.ParseFloat(value, 64) // 0 if it is not a number
	if date, err := http.ParseTime(value); err == nil {
		now, err := http.ParseTime(h.Get("Date")) // by the clock of the service, which may differ from ours
		if err != nil {
			now = time.Now()
		}
		seconds = date.Sub(now).Seconds()
	}
	if !(seconds > 0) { // NaN, too
		return 0, false
	}
	return time.Duration(min(seconds, longestHold.Seconds()) * float64(time.Second)), true
}
