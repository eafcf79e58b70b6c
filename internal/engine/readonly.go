// SPDX-License-Identifier: MPL-2.0

package engine

import "net/http"

// ReadOnlyError says that a write was refused because the provider is read-only.
// Nothing was sent.
type ReadOnlyError struct{ Method string }

func (e *ReadOnlyError) Error() string {
	return "the provider is read-only, so " + e.Method + " was not sent"
}

// Permanent says that sending the request again cannot help.
func (e *ReadOnlyError) Permanent() bool { return true }

// readOnly refuses every request that is not a GET. It is below retry and above
// the throttle, where every request passes.
type readOnly struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (r readOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		if req.Body != nil {
			_ = req.Body.Close() // as a RoundTripper must
		}
		return nil, &ReadOnlyError{Method: req.Method}
	}
	return r.next.RoundTrip(req)
}
