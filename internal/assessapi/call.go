// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
)

// apiCall is one request with all its attempts. The handlers find it in the context.
type apiCall struct {
	apiRequest
	client *Client
	start  time.Time
	number int         // of the attempt, from 1
	began  time.Time   // of the attempt
	sent   atomic.Bool // whether the attempt may have had an effect
	hung   bool        // whether the attempt was in progress when the time of the call was over
	last   error       // why an attempt did not end the call
	vain   bool        // whether another attempt was not made because of an outage
}

type callKey struct{}

// callOf returns the call of a context. Each request of a [Client] has one.
func callOf(ctx context.Context) *apiCall {
	c, _ := ctx.Value(callKey{}).(*apiCall)
	return c
}

type repeatCheckKey struct{}

// WithRepeatCheck returns a context for a write that check must allow before it is sent again. Because a call can last
// for minutes, what the caller has read before the first attempt may not be true any more. If check returns an error,
// that of the write is a [NotSentAgainError], or that of check if it is a [FirstError].
func WithRepeatCheck(ctx context.Context, check func(context.Context) error) context.Context {
	return context.WithValue(ctx, repeatCheckKey{}, check)
}

// NotSentAgainError means that a write has failed (Err), and was not sent again because of what its check has returned
// (Reason). [errors.As] finds only what has happened to the write, because the answer to another request that failed
// must not be taken for the answer to it.
type NotSentAgainError struct{ Reason, Err error }

func (e *NotSentAgainError) Error() string {
	return fmt.Sprintf("%v, and the request was not sent again: %v", e.Err, e.Reason)
}

// Unwrap returns why the write has failed.
func (e *NotSentAgainError) Unwrap() error { return e.Err }

// Is reports whether the check has returned an error.
func (e *NotSentAgainError) Is(target error) bool { return errors.Is(e.Reason, target) }

// checkRepeat asks the check of [WithRepeatCheck], if there is one.
func (c *apiCall) checkRepeat(ctx context.Context) error {
	check, found := ctx.Value(repeatCheckKey{}).(func(context.Context) error)
	if !found || c.method == http.MethodGet {
		return nil
	}
	return check(ctx)
}

// send sends a request until an attempt is the last one, or the time of the call is over. It does not limit
// the number of attempts.
func (c *Client) send(ctx context.Context, r apiRequest) (*answer, error) {
	ctx, cancel := c.cfg.Timeout(ctx, c.cfg.RetryTimeout)
	defer cancel()
	call := &apiCall{apiRequest: r, client: c, start: time.Now()}
	ctx = context.WithValue(ctx, callKey{}, call)
	req, err := c.encode(ctx, r)
	if err != nil {
		return nil, call.end(ctx, err)
	}
	for n := 0; ; n++ {
		a, err := call.attempt(req.Clone(ctx))
		again := call.mayRetry(ctx, err)
		if err == nil {
			return a, nil
		}
		// If the context has ended, a read says that, and a write returns its own response.
		answered := errors.As(err, new(*Error))
		if !again || ctx.Err() != nil && (!answered || r.method != http.MethodGet) {
			return nil, call.end(ctx, err)
		}
		if err := Wait(ctx, pause(n, err)); err != nil {
			return nil, call.end(ctx, err)
		}
		switch reason := call.checkRepeat(ctx); {
		case errors.As(reason, new(*FirstError)):
			return nil, reason // no other call returns it
		case reason != nil:
			return nil, &NotSentAgainError{Reason: reason, Err: call.end(ctx, err)}
		}
	}
}

// attempt sends the request once. It follows the redirects of a read. A status other than 2xx is an [Error].
func (c *apiCall) attempt(req *http.Request) (*answer, error) {
	if req.GetBody != nil {
		req.Body, _ = req.GetBody() // from memory
	}
	resp, err := c.client.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body) // from memory, because the Attempt has read it
	a := &answer{status: resp.StatusCode, header: resp.Header, body: body, url: resp.Request.URL}
	if a.status/100 != 2 {
		return nil, c.client.refusal(c.apiRequest, a)
	}
	c.client.speaker.hear(req, a)
	if a.isCached() {
		c.client.NoteCached()
	}
	return a, nil
}

// mayRetry decides whether to send a request again after an attempt. Reads, PUT and DELETE may be sent
// again after any failure that another attempt can fix. A POST may be sent again only if it
// was not sent, or if the service refused it with 429. Otherwise it could create an object
// twice. The caller checks whether the context has ended.
func (c *apiCall) mayRetry(ctx context.Context, err error) bool {
	refused, answered := errors.AsType[*Error](err)
	interrupted := isEnd(ctx, err)
	if !interrupted {
		c.last = err // the error before the end of the context says more
	}
	if isFinal(err) || isTLSMistake(err) && !c.client.health.answered.Load() {
		return false
	}
	if !interrupted || c.hung {
		c.vain = c.client.health.observe(err, c)
	}
	switch {
	case err == nil, c.vain:
		return false
	case answered && refused.Status == http.StatusTooManyRequests:
		c.sent.Store(false) // the service has not processed the request
		return true
	case c.method == http.MethodPost:
		return !answered && !c.sent.Load()
	}
	return !answered || isTransient(refused.Status)
}

