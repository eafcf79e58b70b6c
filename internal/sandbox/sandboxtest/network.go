// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

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
	if fault.Reset {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	given.header.Del("Content-Length") // the body may have changed
	return &http.Response{             // as [http.Transport] returns it
		StatusCode: given.status, Status: fmt.Sprintf("%d %s", given.status, http.StatusText(given.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: given.header,
		ContentLength: int64(len(given.body)), Body: io.NopCloser(bytes.NewReader(given.body)), Request: r,
	}, nil
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
		panic(http.ErrAbortHandler) // ends the connection without a response
	}
	defer response.Body.Close()
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	_, _ = io.Copy(w, response.Body)
}
