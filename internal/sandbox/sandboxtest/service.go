// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"net/http"
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
