// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Moment is when a [Fault] strikes.
type Moment int

// The effect of a request is what it changes in the state.
const (
	BeforeEffect Moment = iota // the service never works on the request
	AfterEffect                // the service has worked on it; only the answer suffers
)

func (m Moment) String() string {
	if m == AfterEffect {
		return "after the effect"
	}
	return "before the effect"
}

// Fault is something that goes wrong with a request, or a rival who acts at a
// bad moment. It does to the transport what a real network does: over HTTP as
// through RoundTrip.
type Fault struct {
	Name string // shown in the journal; "" describes what it does

	// Which requests it meets: "" matches any, a route is a template.
	Method, Route string
	Skip          int // lets that many pass first
	Times         int // strikes that often; 0 is once, negative for ever

	Act   func(*State)  // changes the state right before the request is handled or refused
	When  Moment        // when all that follows happens
	Delay time.Duration // waits at that moment

	// The connection instead of an answer.
	Refuse bool // it never stood: nothing reaches the service or its journal (RoundTrip alone, else as Reset)
	Reset  bool // a connection reset
	Hangup bool // an orderly end of the connection where an answer was due

	// The answer. Before the effect a Status refuses the request. After it,
	// what is set replaces that part of the service's own answer.
	Status int
	Header http.Header
	Body   []byte // nil: the service's own words; []byte{}: an empty body

	// The way back.
	CutBody bool // half of the body that Content-Length announced
	Endless bool // a body of JSON that never ends
}

func (f *Fault) describe() string {
	if f == nil {
		return ""
	}
	if f.Name != "" {
		return f.Name
	}
	words := []string{}
	for _, part := range []struct {
		is   bool
		word string
	}{
		{f.Act != nil, "rival"},
		{f.Delay > 0, "delay of " + f.Delay.String()},
		{f.Refuse, "connection refused"},
		{f.Reset, "connection reset"},
		{f.Hangup, "connection closed"},
		{f.Status != 0, fmt.Sprintf("status %d", f.Status)},
		{f.Body != nil, "another body"},
		{f.CutBody, "body cut short"},
		{f.Endless, "endless body"},
	} {
		if part.is {
			words = append(words, part.word)
		}
	}
	moment := f.When
	if !f.refuses() && (f.Body != nil || f.CutBody || f.Endless) {
		moment = AfterEffect // an answer can only suffer where there is one
	}
	return strings.Join(words, ", ") + " " + moment.String()
}

// refuses reports whether the service never comes to work on the request.
func (f *Fault) refuses() bool {
	return f != nil && (f.Refuse || f.When == BeforeEffect && (f.Reset || f.Hangup || f.Status != 0))
}

// replace puts the fault's parts in the place of the answer's own.
func (f *Fault) replace(a answer) answer {
	if f.Status != 0 {
		a.status = f.Status
	}
	a.header = a.header.Clone()
	for name, values := range f.Header {
		a.header[http.CanonicalHeaderKey(name)] = values
	}
	if f.Body != nil {
		a.body = f.Body
	}
	return a
}

// faults are those that wait for their request.
type faults struct {
	mu      sync.Mutex
	waiting []*Fault
}

func (fs *faults) add(f Fault) {
	if f.Times == 0 {
		f.Times = 1
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.waiting = append(fs.waiting, &f)
}

// take returns the fault that a request meets, or nil. The first that matches
// strikes; one that still skips lets those behind it have the request.
func (fs *faults) take(method, template string) *Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for i, f := range fs.waiting {
		if f.Method != "" && f.Method != method || f.Route != "" && f.Route != template {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		struck := *f
		if f.Times > 0 {
			f.Times--
		}
		if f.Times == 0 {
			fs.waiting = slices.Delete(fs.waiting, i, i+1)
		}
		return &struck
	}
	return nil
}

func (fs *faults) clear() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.waiting = nil
}
