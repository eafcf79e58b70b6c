// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"io"
	"maps"
	"net/http"
)

// maxBody is the longest body of a request, in bytes. A position assessment takes hundreds of bytes, and a skills test
// takes a few thousand.
const maxBody = 1 << 20

// crossOrigin detects writes that a browser sends for a page of another origin. The browser may have stored the
// credentials, and no Content-Type is required. Without this check, such a page could attach assessments.
var crossOrigin = http.NewCrossOriginProtection()

// ServeHTTP implements [http.Handler].
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Protect(w.Header())
	c := s.receive(r, "http://"+r.Host, http.MaxBytesReader(w, r.Body, maxBody))
	s.respond(r.Context(), c).write(w)
}

// receive returns r as an incomingCall, with the text of body. The parameter origin is the scheme and host that the
// client used. If the body cannot be read, the call contains the rejection. An unauthorized request must not use
// memory, so receive does not read its body.
func (s *Service) receive(r *http.Request, origin string, body io.Reader) *incomingCall {
	c := &incomingCall{Request: r, target: findTarget(r.URL.EscapedPath()), origin: origin, options: &s.options}
	if c.authorize() != nil {
		return c
	}
	var err error
	if c.body, err = io.ReadAll(body); err != nil {
		c.unread = rejection(http.StatusRequestEntityTooLarge, "BODY_TOO_LARGE",
			"the body cannot be read, or is longer than %d bytes: %v", maxBody, err)
	}
	return c
}

// Protect sets the headers that protect a response or a page in a browser. Responses and pages contain links that sign
// people in, so browsers must not store a response, send its address to other sites, or guess its media type.
func Protect(header http.Header) {
	header.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	// "no-referrer" would make browsers send our forms with a null Origin.
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
}

// write sends the response over a connection.
func (r response) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), r.header)
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body) // the only possible error is that the client has disconnected
}
