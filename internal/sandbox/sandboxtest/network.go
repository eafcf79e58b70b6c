// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"time"

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

// RoundTrip implements [http.RoundTripper] for [sandbox.BaseURL], without a port. It respects the request's context,
// takes [Options.Latency], and simulates network faults.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := cmp.Or[io.ReadCloser](r.Body, http.NoBody)
	defer func() { _ = sent.Close() }() // as a RoundTripper must
	body, err := io.ReadAll(sent)
	if err != nil {
		return nil, err
	}
	ctx, entry := r.Context(), newEntry(r, body)
	fault := s.take(entry)
	if fault.Reject {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	if err := sleep(ctx, s.latency/2); err != nil {
		return nil, err
	}
	given, err := s.exchange(entry, fault) //nolint:contextcheck // it has the context of the request
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

// exchange handles a request from its arrival to its response. It returns only errors of the service, and of a context
// that ends during a delay.
func (s *Service) exchange(entry *Entry, fault Fault) (given response, err error) {
	s.mu.Lock()
	s.journal = append(s.journal, entry)
	s.mu.Unlock()
	ctx := entry.request.Context()
	if err := sleep(ctx, fault.delay(BeforeEffect)); err != nil {
		return response{}, err
	}
	if fault.Act != nil {
		if err := s.Update(func(st *sandbox.State) error { fault.Act(st); return nil }); err != nil {
			return response{}, fmt.Errorf("the Act of a fault left a state that is not valid: %w", err)
		}
	}
	if fault.rejects() {
		given = fault.problem("conv-fault")
	} else if given, err = s.answer(entry); err != nil {
		return response{}, err
	}
	given = fault.change(given)
	if err := sleep(ctx, fault.delay(AfterEffect)); err != nil {
		return response{}, err
	}
	if !fault.Reset {
		s.mu.Lock()
		entry.Status = given.status
		s.mu.Unlock()
	}
	return given, nil
}

// answer sends a request to the sandbox, and returns the response in the form of the assumptions.
func (s *Service) answer(entry *Entry) (response, error) {
	request := entry.request.Clone(entry.request.Context())
	request.Body = io.NopCloser(bytes.NewReader(entry.RequestBody))
	for _, alternative := range s.assumptions {
		if alternative.ask != nil && entry.Method == http.MethodGet {
			query := request.URL.Query()
			alternative.ask(entry.Route, query)
			request.URL.RawQuery = query.Encode()
		}
	}
	given, err := s.upstream(request)
	if err != nil {
		return response{}, err
	}
	for _, alternative := range s.assumptions {
		if alternative.change != nil {
			alternative.change(entry, &given)
		}
	}
	return given, nil
}

// upstream sends a request to the sandbox the way it arrived.
func (s *Service) upstream(request *http.Request) (response, error) {
	if request.URL.Host == "" { // from a connection
		recorded := httptest.NewRecorder()
		s.Service.ServeHTTP(recorded, request)
		return response{recorded.Code, recorded.Header(), recorded.Body.Bytes()}, nil
	}
	given, err := s.Service.RoundTrip(request)
	if err != nil {
		return response{}, err
	}
	defer given.Body.Close()
	body, err := io.ReadAll(given.Body)
	return response{given.StatusCode, given.Header, body}, err
}

// sleep waits, or returns the error of a context that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
