// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Entry is one request that reached the service.
type Entry struct {
	Time        time.Time
	Method      string
	Route       string // the template, such as [RoutePositions]; "" where the path leads nowhere
	Path        string // below the base path, escaped as it was sent
	Query       url.Values
	Header      http.Header // without Authorization
	RequestBody []byte
	Status      int    // 0 where no answer was given
	Handled     bool   // whether the service worked on it: false where a fault came first
	Fault       string // what a [Fault] did to it
}

// clone returns an entry that shares nothing with the receiver.
func (e Entry) clone() Entry {
	e.Query = url.Values(http.Header(e.Query).Clone())
	e.Header = e.Header.Clone()
	e.RequestBody = bytes.Clone(e.RequestBody)
	return e
}

// journal keeps the requests in the order of their arrival.
type journal struct {
	mu      sync.Mutex
	entries []*Entry
	counts  map[routeKey]routeCount
	keep    int // how many of the latest entries are kept; 0 is all
	log     io.Writer
}

type routeKey struct{ method, route string }

// routeCount says what became of the requests to one route, however long ago.
type routeCount struct{ Requests, Refused, TooMany int }

// open records a request as it arrives.
func (j *journal) open(r *request, template string) *Entry {
	header := r.header.Clone()
	header.Del("Authorization")
	query, _ := url.ParseQuery(r.query)
	entry := &Entry{
		Time: time.Now(), Method: r.method, Route: template,
		Path: strings.TrimPrefix(r.path, basePath), Query: query,
		Header: header, RequestBody: r.body,
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry)
	if j.keep > 0 && len(j.entries) > j.keep {
		j.entries = slices.Delete(j.entries, 0, len(j.entries)-j.keep)
	}
	return entry
}

// close records what came of a request and logs it.
func (j *journal) close(entry *Entry, r *request, status int, handled bool, fault string) {
	j.mu.Lock()
	entry.Status, entry.Handled, entry.Fault = status, handled, fault
	j.count(routeKey{entry.Method, entry.Route}, status)
	j.mu.Unlock()
	address := r.path
	if r.query != "" {
		address += "?" + r.query
	}
	if fault != "" {
		address += " fault: " + fault
	}
	j.print(entry.Time, r.method, address, status)
}

func (j *journal) count(key routeKey, status int) {
	count := j.counts[key]
	count.Requests++
	if status >= http.StatusBadRequest {
		count.Refused++
	}
	if status == http.StatusTooManyRequests {
		count.TooMany++
	}
	if j.counts == nil {
		j.counts = map[routeKey]routeCount{}
	}
	j.counts[key] = count
}

// totals returns a copy of the counts.
func (j *journal) totals() map[routeKey]routeCount {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.counts)
}

// print writes a line to the log. The raw path and query of a request hold no
// control character; net/url refuses them.
func (j *journal) print(at time.Time, method, address string, status int) {
	if j.log == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	// A log that cannot be written must not fail the request.
	_, _ = fmt.Fprintf(j.log, "%s %d %s %s\n", at.Format(time.TimeOnly), status, method, address)
}

// list returns copies of the entries that a filter keeps.
func (j *journal) list(keep func(Entry) bool) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := []Entry{}
	for _, entry := range j.entries {
		if keep(*entry) {
			kept = append(kept, *entry)
		}
	}
	return kept
}

func (j *journal) reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.counts = nil, nil
}
