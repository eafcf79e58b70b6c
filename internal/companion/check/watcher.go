// SPDX-License-Identifier: MPL-2.0

package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
)

// MaxRequests is how many requests a check sends at most.
const MaxRequests = 40

// maxBody is the largest response in bytes that a check reads.
const maxBody = 64 << 20

// exchange is one request and its response.
type exchange struct {
	query   url.Values
	status  int
	header  http.Header
	body    []byte
	address *url.URL
}

// watcher is the transport of a check, below the rate limits. It keeps what the client
// does not show, and ends the check when it must not continue.
type watcher struct {
	next     connection.Transport
	end      func(error) // ends the check for a reason
	requests int
	seen     []exchange // since the last call of take

	limit string // replaces the parameter limit of the next requests, unless it is empty
}

// Reasons to end a check.
var (
	errCredentials = errors.New("the service refuses the credentials")
	errNotJSON     = errors.New("the response is not JSON")
)

// enough is the error for requests beyond MaxRequests.
type enough struct{}

func (enough) Error() string { return fmt.Sprintf("a check sends at most %d requests", MaxRequests) }

// Permanent tells the client not to retry.
func (enough) Permanent() bool { return true }

// take returns the exchanges since the last call.
func (w *watcher) take() []exchange {
	seen := w.seen
	w.seen, w.limit = nil, ""
	return seen
}

// left returns how many requests the check may still send.
func (w *watcher) left() int { return MaxRequests - w.requests }

// RoundTrip implements [http.RoundTripper].
func (w *watcher) RoundTrip(request *http.Request) (*http.Response, error) {
	if w.left() <= 0 {
		return nil, enough{}
	}
	w.requests++
	changed := request.Clone(request.Context())
	query := changed.URL.Query()
	if w.limit != "" && query.Has("limit") {
		query.Set("limit", w.limit)
		changed.URL.RawQuery = query.Encode()
	}
	response, err := w.next.RoundTrip(changed)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	w.seen = append(w.seen,
		exchange{
			query: query, status: response.StatusCode, header: response.Header.Clone(), body: body, address: request.URL,
		})
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		w.end(errCredentials)
	case response.StatusCode/100 == 2 && !assessapi.IsJSON(body, response.Header.Get("Content-Type")):
		w.end(errNotJSON)
	}
	return response, nil
}