// end returns what the last attempt means for the caller. After a timeout, it is the last error before it, if any.
func (c *apiCall) end(ctx context.Context, err error) error {
	if repeated, ok := errors.AsType[*RepeatedError](err); ok {
		return repeated
	}
	inVain := (c.vain || timedOut(ctx)) && isOutage(err)
	if c.last != nil && isEnd(ctx, err) && timedOut(ctx) {
		err = c.last
	}
	if refused, answered := errors.AsType[*Error](err); answered {
		refused.Attempts, refused.Elapsed = c.number, time.Since(c.start)
	} else {
		err = c.failure(ctx, err)
	}
	var budget interface{ EndsRun() bool }
	switch {
	case inVain:
		return c.client.health.giveUp(err, c.apiRequest)
	case c.number == 0 && errors.As(err, &budget) && budget.EndsRun(): // no attempt was sent
		return c.client.health.lose(err)
	}
	return err
}

// isEnd reports whether an error only says that the context has ended.
func isEnd(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// timedOut reports whether a context has ended because its time was over.
func timedOut(ctx context.Context) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(context.Cause(ctx), &timeout) && timeout.Timeout()
}

// failure is the error for a call without a response. If the caller has canceled the call, it adds the previous error.
func (c *apiCall) failure(ctx context.Context, err error) error {
	before := ""
	if c.last != nil && isEnd(ctx, err) && !timedOut(ctx) {
		_, last := unwrapURL(c.last)
		before = " (before that: " + last.Error() + ")"
	}
	address, err := unwrapURL(err)
	if address == "" || errors.As(err, new(*RedirectError)) { // net/http names that of a redirect that was not followed
		address = c.client.address(apiRequest{route: c.route})
	}
	if before != "" {
		err = fmt.Errorf("%w%s", err, before)
	}
	mask := c.client.mask
	if garbled, ok := errors.AsType[*garbledError](err); ok && isWebPage(garbled.body) {
		if page := excerpt(visibleText(mask.Beginning(string(garbled.body))), mask, 300); page != "" {
			err = fmt.Errorf("%w: %s", err, page) // such as a sign-in page
		}
	}
	return &CallError{
		Method: c.method, Route: c.route.template, Attempts: c.number, Elapsed: time.Since(c.start),
		Address: excerpt(address, mask, 300), Sent: c.sent.Load(), Err: mask.Error(err),
	}
}

// isOutage reports whether an error means that the service cannot be reached now.
func isOutage(err error) bool {
	refused, answered := errors.AsType[*Error](err)
	return err != nil && (!answered || isDown(refused.Status))
}

// isDown reports whether a status means that the service cannot be reached now. The statuses from 520 to 529 are those
// of a gateway that got no usable response from the service.
func isDown(status int) bool {
	return status >= 520 && status <= 529 || slices.Contains([]int{
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}, status)
}

// isTransient reports whether another attempt may get a better status.
func isTransient(status int) bool {
	return isDown(status) || slices.Contains([]int{
		http.StatusRequestTimeout, http.StatusTooEarly, http.StatusInternalServerError,
	}, status)
}

// isFinal reports whether no other attempt can succeed: a redirect must not be followed, the
// response is too large, or the transport says so (Permanent).
func isFinal(err error) bool {
	var permanent interface{ Permanent() bool }
	return errors.As(err, new(*RedirectError)) || errors.Is(err, errTooLarge) ||
		errors.As(err, &permanent) && permanent.Permanent()
}

// refusals are the TLS alerts with which a server rejects what the client offers (RFC 8446,
// section 6.2). A server sends other alerts also for faults that end by themselves.
var refusals = []tls.AlertError{
	40, 42, 43, 44, 45, 46, 48, 49, // handshake failure, certificates, unknown authority, access denied
	70, 71, 86, 112, 116, 120, // versions and ciphers, unknown name, certificate required, protocols
}

// isRefusedByAlert reports whether the server has rejected the connection with a TLS
// alert. With TLS 1.3, the alert may arrive after the request was sent. The server has
// not read the request then.
func isRefusedByAlert(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" &&
		slices.ContainsFunc(refusals, func(a tls.AlertError) bool { return a.Error() == op.Err.Error() })
}

// pauseAfter returns the pause after n failures. It doubles from 0.5 to 30 seconds. A
// random part of up to a half is subtracted, so that callers that failed together do not
// retry together.
func pauseAfter(n int) time.Duration {
	pause := shortestPause(n)
	return pause + rand.N(pause)
}

// shortestPause returns the shortest pause after n failures.
func shortestPause(n int) time.Duration { return min(firstPause<<min(n, 10), longestPause) / 2 }

// pause returns the pause after n failures, of which err was the last one. It is at least the time
// that the service asks for, up to a minute. After a 429, the throttle decides when to continue, so the pause is
// the shortest.
func pause(n int, err error) time.Duration {
	refused, answered := errors.AsType[*Error](err)
	switch {
	case !answered:
		return pauseAfter(n)
	case refused.Status == http.StatusTooManyRequests:
		return pauseAfter(0)
	}
	return max(pauseAfter(n), min(refused.retryAfter, time.Minute))
}
