// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-cleanhttp"
)

const (
	// maxAnswer is the largest accepted size of a response body in bytes.
	maxAnswer = 64 << 20
	// maxRefusal is how much of the body of a response with an error is read.
	maxRefusal = 1 << 20
)

var errTooLarge = fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)

// Attempt is the innermost handler. It sends one request and reads the whole response
// within Timeout. A response that is cut short, or a 2xx to a read that does not contain JSON,
// is an error. So the handlers above see only complete responses or errors. A 2xx to a write may
// have any body (assumptions A4 to A6).
//
// If the context of a write ends after the request has reached the network, Attempt still
// waits for the response. Otherwise the effect of the write would be unknown.
type Attempt struct {
	// Next sends the request to the network or to the embedded service.
	Next http.RoundTripper
	// Timeout bounds one attempt, including the response body.
	Timeout time.Duration
	// Observe is called after each attempt, for the log. It may be nil.
	Observe func(ctx context.Context, o Observation)
}

// Observation describes an attempt for the log, without ids, headers and bodies.
type Observation struct {
	Method, Route string
	Status        int // 0 without a usable response
	Attempt       int // from 1
	Took          time.Duration
	Err           error
}

// Network returns the transport for the real service. It uses the trust store of the
// system, TLS 1.2 or later, and the proxy settings of the environment (see [proxyOf]).
//
// It speaks only HTTP/1.1. Over HTTP/2, net/http may send a request again by itself, also
// a POST, and the throttle would not count that.
//
// All addresses of the host together get a third of the timeout of an attempt to connect, so that an address
// that drops packets leaves time for the next one.
func Network(requestTimeout time.Duration) *http.Transport {
	t := cleanhttp.DefaultPooledTransport()
	t.DialContext = dialer(requestTimeout).DialContext
	t.ForceAttemptHTTP2, t.Protocols = false, new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	t.Proxy = func(req *http.Request) (*url.URL, error) { return proxyOf(req.URL), nil }
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	t.OnProxyConnectResponse = checkProxy
	t.MaxIdleConnsPerHost = 32 // a run sends up to 10 requests in parallel, and 20 per second
	return t
}

func dialer(requestTimeout time.Duration) *net.Dialer {
	return &net.Dialer{Timeout: requestTimeout / 3, KeepAlive: 30 * time.Second}
}

func (a *Attempt) RoundTrip(req *http.Request) (*http.Response, error) {
	call := callOf(req.Context())
	health := call.client.health
	if err := health.stop(); err != nil {
		return nil, unsentError{err}
	}
	if req.Response == nil { // otherwise it follows a redirect within the same attempt
		call.number++
	}
	call.began = time.Now()
	resp, err := a.send(req, call)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		health.reject()
	}
	call.hung = err != nil && timedOut(req.Context())
	err = call.client.mask.Error(err)
	if err != nil && !call.sent.Load() {
		err = unsentError{err}
	}
	if a.Observe != nil {
		o := Observation{
			Method: call.method, Route: call.route.template, Attempt: call.number, Took: time.Since(call.began), Err: err,
		}
		if resp != nil {
			o.Status = resp.StatusCode
		}
		a.Observe(req.Context(), o)
	}
	return resp, err
}

