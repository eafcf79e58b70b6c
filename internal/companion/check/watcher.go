// SPDX-License-Identifier: MPL-2.0

package check

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// MaxRequests is how many requests a check sends at most.
const MaxRequests = 40

// mostOfList is how many requests a check sends for one list at most: the first three pages. The client reads the page
// before again after each page.
const mostOfList = 5

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
	next     http.RoundTripper
	end      func(error) // ends the check for a reason
	endCall  func(error) // ends the call of the client for a reason
	requests int
	seen     []exchange // since the last call of take

	limit string // replaces the parameter limit of the next requests, unless it is empty
	most  int    // requests that succeed in the next call. Zero means mostOfList
}

// enough is the error for requests beyond MaxRequests.
type enough struct{}

func (enough) Error() string { return fmt.Sprintf("a check sends at most %d requests", MaxRequests) }

// enoughPages is the error for more pages of a list than a check reads.
type enoughPages struct{}

func (enoughPages) Error() string { return "a check does not read more of this list" }

// take returns the exchanges since the last call.
func (w *watcher) take() []exchange {
	seen := w.seen
	w.seen, w.limit, w.most = nil, "", 0
	return seen
}

// left returns how many requests the check may still send.
func (w *watcher) left() int { return MaxRequests - w.requests }

// RoundTrip implements [http.RoundTripper].
func (w *watcher) RoundTrip(request *http.Request) (*http.Response, error) {
	switch {
	case w.left() <= 0:
		w.end(enough{})
		return nil, enough{}
	case w.pages() >= cmp.Or(w.most, mostOfList):
		w.endCall(enoughPages{})
		return nil, enoughPages{}
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
	return response, nil
}

// pages returns how many requests of this call have succeeded.
func (w *watcher) pages() (n int) {
	for _, x := range w.seen {
		if x.status/100 == 2 {
			n++
		}
	}
	return n
}
