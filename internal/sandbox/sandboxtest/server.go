// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Server is a fresh service behind a real port of this machine. It ends with
// its test.
type Server struct {
	*sandbox.Service
	URL string // the base URL, path included
}

// New starts a service with the demo estate, in memory, whose pages are five
// items long, so that paging is always exercised. Each option may change that.
func New(t testing.TB, change ...func(*sandbox.Options)) *Server {
	t.Helper()
	options := sandbox.Options{MaxPage: 5}
	for _, option := range change {
		option(&options)
	}
	service, err := sandbox.New(options)
	if err != nil {
		t.Fatalf("starting the embedded service: %v", err)
	}
	server := httptest.NewServer(service)
	t.Cleanup(func() {
		server.CloseClientConnections() // an endless answer would keep Close waiting
		server.Close()
	})
	return &Server{Service: service, URL: server.URL + "/v1"}
}

// Writes returns the requests that are no GET, in the order of their arrival.
func (s *Server) Writes() []sandbox.Entry {
	writes := []sandbox.Entry{}
	for _, entry := range s.Journal() {
		if entry.Method != http.MethodGet {
			writes = append(writes, entry)
		}
	}
	return writes
}

// AssertCount fails the test unless n requests had a method and a route (a
// template); "" matches any.
func (s *Server) AssertCount(t testing.TB, method, route string, n int) {
	t.Helper()
	if got := s.Count(method, route); got != n {
		t.Errorf("%d requests %s %s reached the service, want %d", got, method, route, n)
	}
}

// Change changes the estate behind everybody's back and fails the test where
// that cannot be done.
func (s *Server) Change(t testing.TB, change func(*sandbox.State)) {
	t.Helper()
	err := s.Update(func(st *sandbox.State) error { change(st); return nil })
	if err != nil {
		t.Fatalf("changing the estate: %v", err)
	}
}

// State returns a copy of the estate.
func (s *Server) State(t testing.TB) *sandbox.State {
	t.Helper()
	var seen *sandbox.State
	if err := s.View(func(st *sandbox.State) { seen = st }); err != nil {
		t.Fatalf("looking at the estate: %v", err)
	}
	return seen
}

// SkillsTest makes a skills test of JSON text, spelling kept.
func SkillsTest(t testing.TB, text string) sandbox.SkillsTest {
	t.Helper()
	object, err := sandbox.ParseObject([]byte(text))
	if err != nil {
		t.Fatalf("the skills test %s: %v", text, err)
	}
	return sandbox.SkillsTest{Object: object}
}
