// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

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
