// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

var inMemory = strings.TrimSuffix(BaseURL, basePath)

// RoundTrip implements [http.RoundTripper]. It answers requests for [BaseURL] in
// memory, without a port. It returns an error only in three cases: the body cannot be
// read, the context ended before the request arrived, or the request is for another
// address.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := ReadBody(r)
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if origin := r.URL.Scheme + "://" + r.URL.Host; origin != inMemory {
		return nil, fmt.Errorf("the embedded service answers requests for %s only, not for %s", inMemory, origin)
	}
	// Use the request line that a connection would carry.
	line, err := url.ParseRequestURI(r.URL.RequestURI())
	if err != nil {
		return nil, err
	}
	arrived := &incomingRequest{
		method: methodOf(r), path: line.EscapedPath(), query: line.RawQuery,
		header: headerOf(r), body: body, origin: inMemory,
	}
	if len(body) > maxBody {
		arrived.unread = bodyProblem(&http.MaxBytesError{Limit: maxBody})
	}
	return s.respond(r.Context(), arrived).httpResponse(r), nil
}

// ReadBody reads and closes the body of a request, as a RoundTripper must.
func ReadBody(r *http.Request) (body []byte, err error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err = io.ReadAll(r.Body)
	if closing := r.Body.Close(); err == nil {
		err = closing
	}
	return body, err
}

func methodOf(r *http.Request) string {
	if r.Method == "" {
		return http.MethodGet
	}
	return r.Method
}

// headerOf returns the request's headers, never nil.
func headerOf(r *http.Request) http.Header {
	if r.Header == nil {
		return http.Header{}
	}
	return r.Header
}

// httpResponse is the response in the form in which [http.Transport] returns it.
func (a response) httpResponse(r *http.Request) *http.Response {
	response := &http.Response{
		StatusCode: a.status, Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: http.NoBody, Request: r,
	}
	if hasBody(a.status) && methodOf(r) != http.MethodHead {
		response.ContentLength = int64(len(a.body))
		response.Header.Set("Content-Length", strconv.Itoa(len(a.body)))
		response.Body = io.NopCloser(bytes.NewReader(a.body))
	}
	return response
}
