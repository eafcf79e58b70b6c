// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"syscall"
)

var inMemory = strings.TrimSuffix(BaseURL, basePath)

// RoundTrip answers requests for [BaseURL] in memory, with no port. It obeys
// the request's context, takes [Options.Latency], tells the request's
// httptrace what a connection would, and shows faults as a network does.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if origin := r.URL.Scheme + "://" + r.URL.Host; origin != inMemory {
		return nil, fmt.Errorf("the embedded service answers for %s alone, not for %s", inMemory, origin)
	}
	// What counts is the request line that a connection would carry.
	line, err := url.ParseRequestURI(r.URL.RequestURI())
	if err != nil {
		return nil, err
	}
	arrived := &request{
		method: methodOf(r), path: line.EscapedPath(), query: line.RawQuery,
		header: headerOf(r), body: body, origin: inMemory, tooLarge: len(body) > maxBody,
	}
	fault := s.faults.take(arrived.method, findTarget(arrived.path).template)
	if fault != nil && fault.Refuse {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}

	trace := traceOf(ctx)
	trace.GotConn(httptrace.GotConnInfo{})
	trace.WroteHeaders()
	trace.WroteRequest(httptrace.WroteRequestInfo{})
	if err := sleep(ctx, s.options.Latency/2); err != nil {
		return nil, err
	}
	result, err := s.exchange(ctx, arrived, fault)
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, s.options.Latency-s.options.Latency/2); err != nil {
		return nil, err
	}
	if result.lost() {
		if result.fault.Hangup {
			return nil, io.EOF
		}
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	trace.GotFirstResponseByte()
	return result.response(r), nil
}

// readBody reads and closes the request's body, as a RoundTripper must.
func readBody(r *http.Request) (body []byte, err error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err = io.ReadAll(r.Body)
	if closing := r.Body.Close(); err == nil {
		err = closing
	}
	return body, err
}

func methodOf(r *http.Request) string {
	if r.Method == "" {
		return http.MethodGet
	}
	return r.Method
}

// headerOf returns the request's headers, never nil.
func headerOf(r *http.Request) http.Header {
	if r.Header == nil {
		return http.Header{}
	}
	return r.Header
}

// response is the answer as http.Transport gives it.
func (o outcome) response(r *http.Request) *http.Response {
	response := &http.Response{
		StatusCode: o.status, Status: fmt.Sprintf("%d %s", o.status, http.StatusText(o.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: o.header.Clone(), Request: r,
	}
	var body io.Reader = http.NoBody
	switch {
	case o.endless():
		response.ContentLength = -1
		body = &endlessBody{ctx: r.Context()}
	case hasBody(o.status) && methodOf(r) != http.MethodHead:
		response.ContentLength = int64(len(o.body))
		response.Header.Set("Content-Length", fmt.Sprint(len(o.body)))
		body = bytes.NewReader(o.sent())
	}
	if o.cut() {
		body = io.MultiReader(body, brokenBody{})
	}
	response.Body = io.NopCloser(&obedientBody{r.Context(), body})
	return response
}

// brokenBody is the place where a body was cut.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// obedientBody cannot be read any more once its context ended.
type obedientBody struct {
	ctx  context.Context
	body io.Reader
}

func (b *obedientBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.body.Read(p)
}

// traceOf returns the hooks of a context, each of them safe to call.
func traceOf(ctx context.Context) httptrace.ClientTrace {
	hooks := httptrace.ClientTrace{}
	if asked := httptrace.ContextClientTrace(ctx); asked != nil {
		hooks = *asked
	}
	if hooks.GotConn == nil {
		hooks.GotConn = func(httptrace.GotConnInfo) {}
	}
	if hooks.WroteHeaders == nil {
		hooks.WroteHeaders = func() {}
	}
	if hooks.WroteRequest == nil {
		hooks.WroteRequest = func(httptrace.WroteRequestInfo) {}
	}
	if hooks.GotFirstResponseByte == nil {
		hooks.GotFirstResponseByte = func() {}
	}
	return hooks
}
