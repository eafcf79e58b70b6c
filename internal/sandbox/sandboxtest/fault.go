// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Moment is when a [Fault] happens.
type Moment int

// The effect of a request is what it changes in the state.
const (
	BeforeEffect Moment = iota // the service never handles the request
	AfterEffect                // the service has handled the request, and only its answer is affected
)

// Fault is a failure that affects a request, or a change that another program makes at
// a critical moment. A client sees it as on a real network, both over HTTP and through
// RoundTrip.
type Fault struct {
	// Which requests it affects. "" matches any. A route is a template such as
	// [sandbox.RoutePositions].
	Method, Route string
	Match         func(*http.Request) bool // must also return true, if it is not nil
	Skip          int                      // the number of matching requests that pass first
	Times         int                      // the number of requests that it affects (0: one, negative: all)

	Act   func(*sandbox.State) // changes the state right before the request is handled or rejected
	When  Moment               // when the effects below happen
	Delay time.Duration        // how long it waits at that moment

	// The connection instead of an answer.
	Reject bool // no connection, so nothing reaches the service or its journal (with a port, like Reset)
	Reset  bool // a connection reset

	// The answer. Before the effect, a Status rejects the request. After the effect,
	// each field that is set replaces that part of the service's answer.
	Status  int
	Message string // of a Status that is an error
	Header  http.Header
	Body    []byte // nil means the service's own body; []byte{} means an empty body
}

// rejects reports whether the service never handles the request.
func (f Fault) rejects() bool { return f.When == BeforeEffect && (f.Reset || f.Status != 0) }

// delay returns how long the fault waits at a moment.
func (f Fault) delay(when Moment) time.Duration {
	if f.When != when {
		return 0
	}
	return f.Delay
}

// problem is an error in the shape of the service's own errors.
func (f Fault) problem(conversation string) response {
	return problem(f.Status, conversation, "FAULT", cmp.Or(f.Message, "this is an injected fault"))
}

// change replaces those parts of an answer that the fault sets.
func (f Fault) change(a response) response {
	if f.Status >= http.StatusMultipleChoices {
		a = f.problem(a.header.Get("Conversation-Id"))
	} else if f.Status != 0 {
		a.status = f.Status
	}
	for name, values := range f.Header {
		a.header[http.CanonicalHeaderKey(name)] = values
	}
	if f.Body != nil {
		a.body = f.Body
	}
	return a
}

// Inject adds a fault for a later request.
func (s *Service) Inject(f Fault) {
	if f.Times == 0 {
		f.Times = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// ClearFaults removes the faults that have not happened yet.
func (s *Service) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (f Fault) matches(e *Entry) bool {
	return (f.Method == "" || f.Method == e.Method) && (f.Route == "" || f.Route == e.Route) &&
		(f.Match == nil || f.Match(e.request))
}

// take returns the first fault that matches a request, or none. If a fault still skips
// requests, later faults may match.
func (s *Service) take(e *Entry) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if !f.matches(e) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		f.Times--
		if f.Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return *f
	}
	return Fault{}
}