func (a *Attempt) send(req *http.Request, call *apiCall) (*http.Response, error) {
	caller := req.Context()
	if caller.Err() != nil {
		return nil, context.Cause(caller)
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(caller), a.Timeout, errAttemptTimeout{a.Timeout})
	defer cancel()

	// From here on, the request counts as sent, unless the transport reports that it still
	// has no connection.
	call.sent.Store(true)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { call.sent.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { call.sent.Store(true) },
	})
	isRead := req.Method == http.MethodGet
	defer context.AfterFunc(caller, func() {
		if isRead || !call.sent.Load() {
			cancel()
		}
	})()

	sent := req.WithContext(ctx)
	if isRead {
		sent.Body, sent.GetBody = unrepeatable{http.NoBody}, nil
	}
	resp, err := a.Next.RoundTrip(sent)
	if err != nil {
		if neverConnected(err) || isRefusedByAlert(err) {
			call.sent.Store(false)
		}
		a.dropIdle(ctx)
		return nil, attemptError(ctx, caller, err)
	}
	defer resp.Body.Close()
	most := int64(maxAnswer)
	if resp.StatusCode/100 != 2 {
		most = maxRefusal
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		a.dropIdle(ctx)
		return nil, attemptError(ctx, caller, fmt.Errorf("the answer ended early: %w", err))
	case len(body) > maxAnswer:
		return nil, errTooLarge
	}
	packed := Compression(body)
	body, err = asUTF8(body, resp.Header.Get("Content-Type"))
	switch isData := resp.StatusCode/100 == 2 && req.Method == http.MethodGet; {
	case isData && packed == "" && err != nil:
		return nil, err
	case isData && !json.Valid(body):
		return nil, &garbledError{status: resp.StatusCode, body: body, packed: packed}
	}
	// net/http would replace the response by an error if Location is not a valid address, so
	// it is removed.
	if _, err := req.URL.Parse(resp.Header.Get("Location")); err != nil {
		resp.Header.Del("Location")
	}
	setRetryAfter(resp.Header, time.Now())
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// dropIdle closes the idle connections after a timeout. The network may have lost all of
// them, and each would cost another timeout.
func (a *Attempt) dropIdle(ctx context.Context) {
	pool, ok := a.Next.(interface{ CloseIdleConnections() })
	if ok && errors.As(context.Cause(ctx), new(errAttemptTimeout)) {
		pool.CloseIdleConnections()
	}
}

// unrepeatable is an empty body that net/http does not recognize as empty. It sends no
// body, and does not announce one. If the service closes an idle connection, net/http
// would otherwise repeat a GET by itself, and the throttle would not count the second
// request. The call repeats it instead.
type unrepeatable struct{ io.ReadCloser }

// unsentError is the error of an attempt that did not reach the service, so it did not
// count in the rate limits.
type unsentError struct{ error }

// Unsent reports that the service did not get the request.
func (unsentError) Unsent() bool { return true }

// Unwrap returns the reason.
func (e unsentError) Unwrap() error { return e.error }

// setRetryAfter replaces a Retry-After header (RFC 9110, section 10.2.3) with a number of
// seconds, which is the only form that the handlers above read. A date is compared with
// the Date of the response, so the clock of this machine does not matter.
func setRetryAfter(h http.Header, now time.Time) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	seconds, err := strconv.ParseFloat(value, 64)
	if at, parsing := http.ParseTime(value); err != nil && parsing == nil {
		if date, err := http.ParseTime(h.Get("Date")); err == nil {
			now = date
		}
		seconds, err = at.Sub(now).Seconds(), nil
	}
	h.Del("Retry-After")
	const day = 24 * 60 * 60
	if err == nil && seconds > 0 { // only if it is a number
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(min(seconds, day)))))
	}
}

// neverConnected reports whether an error means that there was no connection to the service or to the proxy, also if
// the trace did not report it.
func neverConnected(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

// garbledError is the error for a 2xx with a body that cannot come from the service.
type garbledError struct {
	status int
	body   []byte
	packed string // how the body is compressed, or ""
}

// Error does not contain the body, because it may contain personal data.
func (e *garbledError) Error() string {
	what := "a body that is not JSON"
	switch {
	case len(bytes.TrimSpace(e.body)) == 0:
		what = "an empty body"
	case isWebPage(e.body):
		what = "a web page instead of JSON, which probably comes from a gateway or a firewall"
	case e.packed != "":
		what = fmt.Sprintf("a body that is compressed (%s), and no header that the provider can read says so. A gateway "+
			"in front of the service may drop the header Content-Encoding", e.packed)
	}
	return fmt.Sprintf("the service answered %s with %s", statusLine(e.status), what)
}

// Permanent reports whether the next attempt has the same result.
func (e *garbledError) Permanent() bool { return e.packed != "" }

// errAttemptTimeout means that one attempt took too long. The next attempt may succeed.
type errAttemptTimeout struct{ after time.Duration }

func (e errAttemptTimeout) Error() string { return fmt.Sprintf("no answer within %s", e.after) }

// attemptError returns a specific error instead of the error of the context.
func attemptError(ctx, caller context.Context, err error) error {
	var (
		timeout errAttemptTimeout
		record  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/":
		return http.ErrSchemeMismatch // http.Client does the same, but not for wrapped errors
	case errors.As(context.Cause(ctx), &timeout):
		return timeout
	case ctx.Err() != nil && caller.Err() != nil:
		return context.Cause(caller)
	}
	return err
}
