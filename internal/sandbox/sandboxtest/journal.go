// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Entry is one request that reached the service.
type Entry struct {
	Time        time.Time
	Method      string
	Route       string // the template, such as [sandbox.RoutePositions]; "" for an unknown path
	Path        string // below the base path, escaped as it was sent
	Query       url.Values
	Header      http.Header // without Authorization
	RequestBody []byte
	Status      int // 0 if the client got no answer
}

// journal keeps the requests in the order of their arrival.
type journal struct {
	mu      sync.Mutex
	entries []*Entry
}

// open records a request as it arrives.
func (j *journal) open(entry Entry) *Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, &entry)
	return &entry
}

// answer records the status of the answer to a request.
func (j *journal) answer(entry *Entry, status int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	entry.Status = status
}

// Journal returns the requests that have reached the service since it was created or
// since [Service.ResetJournal], in the order of their arrival.
func (s *Service) Journal() []Entry {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	entries := make([]Entry, 0, len(s.journal.entries))
	for _, entry := range s.journal.entries {
		entries = append(entries, *entry)
	}
	return entries
}

// Writes returns the requests in the journal whose method is not GET.
func (s *Service) Writes() []Entry {
	writes := []Entry{}
	for _, entry := range s.Journal() {
		if entry.Method != http.MethodGet {
			writes = append(writes, entry)
		}
	}
	return writes
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
func (s *Service) Count(method, route string) int {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	n := 0
	for _, e := range s.journal.entries {
		if (method == "" || method == e.Method) && (route == "" || route == e.Route) {
			n++
		}
	}
	return n
}

// ResetJournal empties the journal.
func (s *Service) ResetJournal() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.entries = nil
}
