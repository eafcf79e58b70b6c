// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	maxRedirects = 10
)

// newRetry repeats what may be repeated until the call's time is over; how
// long that is, the call's context knows, so the number of attempts is open.
func newRetry(client *http.Client) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: client,
		RetryMax:   math.MaxInt,
		CheckRetry: func(ctx context.Context, resp *http.Response, err error) (bool, error) {
			return mayRetry(ctx, resp, err), nil
		},
		Backoff:      backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// mayRetry is the policy. Reads, PUT and DELETE may be sent again after
// anything that another attempt can mend. Adding an assessment may not, unless
// nothing has been sent or the service has refused it unread (429): else there
// might be two.
func mayRetry(ctx context.Context, resp *http.Response, err error) bool {
	log := attemptsOf(ctx)
	log.note(ctx, resp, err)
	switch {
	case ctx.Err() != nil, isFinal(err):
		return false
	case err == nil && resp.StatusCode == http.StatusTooManyRequests:
		return true
	case log.method == http.MethodPost:
		return err != nil && !log.sent.Load()
	}
	return err != nil || isTransient(resp.StatusCode)
}

// isTransient reports a status that another attempt may not meet again.
func isTransient(status int) bool {
	return slices.Contains([]int{
		http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}, status)
}

// isFinal reports a failure that no other attempt can mend: a host that does
// not exist, a certificate that is not trusted, a service that speaks no TLS, a
// redirect not to be followed, an answer beyond all measure, an error of the
// transport that says so itself (Permanent).
func isFinal(err error) bool {
	var (
		redirect    *RedirectError
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		permanent   interface{ Permanent() bool }
	)
	return errors.As(err, &redirect) || errors.Is(err, errTooLarge) ||
		errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, &dns) && dns.IsNotFound ||
		errors.As(err, &permanent) && permanent.Permanent()
}

// pauseAfter n failures doubles from half a second to half a minute, less up to
// a half, so that callers that failed together do not come back together.
func pauseAfter(n int) time.Duration {
	pause := min(firstPause<<min(n, 10), longestPause)
	return pause/2 + rand.N(pause/2)
}

// backoff is pauseAfter, and at least as many seconds as the service asks for, up
// to a minute. After a 429 the throttle knows when to go on, and the shortest pause
// is shorter than what it waits.
func backoff(_, _ time.Duration, n int, resp *http.Response) time.Duration {
	refused := resp != nil && resp.StatusCode == http.StatusTooManyRequests
	if refused {
		n = 0
	}
	pause := pauseAfter(n)
	if resp == nil || refused {
		return pause
	}
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // as the Attempt has written it
	return max(pause, time.Duration(min(seconds, 60))*time.Second)
}

// checkRedirect follows a read within the origin that the credentials belong
// to, and nothing else: the answer to a write must come from where it was sent.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet {
		return http.ErrUseLastResponse
	}
	if Origin(req.URL) != Origin(c.cfg.BaseURL) {
		return &RedirectError{To: excerpt(Origin(req.URL), c.mask, 300)}
	}
	if len(via) >= maxRedirects {
		return &RedirectError{}
	}
	return nil
}

// attempts is what the handlers of one call tell each other.
type attempts struct {
	method, route string
	mask          *mask
	start         time.Time
	number        int         // of the attempt that is under way, from 1
	sent          atomic.Bool // whether the last attempt that was made may have had its effect
	last          error       // why the last attempt was not the end of it
}

type attemptsKey struct{}

func attemptsOf(ctx context.Context) *attempts {
	if log, ok := ctx.Value(attemptsKey{}).(*attempts); ok {
		return log
	}
	return &attempts{}
}

func (a *attempts) setSent(sent bool) { a.sent.Store(sent) }

// note remembers why an attempt was not the end of the call. That the call's
// time is over is no such reason: what went wrong before says more.
func (a *attempts) note(ctx context.Context, resp *http.Response, err error) {
	switch {
	case err != nil && !isEnd(ctx, err):
		a.last = err
	case err == nil && resp.StatusCode >= 400:
		body, _ := io.ReadAll(resp.Body) // from memory
		resp.Body = io.NopCloser(bytes.NewReader(body))
		a.last = a.refused(resp, body)
		if resp.StatusCode == http.StatusTooManyRequests {
			a.setSent(false) // the service has not looked at it
		}
	}
}

// isEnd reports whether an error says no more than that the context is over.
func isEnd(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// refused is the error for an answer that is no success.
func (a *attempts) refused(resp *http.Response, body []byte) *Error {
	e := parseError(resp, body, a.mask)
	e.Method, e.Route, e.Attempts, e.Elapsed = a.method, a.route, a.number, time.Since(a.start)
	return e
}

// failure is the error for a call that ended without an answer of its own.
// Where its time was over that is the last error before; where the caller has
// given up it says so, and what came before.
func (a *attempts) failure(ctx context.Context, err error) error {
	before := ""
	if a.last != nil && isEnd(ctx, err) {
		if errors.Is(ctx.Err(), context.Canceled) {
			_, last := unwrapURL(a.last)
			before = "; before that: " + last.Error()
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
	if before != "" {
		err = fmt.Errorf("%w%s", err, before)
	}
	var garbled *garbledError
	if errors.As(err, &garbled) {
		if page := garbled.page(); page != "" {
			err = fmt.Errorf("%w: %s", err, excerpt(page, a.mask, 300))
		}
	}
	return &CallError{
		Method: a.method, Route: a.route, Attempts: a.number, Elapsed: time.Since(a.start),
		Address: excerpt(address, a.mask, 300), Sent: a.sent.Load(), Err: a.masked(err),
	}
}
