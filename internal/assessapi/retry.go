// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	maxRedirects = 10
)

// sendAgain sends a call until another attempt is useless, or until the context of the call ends.
func (c *Client) sendAgain(ctx context.Context, cl call) (*http.Response, error) {
	for n := 0; ; n++ {
		req, err := c.newRequest(ctx, cl)
		if err != nil {
			return nil, err
		}
		resp, err := c.http.Do(req)
		again := mayRetry(ctx, resp, err)
		if again && err == nil && ctx.Err() != nil && cl.method == http.MethodGet {
			// The interrupt ended the read, not this refusal. A write reports its own response.
			return nil, &url.Error{Op: cl.method, URL: req.URL.String(), Err: ctx.Err()}
		}
		if !again || ctx.Err() != nil {
			return resp, err
		}
		if err := Wait(ctx, backoff(n, resp)); err != nil {
			return nil, err
		}
	}
}

// mayRetry decides whether to send a request again. Reads, PUT and DELETE may be sent
// again after any failure that another attempt can fix. A request that attaches an
// assessment may be sent again only if it was not sent, or if the service refused it with
// 429. Otherwise it could be attached twice. The caller checks whether the context has ended.
func mayRetry(ctx context.Context, resp *http.Response, err error) bool {
	log := attemptsOf(ctx)
	log.note(ctx, resp, err)
	if isFinal(err) || isTLSMistake(err) && !log.health.hasAnswered() {
		return false
	}
	if !isEnd(ctx, err) || log.hung {
		log.vain = log.health.observe(resp, err, log)
	}
	switch {
	case log.vain:
		return false
	case err == nil && resp.StatusCode == http.StatusTooManyRequests:
		return true
	case log.method == http.MethodPost:
		return err != nil && !log.sent.Load()
	}
	return err != nil || isTransient(resp.StatusCode)
}

// isTransient reports whether another attempt may get a better status. The statuses from
// 520 to 529 are those of a gateway that got no usable response from the service.
func isTransient(status int) bool {
	return status >= 520 && status <= 529 || slices.Contains([]int{
		http.StatusRequestTimeout, http.StatusTooEarly, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}, status)
}

// isFinal reports whether no other attempt can succeed: a redirect must not be followed, the
// response is too large, or the transport says so (Permanent).
func isFinal(err error) bool {
	var (
		redirect  *RedirectError
		permanent interface{ Permanent() bool }
	)
	return errors.As(err, &redirect) || errors.Is(err, errTooLarge) ||
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

// backoff returns the larger of pauseAfter and the number of seconds that the service
// asks for, which is limited to a minute. After a 429, the throttle decides when to
// continue, so backoff returns the shortest pause.
func backoff(n int, resp *http.Response) time.Duration {
	refused := resp != nil && resp.StatusCode == http.StatusTooManyRequests
	if refused {
		n = 0
	}
	pause := pauseAfter(n)
	if resp == nil || refused {
		return pause
	}
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // the Attempt has normalized it
	return max(pause, time.Duration(min(seconds, 60))*time.Second)
}

// checkRedirect allows redirects only for reads, and only where a link may lead (see
// [Client.leadsTo]), but never to another origin. The credentials belong to that origin and its path.
// The response to a write must come from the address to which it was sent.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet {
		return http.ErrUseLastResponse
	}
	if Origin(req.URL) != Origin(c.cfg.BaseURL) {
		return &RedirectError{To: excerpt(shownOrigin(req.URL), c.mask, 300)}
	}
	if len(via) >= maxRedirects {
		return &RedirectError{}
	}
	if _, err := c.leadsTo(req.URL, attemptsOf(req.Context()).at); err != nil {
		return &RedirectError{To: excerpt(withoutQuery(req.URL), c.mask, 300), Why: excerpt(err.Error(), c.mask, 300)}
	}
	return nil
}

// attempts is the state that the handlers of one call share.
type attempts struct {
	method, route string
	at            route
	address       string // of the request, without the query
	mask          *mask
	speaker       *speaker
	health        *health
	start         time.Time
	number        int         // number of the current attempt, from 1
	sent          atomic.Bool // whether the last attempt may have had an effect
	last          error       // why the last attempt did not end the call
	began         time.Time   // of the last attempt
	hung          bool        // whether it was in progress when the time of the call was over
	vain          bool        // whether another attempt was not made because of an outage
}

type attemptsKey struct{}

func attemptsOf(ctx context.Context) *attempts {
	if log, ok := ctx.Value(attemptsKey{}).(*attempts); ok {
		return log
	}
	return &attempts{}
}

func (a *attempts) setSent(sent bool) { a.sent.Store(sent) }

// note stores why an attempt did not end the call. It ignores the end of the context,
// because the error before it says more.
func (a *attempts) note(ctx context.Context, resp *http.Response, err error) {
	switch {
	case err != nil && !isEnd(ctx, err):
		a.last = err
	case err == nil && resp.StatusCode >= 400:
		body, _ := io.ReadAll(resp.Body) // from memory
		resp.Body = io.NopCloser(bytes.NewReader(body))
		a.last = a.refused(resp, body)
		if resp.StatusCode == http.StatusTooManyRequests {
			a.setSent(false) // the service has not processed the request
		}
	}
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

// refused is the error for a response with a status other than 2xx.
func (a *attempts) refused(resp *http.Response, body []byte) *Error {
	e := parseError(resp, body, a.mask)
	e.speaker = a.speaker
	e.Method, e.Route, e.Attempts, e.Elapsed = a.method, a.route, a.number, time.Since(a.start)
	return e
}

// failure is the error for a call without a response. After a timeout, it is the previous
// error. If the caller has canceled the call, it says so, and adds the previous error.
func (a *attempts) failure(ctx context.Context, err error) error {
	before := ""
	if a.last != nil && isEnd(ctx, err) {
		if !timedOut(ctx) {
			_, last := unwrapURL(a.last)
			before = " (before that: " + last.Error() + ")"
		} else {
			var refused *Error
			if errors.As(a.last, &refused) {
				refused.Attempts, refused.Elapsed = a.number, time.Since(a.start)
				return refused
			}
			err = a.last
		}
	}
	address, err := unwrapURL(err)
	var redirect *RedirectError
	if address == "" || errors.As(err, &redirect) { // of a redirect, net/http names the address that was not requested
		address = a.address
	}
	if before != "" {
		err = fmt.Errorf("%w%s", err, before)
	}
	var garbled *garbledError
	if errors.As(err, &garbled) {
		if page := garbled.page(a.mask); page != "" {
			err = fmt.Errorf("%w: %s", err, excerpt(page, a.mask, 300))
		}
	}
	return &CallError{
		Method: a.method, Route: a.route, Attempts: a.number, Elapsed: time.Since(a.start),
		Address: excerpt(address, a.mask, 300), Sent: a.sent.Load(), Err: a.masked(err),
	}
}
