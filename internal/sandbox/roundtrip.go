// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// ownOrigin is the origin of [BaseURL].
var ownOrigin = strings.TrimSuffix(BaseURL, basePath)

// RoundTrip implements [http.RoundTripper]. It answers requests for [BaseURL] in this process, without a port.
// It returns an error only if the context ended before the request arrived, or if the request is for another origin.
// If anything else fails, such as reading the state file, it returns a response with an error status.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	body := cmp.Or[io.ReadCloser](r.Body, http.NoBody)
	defer func() { _ = body.Close() }()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if origin := r.URL.Scheme + "://" + r.URL.Host; origin != ownOrigin {
		return nil, fmt.Errorf("the sandbox answers requests for %s only, not for %s", ownOrigin, origin)
	}
	resp := s.respond(r.Context(), s.receive(r, ownOrigin, http.MaxBytesReader(nil, body, maxBody)))
	return &http.Response{
		StatusCode: resp.status, Status: fmt.Sprintf("%d %s", resp.status, http.StatusText(resp.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: resp.header, ContentLength: int64(len(resp.body)), Body: io.NopCloser(bytes.NewReader(resp.body)), Request: r,
	}, nil
}
