// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing/iotest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// response is a response of the service with its whole body.
type response struct {
	status int
	header http.Header // never nil
	body   []byte
}

// problem is a rejection in the shape of the service's own errors.
func problem(status int, conversation, code, message string) response {
	o := sandbox.Object{}
	o.Set("conversationId", conversation)
	o.Set("code", code)
	o.Set("message", message)
	header := http.Header{"Content-Type": {"application/json"}, "Conversation-Id": {conversation}}
	body, _ := o.MarshalJSON() // texts are always JSON
	return response{status: status, header: header, body: body}
}

// RoundTrip implements [http.RoundTripper] for [sandbox.BaseURL], without a port. It
// respects the request's context, takes [Options.Latency], and simulates network faults.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := cmp.Or[io.ReadCloser](r.Body, http.NoBody)
	defer func() { _ = sent.Close() }() // as a RoundTripper must
	body, err := io.ReadAll(sent)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if problem := stray(r, serviceBase, body); problem != "" {
		s.mu.Lock()
		s.strays = append(s.strays, problem)
		s.mu.Unlock()
	}
	arrived := arrive(r, body)
	fault := s.take(arrived)
	if fault.Reject {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	if err := sleep(ctx, s.latency/2); err != nil {
		return nil, err
	}
	given, err := s.exchange(arrived, fault) //nolint:contextcheck // it has the context of the request
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, s.latency-s.latency/2); err != nil {
		return nil, err
	}
	if fault.loses() {
		if fault.Hangup {
			return nil, io.EOF
		}
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return given.httpResponse(r, fault), nil
}

// httpResponse is the response in the form in which [http.Transport] returns it.
func (a response) httpResponse(r *http.Request, fault Fault) *http.Response {
	response := &http.Response{
		StatusCode: a.status, Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Request: r,
	}
	response.Header.Del("Content-Length")
	var body io.Reader = http.NoBody
	if hasBody(a.status) {
		response.ContentLength = int64(len(a.body))
		response.Header.Set("Content-Length", strconv.Itoa(len(a.body)))
		body = bytes.NewReader(a.body)
		if fault.CutBody && len(a.body) > 0 {
			body = io.MultiReader(bytes.NewReader(a.body[:len(a.body)/2]), iotest.ErrReader(io.ErrUnexpectedEOF))
		}
	}
	response.Body = io.NopCloser(&contextBody{r.Context(), body})
	return response
}

// ServeHTTP implements [http.Handler] for a real port. Requests without credentials outside the base path have no
// journal entries and faults.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.EscapedPath(), basePath+"/") && r.Header.Get("Authorization") == "" {
		s.Service.ServeHTTP(w, r)
		return
	}
	response, err := s.RoundTrip(r)
	if err != nil {
		drop(w, err)
		return
	}
	defer response.Body.Close()
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	// net/http breaks the connection if the body is shorter than announced.
	_, _ = io.Copy(w, response.Body)
}

// drop ends the connection without an answer.
func drop(w http.ResponseWriter, err error) {
	connection, _, hijacked := http.NewResponseController(w).Hijack()
	if hijacked != nil {
		panic(http.ErrAbortHandler) // makes net/http break a connection that cannot be hijacked
	}
	if tcp, ok := connection.(*net.TCPConn); ok && !errors.Is(err, io.EOF) {
		_ = tcp.SetLinger(0) // discards unsent data, so that the client gets a reset
	}
	_ = connection.Close()
}

func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// contextBody is a body that cannot be read after its context has ended.
type contextBody struct {
	ctx  context.Context
	body io.Reader
}

func (b *contextBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.body.Read(p)
}
