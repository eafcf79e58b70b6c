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
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/go-cleanhttp"
)

// maxAnswer is the size in bytes above which an answer is refused.
const maxAnswer = 64 << 20

var errTooLarge = fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)

// Attempt is the innermost handler: one request on the network and its whole
// answer, within Timeout. The answer is complete: a body that was cut short, or a
// 2xx that should be JSON and is not, is an error here. So the handlers above see
// one kind of failure.
//
// A write that has reached the network is not given up if its context ends: its
// effect would be unknown.
type Attempt struct {
	// Next is the network, or the embedded service.
	Next http.RoundTripper
	// Timeout is how long one attempt may take, its body included.
	Timeout time.Duration
	// Observe is told of every attempt, for the log; nil if there is none.
	Observe func(ctx context.Context, o Observation)
}

// Observation is what a log may say of one attempt: no id, no header, no body.
type Observation struct {
	Method, Route string
	Status        int // 0 if no usable answer came
	Attempt       int // 1 is the first
	Took          time.Duration
	Err           error
}

// Network returns the transport that reaches the real service: the system's
// trust store, TLS 1.2 at least, the proxy settings of the environment.
func Network() *http.Transport {
	t := cleanhttp.DefaultPooledTransport()
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	t.MaxIdleConnsPerHost = 32 // a run's parallelism is 10, and throttled at 20 a second
	return t
}

// RoundTrip implements [http.RoundTripper].
func (a *Attempt) RoundTrip(req *http.Request) (*http.Response, error) {
	log := attemptsOf(req.Context())
	if req.Response == nil { // else it follows a redirect, which is part of the same attempt
		log.number++
	}
	start := time.Now()
	resp, err := a.send(req, log)
	err = log.masked(err)
	if a.Observe != nil {
		o := Observation{Method: log.method, Route: log.route, Attempt: log.number, Took: time.Since(start), Err: err}
		if resp != nil {
			o.Status = resp.StatusCode
		}
		a.Observe(req.Context(), o)
	}
	return resp, err
}

func (a *Attempt) send(req *http.Request, log *attempts) (*http.Response, error) {
	caller := req.Context()
	if caller.Err() != nil {
		return nil, context.Cause(caller)
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(caller), a.Timeout, errAttemptTimeout{a.Timeout})
	defer cancel()

	// A request counts as sent from here on, unless the transport says that it
	// is still looking for a connection.
	var connecting atomic.Bool
	log.setSent(true)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { connecting.Store(true); log.setSent(false) },
		GotConn: func(httptrace.GotConnInfo) { log.setSent(true); connecting.Store(false) },
	})
	isRead := req.Method == http.MethodGet
	defer context.AfterFunc(caller, func() {
		if isRead || connecting.Load() {
			cancel()
		}
	})()

	sent := req.WithContext(ctx)
	if isRead {
		sent.Body, sent.GetBody = unrepeatable{http.NoBody}, nil
	}
	resp, err := a.Next.RoundTrip(sent)
	if err != nil {
		if neverStood(err) {
			log.setSent(false)
		}
		return nil, attemptError(ctx, caller, err)
	}
	defer resp.Body.Close()
	var answer bytes.Buffer // grows in larger steps than io.ReadAll does
	_, err = answer.ReadFrom(io.LimitReader(resp.Body, maxAnswer+1))
	body := bytes.TrimPrefix(answer.Bytes(), []byte("\uFEFF")) // a byte order mark is no JSON
	switch {
	case err != nil:
		return nil, attemptError(ctx, caller, fmt.Errorf("the answer broke off: %w", err))
	case len(body) > maxAnswer:
		return nil, errTooLarge
	case resp.StatusCode/100 == 2 && !usable(req.Method, body):
		return nil, &garbledError{status: resp.StatusCode, body: body}
	}
	// An address that cannot be read leads nowhere; net/http would repeat it in
	// an error of its own instead of returning the answer.
	if _, err := req.URL.Parse(resp.Header.Get("Location")); err != nil {
		resp.Header.Del("Location")
	}
	setRetryAfter(resp.Header, time.Now())
	resp.Body = io.NopCloser(bytes.NewReader(asUTF8(body)))
	return resp, nil
}

// unrepeatable is an empty body that net/http does not know to be empty. So it does
// not repeat a GET by itself if the service closes an idle connection meanwhile:
// the repetition would be a second request within the limits of one. The retry
// layer repeats it instead, and the throttle counts it.
type unrepeatable struct{ io.ReadCloser }

// setRetryAfter replaces a Retry-After header (RFC 9110, section 10.2.3) by whole
// seconds, which is all that the layers above read. A date is taken relative to the
// response's own Date, so that the two clocks need not agree.
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
	if err == nil && seconds > 0 { // not if it is no number
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(min(seconds, day)))))
	}
}

// asUTF8 returns text in UTF-8. What is none is taken to be Latin1, the only
// charset that the specification names (section 7): encoding/json would replace
// every letter it cannot read.
func asUTF8(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	decoded := make([]byte, 0, 2*len(text))
	for _, b := range text {
		decoded = utf8.AppendRune(decoded, rune(b))
	}
	return decoded
}

// neverStood reports an error that means that there was no connection, also
// where no trace has told.
func neverStood(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// usable reports whether the body of a 2xx can be the service's own. Only
// reads need one; the answer to adding an assessment is judged where its id is
// looked for (assumption A4).
func usable(method string, body []byte) bool {
	empty := len(bytes.TrimSpace(body)) == 0
	switch method {
	case http.MethodGet:
		return json.Valid(body)
	case http.MethodPost:
		return true
	default:
		return empty || json.Valid(body)
	}
}

// garbledError is a 2xx whose body cannot be the service's own.
type garbledError struct {
	status int
	body   []byte
}

// Error keeps the body to itself: it may be a list of people that was cut.
func (e *garbledError) Error() string {
	what := "a body that is no JSON"
	if len(bytes.TrimSpace(e.body)) == 0 {
		what = "an empty body"
	}
	return fmt.Sprintf("the service answered %d %s with %s", e.status, http.StatusText(e.status), what)
}

// page is the page for people that came instead of JSON, such as the sign-in
// page of a network; "" if it was something else.
func (e *garbledError) page() string {
	if !bytes.HasPrefix(bytes.TrimSpace(e.body), []byte("<")) {
		return ""
	}
	return visibleText(asUTF8(e.body))
}

// errAttemptTimeout says that one attempt took too long; the next may not.
type errAttemptTimeout struct{ after time.Duration }

func (e errAttemptTimeout) Error() string { return fmt.Sprintf("no answer within %s", e.after) }

// attemptError names the reason instead of the bare end of a context.
func attemptError(ctx, caller context.Context, err error) error {
	var timeout errAttemptTimeout
	switch {
	case errors.As(context.Cause(ctx), &timeout):
		return timeout
	case ctx.Err() != nil && caller.Err() != nil:
		return context.Cause(caller)
	}
	return err
}
