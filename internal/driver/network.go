// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// latency is the least duration of a request, half of it each way.
const latency = 20 * time.Millisecond

// Service is the sandbox behind a network that a test controls.
type Service struct {
	*sandbox.Service

	t       testing.TB
	mu      sync.Mutex
	journal []*Request
	hooks   []*Hook
}

// Request is an entry of the journal.
type Request struct {
	Number  int    // in the journal, from 0
	Run     string // the run that sent it, such as "apply 2"
	Method  string
	Route   string            // a template of package sandbox, "" for an unknown path
	IDs     map[string]string // what the path names, by the names in the template
	Query   url.Values
	Body    []byte
	Handled int    // the status that the sandbox answered, 0 if it did not receive the request
	Reply   []byte // the body that the sandbox answered
	Status  int    // the status that the provider received, 0 if none
}

// Writes reports whether the request is not a GET.
func (r *Request) Writes() bool { return r.Method != http.MethodGet }

// Is reports whether the request has a method and a route. "" matches any.
func (r *Request) Is(method, route string) bool {
	return (method == "" || r.Method == method) && (route == "" || r.Route == route)
}

// Response is what the network gives the provider.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	Lost   bool // whether the connection is closed instead
}

// Hook handles requests in place of the network. It calls next, which passes the request on, once or not at all. It may
// change the response, wait, or change the state of the service.
type Hook func(r *Request, next func() Response) Response

// NewService returns a sandbox.
func NewService(t testing.TB, options sandbox.Options) *Service {
	t.Helper()
	service, err := sandbox.New(options)
	if err != nil {
		t.Fatalf("starting the sandbox: %v", err)
	}
	return &Service{Service: service, t: t}
}

// Hook adds a hook, which sees requests before all earlier hooks. The returned function removes it.
func (s *Service) Hook(hook Hook) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := &hook
	s.hooks = append(s.hooks, added)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hooks = slices.DeleteFunc(s.hooks, func(h *Hook) bool { return h == added })
	}
}

// HookAt adds a hook for one request: the nth, from 0, of those that match.
func (s *Service) HookAt(n int, matches func(*Request) bool, hook Hook) (remove func()) {
	var seen atomic.Int64
	return s.Hook(func(r *Request, next func() Response) Response {
		if matches(r) && seen.Add(1) == int64(n)+1 {
			return hook(r, next)
		}
		return next()
	})
}

// LoseRequest closes the connection before the service receives the request.
func LoseRequest(*Request, func() Response) Response { return Response{Lost: true} }

// LoseResponse closes the connection after the service has handled the request.
func LoseResponse(_ *Request, next func() Response) Response {
	next()
	return Response{Lost: true}
}

// Foreign answers in place of the service, as a gateway does, without a sign of the service.
func Foreign(status int, contentType, body string) Hook {
	return func(*Request, func() Response) Response {
		return Response{Status: status, Header: http.Header{"Content-Type": {contentType}}, Body: []byte(body)}
	}
}

// Before does something before the service receives the request.
func Before(do func()) Hook {
	return func(_ *Request, next func() Response) Response { do(); return next() }
}

// After does something after the service has handled the request.
func After(do func()) Hook {
	return func(_ *Request, next func() Response) Response {
		response := next()
		do()
		return response
	}
}

// Journal returns copies of all requests so far, in the order in which the provider sent them.
func (s *Service) Journal() (all []Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.journal {
		all = append(all, *r)
	}
	return all
}

// Change changes the state of the service, as a person or another program does.
func (s *Service) Change(change func(*sandbox.State)) {
	if err := s.Update(func(st *sandbox.State) error { change(st); return nil }); err != nil {
		s.t.Errorf("changing the state: %v", err)
	}
}

// Snapshot returns a copy of the state of the service.
func (s *Service) Snapshot() (seen *sandbox.State) {
	if err := s.View(func(st *sandbox.State) { seen = st }); err != nil {
		s.t.Errorf("reading the state: %v", err)
	}
	return seen
}

var (
	errKilled       = errors.New("the run was killed")
	errReset  error = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
)

// network carries the requests of one run.
type network struct {
	service *Service
	run     *Session
}

// RoundTrip implements [http.RoundTripper]. If the provider gives up on a request that has arrived, the sandbox still
// handles it.
func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	request := n.service.record(n.run.name, r)
	// Each request takes its own time, so that virtual time orders what happens at the same moment.
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(r.Method + r.URL.String())) // never fails
	way := latency/2 + time.Duration(hash.Sum32()%1000)*time.Microsecond/2
	if err := n.sleep(r.Context(), way); err != nil {
		return nil, err
	}
	given := make(chan Response, 1)
	go func() { given <- n.service.handle(r, request) }()
	var response Response
	select {
	case response = <-given:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if response.Lost {
		return nil, errReset
	}
	if err := n.sleep(r.Context(), way); err != nil {
		return nil, err
	}
	n.service.mu.Lock()
	request.Status = response.Status
	n.service.mu.Unlock()
	return &http.Response{
		StatusCode: response.Status, Status: http.StatusText(response.Status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: response.Header, Request: r,
		Body: io.NopCloser(bytes.NewReader(response.Body)), ContentLength: int64(len(response.Body)),
	}, nil
}

// sleep waits. It returns an error if the request was canceled or the run was killed.
func (n network) sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	case <-n.run.ctx.Done():
	}
	if n.run.killed.Load() {
		return errKilled
	}
	return ctx.Err()
}

// record adds a request to the journal.
func (s *Service) record(run string, r *http.Request) *Request {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body) // from memory
		_ = r.Body.Close()
	}
	path := r.URL.EscapedPath()
	route := sandbox.RouteOf(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	request := &Request{
		Number: len(s.journal), Run: run, Method: r.Method, Route: route, IDs: idsOf(route, path), Query: r.URL.Query(),
		Body: body,
	}
	s.journal = append(s.journal, request)
	return request
}

// idsOf returns the segments of a path that a template names.
func idsOf(route, path string) map[string]string {
	ids, names := map[string]string{}, strings.Split(route, "/")
	segments := strings.Split(path, "/")
	segments = segments[max(0, len(segments)-len(names)):]
	for i, name := range names {
		if id, isID := strings.CutPrefix(name, "{"); isID {
			ids[strings.TrimSuffix(id, "}")], _ = url.PathUnescape(segments[i])
		}
	}
	return ids
}

// handle passes a request through the hooks to the sandbox.
func (s *Service) handle(original *http.Request, r *Request) Response {
	s.mu.Lock()
	hooks := slices.Clone(s.hooks)
	s.mu.Unlock()
	next := func() Response { return s.upstream(original, r) }
	for _, hook := range hooks {
		inner := next
		next = func() Response { return (*hook)(r, inner) }
	}
	return next()
}

// upstream sends a request to the sandbox.
func (s *Service) upstream(original *http.Request, r *Request) Response {
	request := original.Clone(context.WithoutCancel(original.Context())) // it has arrived
	request.Body = io.NopCloser(bytes.NewReader(r.Body))
	given, err := s.RoundTrip(request)
	if err != nil {
		s.t.Errorf("%s %s did not reach the sandbox: %v", r.Method, r.Route, err)
		return Response{Lost: true}
	}
	body, _ := io.ReadAll(given.Body) // from memory
	_ = given.Body.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Handled, r.Reply = given.StatusCode, body
	return Response{Status: given.StatusCode, Header: given.Header, Body: body}
}
