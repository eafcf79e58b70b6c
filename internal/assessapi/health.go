// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// mistakeTime is how long calls retry an error that is probably a mistake in the address, while the service
	// has not answered in this run.
	mistakeTime = 10 * time.Second
	// firstRequests is how many requests are in progress at once until the service has answered one.
	firstRequests = 2
	// RestTime is how long no request is sent after an outage has lasted for too long, and another request has
	// failed.
	RestTime = 5 * time.Second
	// outageGap is the longest time between two failures of one outage.
	outageGap = 2 * time.Minute
)

// FirstError means that the service refuses the credentials or cannot be reached, or that the transport sends no more
// requests, and that this call is the first one that returns this error.
type FirstError struct{ Err error }

func (e *FirstError) Error() string { return e.Err.Error() }

// Unwrap returns what happened.
func (e *FirstError) Unwrap() error { return e.Err }

// Repeated returns the error for a caller that has waited for the call of another one, which returns err itself: a
// [RepeatedError] instead of a [FirstError].
func Repeated(err error) error {
	if first, ok := errors.AsType[*FirstError](err); ok {
		return &RepeatedError{first.Err}
	}
	return err
}

// RepeatedError means that another call has already returned this error as a [FirstError]. The request was not sent, or
// failed for the same reason.
type RepeatedError struct{ Err error }

func (e *RepeatedError) Error() string {
	return fmt.Sprintf("an earlier request of this run has failed for the same reason: %v", e.Err)
}

// Unwrap returns the error of the first call.
func (e *RepeatedError) Unwrap() error { return e.Err }

// Permanent reports that another attempt has the same result.
func (e *RepeatedError) Permanent() bool { return true }

// StopsRun reports whether an error is about the whole run instead of one request.
func StopsRun(err error) bool {
	return errors.As(err, new(*FirstError)) || errors.As(err, new(*RepeatedError))
}

// health is what all calls of a run know together about the service: whether it refuses the credentials, and since when
// it cannot be reached. So all calls wait for the end of an outage together, once. An outage can also affect only one
// operation. For example, during maintenance, a service may answer only reads.
type health struct {
	retryTimeout time.Duration
	answered     atomic.Bool // whether the service has accepted the credentials
	first        turnstile   // for requests in progress before the first answer
	probing      turnstile   // for the request that finds out whether an outage has ended
	confirming   turnstile   // for the request that finds out whether a 403 refuses the credentials

	mu        sync.Mutex
	allowed   apiRoute           // of a read that the service has answered in this run, see [health.returned]
	refused   error              // why the service does not accept the credentials
	reported  bool               // whether a call has returned refused
	lost      error              // why the transport sends no more requests
	forbidden map[string]bool    // methods and routes whose 403 does not refuse the credentials
	whole     outage             // of all operations
	partial   map[string]*outage // of one operation, see [apiCall.operation]
}

// outage is a time in which no request succeeds.
type outage struct {
	since time.Time // of the first failure, zero if there is none
	last  time.Time // of the last failure
	over  error     // the error of the call that waited for the end of the outage until its time was over
}

// fail notes a failure.
func (o *outage) fail(began, now time.Time) {
	if o.since.IsZero() || now.Sub(o.last) > outageGap {
		o.since = began
	}
	o.last = now
}

// lasts reports whether the outage has begun, and has lasted for a time.
func (o *outage) lasts(least time.Duration) bool {
	return !o.since.IsZero() && time.Since(o.since) >= least
}

// outages returns the outages that affect an operation.
func (h *health) outages(operation string) [2]*outage {
	partial := h.partial[operation]
	if partial == nil {
		partial = &outage{}
		h.partial[operation] = partial
	}
	return [2]*outage{&h.whole, partial}
}

// over returns an outage of an operation that has lasted for too long, or one that has not begun.
func (h *health) over(operation string) outage {
	for _, o := range h.outages(operation) {
		if o.over != nil {
			return *o
		}
	}
	return outage{}
}

// isOver reports whether an outage of an operation has lasted for too long.
func (h *health) isOver(operation string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over(operation).over != nil
}

func newHealth(retryTimeout time.Duration) *health {
	return &health{
		retryTimeout: retryTimeout, forbidden: map[string]bool{}, partial: map[string]*outage{},
		first: make(turnstile, firstRequests), probing: make(turnstile, 1), confirming: make(turnstile, 1),
	}
}

