// SPDX-License-Identifier: MPL-2.0

package connection

import "net/http"

// ReadOnlyError means that the provider is read-only and a write was not sent.
type ReadOnlyError struct{ Method string }

func (e *ReadOnlyError) Error() string {
	return "the provider is read-only, so " + e.Method + " was not sent"
}

// Permanent reports that another attempt cannot succeed.
func (e *ReadOnlyError) Permanent() bool { return true }

// readOnly refuses each request that is not a GET. It is inside retry and outside the
// throttle, where all requests pass.
type readOnly struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (r readOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		if req.Body != nil {
			_ = req.Body.Close() // as required of a RoundTripper
		}
		return nil, &ReadOnlyError{Method: req.Method}
	}
	return r.next.RoundTrip(req)
}
