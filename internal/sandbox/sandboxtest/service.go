// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// basePath is the path of [sandbox.BaseURL].
const basePath = "/v1"

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

	mu      sync.Mutex
	journal []*Entry // the requests in the order of their arrival
	faults  []*Fault // that have not happened yet
}

// NewService returns a service without a port. Use it as the transport of a client for [sandbox.BaseURL].
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
	return &Service{Service: service, latency: options.Latency, assumptions: options.Assumptions}
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

// Entry is one request that reached the service.
type Entry struct {
	Method      string
	Route       string // the template, such as [sandbox.RoutePositions]; "" for an unknown path
	Path        string // below the base path, escaped as it was sent
	Query       url.Values
	Header      http.Header // without Authorization
	RequestBody []byte
	Status      int // 0 if the client got no answer

	request *http.Request // its body is RequestBody
}

// newEntry returns the entry of a request whose body has been read.
func newEntry(r *http.Request, body []byte) *Entry {
	header, path := r.Header.Clone(), r.URL.EscapedPath()
	header.Del("Authorization")
	return &Entry{
		Method: r.Method, Route: sandbox.RouteOf(path), Path: strings.TrimPrefix(path, basePath),
		Query: r.URL.Query(), Header: header, RequestBody: body, request: r,
	}
}

// Journal returns the requests that have reached the service since it was created or
// since [Service.ResetJournal], in the order of their arrival.
func (s *Service) Journal() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries := make([]Entry, 0, len(s.journal))
	for _, entry := range s.journal {
		entries = append(entries, *entry)
	}
	return entries
}

// Writes returns the requests in the journal whose method is not GET.
func (s *Service) Writes() []Entry {
	return slices.DeleteFunc(s.Journal(), func(e Entry) bool { return e.Method == http.MethodGet })
}

// NoWrites checks that the service received only reads.
func (s *Service) NoWrites(t *testing.T) {
	t.Helper()
	for _, entry := range s.Writes() {
		t.Errorf("%s %s reached the service: %s", entry.Method, entry.Path, entry.RequestBody)
	}
}

// Count returns the number of requests in the journal with a method and a route (a
// template). "" matches any.
func (s *Service) Count(method, route string) (n int) {
	for _, e := range s.Journal() {
		if (method == "" || method == e.Method) && (route == "" || route == e.Route) {
			n++
		}
	}
	return n
}

// ResetJournal empties the journal.
func (s *Service) ResetJournal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal = nil
}

// Invite invites a new candidate to an assessment of a position, as a recruiter does, and returns the ID of the
// invitation. After that, the service rejects the removal of the assessment from the position (assumption A28).
func (s *Service) Invite(t testing.TB, positionID, assessmentID string) (invitationID string) {
	t.Helper()
	err := s.Update(func(st *sandbox.State) (err error) {
		id, position := st.NextID("cnd"), st.Position(positionID)
		position.Candidates = append(position.Candidates, sandbox.Candidate{ID: id, Name: "Candidate " + id})
		invitationID, err = st.Invite(positionID, id, assessmentID, sandbox.Remote)
		return err
	})
	if err != nil {
		t.Fatalf("inviting a candidate: %v", err)
	}
	return invitationID
}

// Complete completes an invitation, as the candidate does.
func (s *Service) Complete(t testing.TB, invitationID string) {
	t.Helper()
	if err := s.Update(func(st *sandbox.State) error { return Complete(st, invitationID) }); err != nil {
		t.Fatalf("completing an invitation: %v", err)
	}
}

// Complete takes an invitation to its end, as a candidate does in one or two steps.
func Complete(st *sandbox.State, invitationID string) error {
	err := st.Sit(invitationID)
	if err == nil && st.Invitation(invitationID).Invitation.Status == sandbox.InProgress {
		err = st.Sit(invitationID)
	}
	return err
}
