// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		return // the asker went away
	}
	arrived := &request{
		method: r.Method, path: r.URL.EscapedPath(), query: r.URL.RawQuery,
		header: r.Header, body: body, origin: originOf(r), tooLarge: err != nil,
	}
	fault := s.faults.take(arrived.method, findTarget(arrived.path).template)
	result, err := s.exchange(r.Context(), arrived, fault)
	if err != nil {
		return
	}
	if result.lost() {
		drop(w, result.fault)
		return
	}
	deliver(r.Context(), w, result)
}

// originOf returns the scheme and host by which the asker reached the service.
func originOf(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// deliver writes an answer, or as much of it as a fault lets through.
func deliver(ctx context.Context, w http.ResponseWriter, result outcome) {
	for name, values := range result.header {
		w.Header()[name] = values
	}
	if result.endless() {
		w.WriteHeader(result.status)
		// Ends with the connection: the only error is that nobody reads any more.
		_, _ = io.Copy(w, &endlessBody{ctx: ctx})
		return
	}
	if !hasBody(result.status) {
		w.WriteHeader(result.status)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(result.body)))
	w.WriteHeader(result.status)
	// A handler that wrote less than it announced makes net/http cut the
	// connection, which is what the asker of a cut body must see.
	_, _ = w.Write(result.sent())
}

// drop ends the connection without an answer.
func drop(w http.ResponseWriter, fault *Fault) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // how net/http is told to break a connection it does not give away
	}
	if tcp, ok := connection.(*net.TCPConn); ok && !fault.Hangup {
		_ = tcp.SetLinger(0) // unsent data is discarded and the peer gets a reset
	}
	_ = connection.Close()
}

func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

func (o outcome) endless() bool { return o.fault != nil && o.fault.Endless }
func (o outcome) cut() bool     { return o.fault != nil && o.fault.CutBody && len(o.body) > 0 }

// sent is the part of the body that reaches the asker.
func (o outcome) sent() []byte {
	if o.cut() {
		return o.body[:len(o.body)/2]
	}
	return o.body
}

// endlessBody is a JSON array that never ends. It stops with its context.
type endlessBody struct {
	ctx     context.Context
	started bool
}

var endlessElements = bytes.Repeat([]byte("0,"), 4096)

func (b *endlessBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if !b.started && len(p) > 0 {
		b.started = true
		p[0] = '['
		return 1, nil
	}
	return copy(p, endlessElements), nil
}
