// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Outcome is the result of a call, as far as it is known.
type Outcome int

// Values of [Outcome].
const (
	// Succeeded means that the service has accepted the request.
	Succeeded Outcome = iota
	// Rejected means that a 4xx has ended the call, and that the request has no effect. If the response is not the
	// service's own, a gateway or a firewall has probably rejected the request.
	Rejected
	// NotFound means 404, 410, 405 or 501. [Error.Own] says whether the service itself has sent the response.
	NotFound
	// Unknown means that a write may have had an effect, or that a read has returned nothing usable.
	Unknown
	// Stopped means that the call ended before it sent the request, or before it repeated the request. No write of the
	// call can have had an effect.
	Stopped
)

// OutcomeOf returns the outcome of a call with this error. An error of another type than [Error] does not show
// whether a request had an effect, so its outcome is Unknown.
func OutcomeOf(err error) Outcome {
	if err == nil {
		return Succeeded
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Outcome
	}
	return Unknown
}

// ErrReadOnly is the reason of a write that was not sent, because the client only reads.
var ErrReadOnly = errors.New("read_only allows GET requests only")

// Error is a call that has failed.
type Error struct {
	Outcome       Outcome
	Method, Route string // the route is a template without IDs
	Address       string // of the request, without the query
	Status        int    // 0 without a usable response
	// Code and Message are members of the body of the response. If the body has no message, Message is the first 300
	// characters of its text (assumption A3), but of a 2xx only if it is a web page. If the body is compressed, Message
	// says so. After a redirect, Message begins with the new address. Both are safe to show.
	Code, Message  string
	ConversationID string
	Own            bool // the response is the service's own (see [Client.isOwn])
	Cached         bool // whether a cache has sent the last response
	Attempts       int
	Elapsed        time.Duration
	Spent          time.Duration // the part of Elapsed that counts for RetryTimeout: attempts, pauses and holds
	// Err is the reason if it is not in the response: a network error, [ErrReadOnly], an invalid ID, the error of
	// Acquire or of request.check, the cause of the context's end, or why a 2xx does not show that a write had an effect.
	// It may be nil.
	Err error
	// First is the error that has ended the run, if this call was stopped for that reason.
	First *Error

	explained atomic.Bool
}

// SetExplained records that a message has explained the error to the user.
func (e *Error) SetExplained() { e.explained.Store(true) }

// IsExplained reports whether a message has explained the error to the user.
func (e *Error) IsExplained() bool { return e.explained.Load() }

// Again returns the error of a call that was not started, because e has ended the run.
func (e *Error) Again() *Error {
	return &Error{Outcome: Stopped, Method: e.Method, Route: e.Route, Address: e.Address, First: e}
}

// Error returns the method, the route without IDs, and why the call failed: the error that has ended the run, the
// reason if there is no response, or otherwise the response and the reason.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s %s: ", e.Method, e.Route)
	switch {
	case e.First != nil:
		return s + "stopped, because the run has ended: " + e.First.Error()
	case e.Status == 0 && e.Err != nil:
		return s + e.Err.Error()
	}
	s += e.StatusLine()
	if !e.Own {
		s += ", probably from a gateway or a firewall"
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns e.Err, which may be nil.
func (e *Error) Unwrap() error { return e.Err }

// StatusLine returns the status with its name, such as "404 Not Found".
func (e *Error) StatusLine() string { return statusLine(e.Status) }

func statusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// ShapeError means that a 2xx of the service does not have the shape of the specification. Reads return it.
type ShapeError struct {
	Method, Route string
	Address       string // of the request, without the query
	Problem       string // the expected and the received shape, safe to show
}

func (e *ShapeError) Error() string { return fmt.Sprintf("%s %s: %s", e.Method, e.Route, e.Problem) }

// IsNotFound reports whether the service itself, not a cache, has answered 404 or 410. Such a response means that the
// resource does not exist, or that the service does not offer the operation.
func IsNotFound(err error) bool { return hasOwnStatus(err, http.StatusNotFound, http.StatusGone) }

// IsNotOffered reports whether the service itself, not a cache, has answered 405 or 501.
func IsNotOffered(err error) bool {
	return hasOwnStatus(err, http.StatusMethodNotAllowed, http.StatusNotImplemented)
}

// IsNoList reports whether the service does not offer a list (assumptions A8 and A9).
func IsNoList(err error) bool { return IsNotFound(err) || IsNotOffered(err) }

// IsOtherKind reports whether the response to a list of packages or skills tests says that the assessment is of another
// kind (assumption A23).
func IsOtherKind(err error) bool {
	return hasOwnStatus(err, http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusMethodNotAllowed)
}

// hasOwnStatus reports whether the service itself, not a cache, has answered with one of the statuses.
func hasOwnStatus(err error, statuses ...int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Own && !e.Cached && slices.Contains(statuses, e.Status)
}