// enter waits until a call may send its request. The caller calls leave afterwards. The error is a
// [RepeatedError]. A call inside another one does not wait, because that one has entered.
func (h *health) enter(ctx context.Context, operation string) (leave func(), err error) {
	if callOf(ctx) != nil {
		return func() {}, nil
	}
	leaveFirst := h.first.pass(ctx, func() bool { return !h.answered.Load() })
	leaveProbing := h.probing.pass(ctx, func() bool { return h.isOver(operation) })
	leave = func() {
		leaveProbing()
		leaveFirst()
	}
	err = h.stop()
	h.mu.Lock()
	ended := h.over(operation)
	h.mu.Unlock()
	if err == nil && ended.over != nil && time.Since(ended.last) < RestTime {
		err = &RepeatedError{ended.over}
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// observe notes the result of an attempt of a call. It reports whether the call must not be retried, because it is
// part of an outage that has lasted for too long.
func (h *health) observe(err error, call *apiCall) (ends bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !isOutage(err) {
		h.end(call.operation())
		if !says(err, 401, 403, 407, 429) {
			h.answered.Store(true)
		}
		return false
	}
	least := h.retryTimeout
	if !h.answered.Load() && isMistake(err) {
		least = min(mistakeTime, h.retryTimeout) - shortestPause(call.number-1) + 1 // the pause before the next attempt
	}
	for _, o := range h.outages(call.operation()) {
		o.fail(call.began, time.Now())
		ends = ends || o.over != nil || o.lasts(least)
	}
	return ends
}

// end notes that an operation is not affected by an outage.
func (h *health) end(operation string) {
	for _, o := range h.outages(operation) {
		*o = outage{}
	}
}

// refuse stores why the service refuses the credentials, and returns the error that the run should report: the first
// one is complete, and later ones are short.
func (h *health) refuse(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reported {
		return &RepeatedError{h.refused}
	}
	h.refused, h.reported = err, true
	return &FirstError{err}
}

// lose returns the error to report if the transport sends no more requests: complete the first time, and then short.
func (h *health) lose(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost != nil {
		return &RepeatedError{h.lost}
	}
	h.lost = err
	return &FirstError{err}
}

// giveUp returns the error that a run reports if no retry of a call was successful. The first error of an outage is
// complete, and later ones are short. The error of a POST is always complete, because it says whether the request was
// sent.
func (h *health) giveUp(err error, r apiRequest) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	least := max(h.retryTimeout-longestPause, h.retryTimeout*3/4)
	if !h.answered.Load() && isMistake(err) {
		least = min(least, mistakeTime/2)
	}
	before := h.over(r.operation()).over
	lasts := false
	for _, o := range h.outages(r.operation()) {
		if o.lasts(least) {
			lasts = true
			o.over = cmp.Or(o.over, err)
		}
	}
	switch {
	case r.method == http.MethodPost, !lasts:
		return err
	case before == nil:
		return &FirstError{err}
	}
	return &RepeatedError{before}
}

// stop returns a [RepeatedError] if the service has refused the credentials, for a call that may have waited.
func (h *health) stop() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refused == nil {
		return nil
	}
	return &RepeatedError{h.refused}
}

// reject records a 401 before its slot of the rate limits is free for the next request, and before its call stores it.
func (h *health) reject() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused = cmp.Or[error](h.refused, &Error{Status: http.StatusUnauthorized})
}

// isMistake reports whether an error is probably caused by a wrong address: the host does not exist, or nothing
// listens there.
func isMistake(err error) bool {
	dns, unresolved := errors.AsType[*net.DNSError](err)
	return unresolved && dns.IsNotFound || neverConnected(err) && errors.Is(err, syscall.ECONNREFUSED)
}

// isTLSMistake reports whether an error means that the server does not use TLS, rejects the handshake, or has a
// certificate that is not trusted.
func isTLSMistake(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError)) ||
		errors.Is(err, http.ErrSchemeMismatch) || isRefusedByAlert(err)
}

// returned notes that the service has returned what a call reads. Lists of the organization take precedence, because
// each object can be deleted. Results do not count, because they are large and contain personal data.
func (h *health) returned(read apiRoute) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if read.isList() || !h.allowed.isList() && read.template != resultsRoute {
		h.allowed = read
	}
}

// confirmForbidden finds out whether a 403 refuses the credentials, and not only one request: another read gets a 403,
// too, although the service has allowed it earlier in this run. Without such a read, the 403 of a write proves nothing,
// because a rule of the service may forbid it, and that of a read is compared with a list. If the credentials
// are refused, nothing more is sent in this run.
func (c *Client) confirmForbidden(ctx context.Context, r apiRequest, forbidden error) error {
	h, what := c.health, r.method+" "+r.route.template
	defer h.confirming.pass(ctx, func() bool { return true })()
	switch err := h.stop(); {
	case err != nil && r.method == http.MethodPost:
		return forbidden // the request was sent, which a repeated error would deny
	case err != nil:
		return err
	}
	h.mu.Lock()
	known, other := h.forbidden[what], h.allowed
	h.mu.Unlock()
	isRead := r.method == http.MethodGet
	switch {
	case ctx.Err() != nil, known, other.path == "" && !isRead:
		return forbidden
	}
	for _, list := range []string{"/assessments", "/positions"} {
		if other.path == "" || isRead && other.path == r.route.path {
			other = newRoute(list)
		}
	}
	_, err := c.send(ctx, apiRequest{method: http.MethodGet, route: other})
	if says(err, http.StatusForbidden, http.StatusUnauthorized) {
		return h.refuse(forbidden)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forbidden[what] = true
	return forbidden
}
