// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

var inMemory = strings.TrimSuffix(BaseURL, basePath)

// RoundTrip implements [http.RoundTripper]. It answers requests for [BaseURL] in
// memory, without a port or web pages. It returns an error only if the context
// ended before the request arrived, or if the request is for another address.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	body := cmp.Or[io.ReadCloser](r.Body, http.NoBody)
	defer func() { _ = body.Close() }()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if origin := r.URL.Scheme + "://" + r.URL.Host; origin != inMemory {
		return nil, fmt.Errorf("the sandbox answers requests for %s only, not for %s", inMemory, origin)
	}
	arrived, err := arrivedRequest(r, body)
	if err != nil {
		return nil, err
	}
	written := memoryWriter{header: http.Header{}}
	s.ServeHTTP(&written, arrived)
	return written.response(r, arrived.Method), nil
}

// arrivedRequest returns a request as a server reads it from a TLS connection, with the request line that the
// connection would carry.
func arrivedRequest(r *http.Request, body io.ReadCloser) (*http.Request, error) {
	line, err := url.ParseRequestURI(r.URL.RequestURI())
	if err != nil {
		return nil, err
	}
	arrived := r.WithContext(r.Context())
	arrived.Method = cmp.Or(r.Method, http.MethodGet)
	arrived.URL = line
	arrived.Host = r.URL.Host
	arrived.TLS = &tls.ConnectionState{}
	arrived.Body = body
	return arrived, nil
}

// memoryWriter is a [http.ResponseWriter] that keeps the response.
type memoryWriter struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (m *memoryWriter) Header() http.Header                  { return m.header }
func (m *memoryWriter) WriteHeader(status int)               { m.status = status }
func (m *memoryWriter) Write(text []byte) (n int, err error) { return m.body.Write(text) }

// response returns the response in the form in which [http.Transport] returns it.
func (m *memoryWriter) response(r *http.Request, method string) *http.Response {
	response := &http.Response{
		StatusCode: m.status, Status: fmt.Sprintf("%d %s", m.status, http.StatusText(m.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: m.header, Body: http.NoBody, Request: r,
	}
	if hasBody(m.status) && method != http.MethodHead {
		response.ContentLength = int64(m.body.Len())
		response.Body = io.NopCloser(&m.body)
	}
	return response
}
