// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"errors"
	"io"
	"net/http"
	"strconv"
)

// maxBody is the longest request body, in bytes.
const maxBody = 4 << 20

// ServeHTTP answers over a real connection. Outside the base path it shows
// pages for people.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.servePage(w, r) {
		return
	}
	arrived := &request{
		method: r.Method, path: r.URL.EscapedPath(), query: r.URL.RawQuery,
		header: r.Header, origin: originOf(r),
	}
	// A request with wrong credentials must not cost memory: its body is not read.
	if arrived.mayEnter() == nil {
		var tooLarge *http.MaxBytesError
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil && !errors.As(err, &tooLarge) {
			return // the client went away
		}
		arrived.body, arrived.tooLarge = body, err != nil
	}
	s.answer(r.Context(), arrived).write(w)
}

// write sends the answer over a connection.
func (a answer) write(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if hasBody(a.status) {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	// The only error is a client that went away.
	_, _ = w.Write(a.body)
}

// originOf returns the scheme and host by which the client reached the service.
func originOf(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}
