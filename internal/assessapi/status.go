// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"net/http"
)

// Class is the kind of an [Error].
type Class int

// Kinds of errors.
const (
	Rejected        Class = iota // any other 4xx: the message of the service says what is wrong
	Unauthorized                 // 401
	Forbidden                    // 403: the key may lack a permission, or the service refuses this change
	NotFound                     // 404, 410
	NotOffered                   // 405, 501: the service does not offer the operation
	Conflict                     // 400, 409: the service refuses the change
	TooManyRequests              // 429
	Redirected                   // 3xx
	ServiceFault                 // any other 5xx
)

// Class returns the kind of the error.
func (e *Error) Class() Class {
	switch status := e.Status; {
	case status == http.StatusUnauthorized:
		return Unauthorized
	case status == http.StatusForbidden:
		return Forbidden
	case IsNotFound(e):
		return NotFound
	case IsNoRoute(e):
		return NotOffered
	case status == http.StatusBadRequest, status == http.StatusConflict:
		return Conflict
	case status == http.StatusTooManyRequests:
		return TooManyRequests
	case status >= 500:
		return ServiceFault
	case status >= 300 && status < 400:
		return Redirected
	default:
		return Rejected
	}
}

// StatusText returns the name of the status, such as "Not Found".
func (e *Error) StatusText() string { return http.StatusText(e.Status) }

// IsSchemeMismatch reports whether a request used https, but the server uses http.
func IsSchemeMismatch(err error) bool { return errors.Is(err, http.ErrSchemeMismatch) }
