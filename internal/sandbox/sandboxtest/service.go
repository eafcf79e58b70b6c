// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// basePath is the path of [sandbox.BaseURL].
const basePath = "/v1"

// serviceBase is the only destination of requests without a port.
var serviceBase, _ = url.Parse(sandbox.BaseURL) // a constant address

// Options describe a service and the network in front of it.
type Options struct {
	sandbox.Options
	Latency     time.Duration // duration of one round trip, half of it each way
	Assumptions Assumptions   // the form of the answers
	// Wrap returns what a [Server] serves, such as pages around the service. Nil means the service.
	Wrap func(*Service) http.Handler
}

// Service is a sandbox behind a network that a test controls. Its methods may
// be called concurrently.
type Service struct {
	*sandbox.Service // the service itself, without the network

	latency     time.Duration
	assumptions Assumptions
	rejections  atomic.Uint64 // the counter for the Conversation-Id of rejections by faults

	mu      sync.Mutex
	journal []*Entry // the requests in the order of their arrival
	faults  []*Fault // that have not happened yet
	strays  []string // what is wrong with the requests that must not have been sent
}

// NewService returns a service without a port. Use it as the transport of a client for [sandbox.BaseURL]. The test
// fails if a request goes to another origin, has an address that is not encoded, or carries the API key outside of its
// header.
func NewService(t testing.TB, options Options) *Service {
	t.Helper()
	for _, alternative := range options.Assumptions {
		if alternative.service != nil {
			options.Deviations = *alternative.service
		}
	}
	service, err := sandbox.New(options.Options)
	if err != nil {
		t.Fatalf("starting the sandbox: %v", err)
	}
	s := &Service{Service: service, latency: options.Latency, assumptions: options.Assumptions}
	t.Cleanup(func() {
		for _, problem := range s.takeStrays() {
			t.Error(problem)
		}
	})
	return s
}

// takeStrays returns what is wrong with the requests so far.
func (s *Service) takeStrays() (strays []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	strays, s.strays = s.strays, nil
	return strays
}

// Change changes the state without a request, as a person or another program does. It
// fails the test if the changed state is not valid.
func (s *Service) Change(t testing.TB, change func(*sandbox.State)) {
	t.Helper()
	if err := s.Update(func(st *sandbox.State) error { change(st); return nil }); err != nil {
		t.Fatalf("changing the state: %v", err)
	}
}

// State returns a copy of the state.
func (s *Service) State(t testing.TB) *sandbox.State {
	t.Helper()
	var seen *sandbox.State
	if err := s.View(func(st *sandbox.State) { seen = st }); err != nil {
		t.Fatalf("reading the state: %v", err)
	}
	return seen
}

// AttachedIDs returns the IDs of the position assessments of all positions.
func AttachedIDs(st *sandbox.State) []string {
	ids := []string{}
	for _, p := range st.Positions {
		for _, a := range p.Assessments {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// AssertCount fails the test unless the journal contains n requests with a method and a
// route (a template). "" matches any.
func (s *Service) AssertCount(t testing.TB, method, route string, n int) {
	t.Helper()
	if got := s.Count(method, route); got != n {
		t.Errorf("%d requests %s %s reached the service, want %d", got, method, route, n)
	}
}

// arrival is a request that has passed the network.
type arrival struct {
	request *http.Request // its body is in body
	method  string
	path    string // escaped
	route   string // the template, "" for an unknown path
	query   string // as on the request line
	body    []byte
}

// parameters returns the parameters of the query, as far as they can be parsed.
func (a *arrival) parameters() url.Values {
	query, _ := url.ParseQuery(a.query)
	return query
}

// arrive returns the arrival of a request whose body has been read.
func arrive(r *http.Request, body []byte) *arrival {
	path := r.URL.EscapedPath()
	return &arrival{
		request: r, method: cmp.Or(r.Method, http.MethodGet), path: path, route: sandbox.RouteOf(path),
		query: r.URL.RawQuery, body: body,
	}
}

// answer sends a request to the service, and returns the response in the form of the assumptions.
func (s *Service) answer(a *arrival) (response, error) {
	asked, query := *a, a.parameters()
	for _, alternative := range s.assumptions {
		if alternative.ask != nil && a.method == http.MethodGet {
			alternative.ask(a.route, query)
			asked.query = query.Encode()
		}
	}
	given, err := s.upstream(&asked)
	if err != nil {
		return response{}, err
	}
	for _, alternative := range s.assumptions {
		if alternative.change != nil {
			alternative.change(a, &given)
		}
	}
	return given, nil
}

// upstream sends a request to the service itself, the way it arrived.
func (s *Service) upstream(a *arrival) (response, error) {
	request := a.request.WithContext(a.request.Context())
	address := *a.request.URL
	address.RawQuery = a.query
	request.Method, request.URL = a.method, &address
	request.Body = io.NopCloser(bytes.NewReader(a.body))
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

// entry returns the journal entry of the request.
func (a *arrival) entry() *Entry {
	header := a.request.Header.Clone()
	header.Del("Authorization")
	return &Entry{
		Time: time.Now(), Method: a.method, Route: a.route, Path: strings.TrimPrefix(a.path, basePath),
		Query: a.parameters(), Header: header, RequestBody: a.body,
	}
}

// exchange handles a request from its arrival to its answer. It returns only errors of
// upstream, and of a context that ends during a delay.
func (s *Service) exchange(a *arrival, fault Fault) (response, error) {
	ctx := a.request.Context()
	entry := a.entry()
	s.mu.Lock()
	s.journal = append(s.journal, entry)
	s.mu.Unlock()
	if err := sleep(ctx, fault.delay(BeforeEffect)); err != nil {
		return response{}, err
	}
	if fault.Act != nil {
		if err := s.Update(func(st *sandbox.State) error { fault.Act(st); return nil }); err != nil {
			return response{}, fmt.Errorf("the Act of a fault left a state that is not valid: %w", err)
		}
	}
	var given response
	if fault.rejects() {
		given = fault.problem(fmt.Sprintf("conv-fault-%06d", s.rejections.Add(1)))
	} else {
		var err error
		if given, err = s.answer(a); err != nil {
			return response{}, err
		}
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
