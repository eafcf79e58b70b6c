// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// createdID returns the id of the object that a POST to r has created: that of the body, or the
// last segment of the Location header or of the self link. Without an id, the error is a
// [LostError], because the object exists.
func (c *Client) createdID(r apiRoute, a *answer, id string, self *string) (string, error) {
	if isSegment(id) {
		return id, nil
	}
	addresses := []string{a.header.Get("Location")}
	if self != nil {
		addresses = append(addresses, *self)
	}
	for _, address := range addresses {
		// It may be the address of the collection or of its parent.
		if id := lastSegment(address); isSegment(id) && !slices.Contains(strings.Split(r.path, "/"), url.PathEscape(id)) {
			return id, nil
		}
	}
	if unsure := c.unsure(apiRequest{method: http.MethodPost, route: r}, a, ""); unsure != nil && isWebPage(a.body) {
		return "", &LostError{Refused: true, Err: unsure}
	}
	return "", &LostError{Accepted: true, Err: c.shapeError(http.MethodPost, r,
		fmt.Sprintf("status %d, but neither the body nor the Location header contains the new ID", a.status))}
}

// lastSegment returns the last segment of the path of an address, decoded. It is "." if the path is empty.
func lastSegment(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	id, _ := url.PathUnescape(path.Base(strings.TrimRight(u.EscapedPath(), "/"))) // EscapedPath is always valid
	return id
}

// LostError means that an object may have been created, but that no usable response
// arrived. If the request is sent again, the object may exist twice.
type LostError struct {
	// Settles is how long the service may still work on the request. It is above 0 unless there is
	// an answer that does not report a fault.
	Settles time.Duration
	// Refused is whether an answer that may not come from the service refuses the request, or means nothing. If the
	// request had no effect, it is not sent again.
	Refused bool
	// Accepted is whether the service has answered that the object was created, but without
	// its id.
	Accepted bool
	// Vain is whether other requests have failed in the same way for too long, so that it is not sent again.
	Vain bool
	Err  error
}

// Looks is how often to look for an effect before it is certain that there is none. If the service
// may still work on the request, one look is not enough.
func (e *LostError) Looks() int {
	if e.Settles > 0 {
		return 3
	}
	return 2
}

// Believes reports whether the answer can be believed although nothing has confirmed it. It refuses the
// request, and the service never signs its answers.
func (e *LostError) Believes() bool {
	return e.Refused && !e.Accepted && !IsForeign(e.Err) && errors.As(e.Err, new(*Error))
}

// InTotal returns the error that arrived instead of a response. It says how often the request was sent, and
// how long that took.
func (e *LostError) InTotal(attempts int, elapsed time.Duration) error {
	if refused, ok := errors.AsType[*Error](e.Err); ok {
		refused.Attempts, refused.Elapsed = attempts, elapsed
	} else if call, ok := errors.AsType[*CallError](e.Err); ok {
		call.Attempts, call.Elapsed = attempts, elapsed
	}
	return e.Err
}

// Settle waits until the service can no longer be working on the request. If that time is
// not known, it waits longer after each attempt. It returns the error of the context.
func (e *LostError) Settle(ctx context.Context, attempts int) error {
	return Wait(ctx, max(e.Settles, pauseAfter(attempts)))
}

func (e *LostError) Error() string { return e.Err.Error() }

// Unwrap returns the error that arrived instead of a response.
func (e *LostError) Unwrap() error { return e.Err }

// lost returns a [LostError] if a request may have had an effect. It returns err itself
// if the service refused the request, or if the request was never sent.
func (c *Client) lost(sent apiRequest, err error) error {
	refused, answered := errors.AsType[*Error](err)
	call, failed := errors.AsType[*CallError](err)
	switch {
	case errors.As(err, new(*RepeatedError)):
		return err // not sent
	case failed && call.Sent, answered && mayHaveEffect(refused.Status):
		return &LostError{Err: err, Settles: c.cfg.RequestTimeout, Vain: c.health.isOver(sent.operation())}
	case !answered, refused.IsOwn(), refused.Status < 400,
		refused.Status == http.StatusUnauthorized, refused.Status == http.StatusTooManyRequests:
		return err
	}
	return &LostError{Err: err, Refused: true} // a firewall can also withhold the service's answer
}

// mayHaveEffect reports whether the service may still work on a request that was answered with this status, because
// only a gateway gave up waiting. Some gateways use 499 for that.
func mayHaveEffect(status int) bool {
	return status >= 500 || status == http.StatusRequestTimeout || status == 499
}
