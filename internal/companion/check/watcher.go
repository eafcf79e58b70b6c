// SPDX-License-Identifier: MPL-2.0

package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// MaxRequests is how many requests a check sends at most.
const MaxRequests = 40

// Maximum number of successful requests for one list. Five requests read three pages, because the client reads the
// previous page again after each page.
const (
	maxReadsOfList       = 5
	maxReadsOfSmallPages = 2 // if the check sets the page size
)

// maxBody is the largest response in bytes that a check reads.
const maxBody = 64 << 20

// exchange is one request and its response.
type exchange struct {
	address *url.URL
	status  int
	header  http.Header
	body    []byte
}

func (x exchange) succeeded() bool { return x.status/100 == 2 }

// watcher is the transport of a check, below the rate limits. It records requests and responses, which the client does
// not return, and limits the number of requests.
type watcher struct {
	next     http.RoundTripper
	endCheck func(error) // ends the check for a reason
	requests int

	// Of the current call of the client.
	pageSize  string      // replaces the parameter "limit", unless it is empty
	isProbe   bool        // whether the call ends instead of repeating a request after a 5xx (errProbe)
	endCall   func(error) // ends the call for a reason
	exchanges []exchange
}

var (
	errMaxRequests = fmt.Errorf("a check sends at most %d requests", MaxRequests)
	errMaxReads    = errors.New("a check does not read more of this list")
	errProbe       = errors.New("the service fails on a request that it may not expect")
)

// left returns how many requests the check may still send.
func (w *watcher) left() int { return MaxRequests - w.requests }

// RoundTrip implements [http.RoundTripper]. It sends a request with the page size of the current call, and records it
// if the whole response has arrived. If the request would exceed a limit, it ends the check or the call instead, and
// returns errMaxRequests or errMaxReads. If the request would repeat a probe after a 5xx, it ends the call instead, and
// returns errProbe. The client gets at most maxBody bytes of a body.
func (w *watcher) RoundTrip(request *http.Request) (*http.Response, error) {
	if w.left() <= 0 {
		w.endCheck(errMaxRequests)
		return nil, errMaxRequests
	}
	reads := w.reads()
	if reads >= maxReadsOfList || w.pageSize != "" && reads >= maxReadsOfSmallPages {
		w.endCall(errMaxReads)
		return nil, errMaxReads
	}
	if w.isProbe && w.hasFailed() {
		w.endCall(errProbe) // many repetitions would end the client
		return nil, errProbe
	}
	w.requests++
	sent := w.withPageSize(request)
	response, err := w.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	w.exchanges = append(w.exchanges, exchange{
		address: sent.URL,
		status:  response.StatusCode,
		header:  response.Header.Clone(),
		body:    bytes.TrimPrefix(body, []byte("\uFEFF")), // a byte order mark, which the client ignores, too
	})
	return response, nil
}

// withPageSize returns a copy of a request. If the request has the parameter "limit", and the current call has a page
// size, the copy has this page size.
func (w *watcher) withPageSize(request *http.Request) *http.Request {
	changed := request.Clone(request.Context())
	query := changed.URL.Query()
	if w.pageSize != "" && query.Has("limit") {
		query.Set("limit", w.pageSize)
		changed.URL.RawQuery = query.Encode()
	}
	return changed
}

// hasFailed reports whether the last response of the current call is a 5xx.
func (w *watcher) hasFailed() bool {
	n := len(w.exchanges)
	return n > 0 && w.exchanges[n-1].status >= http.StatusInternalServerError
}

// reads returns how many requests of the current call have succeeded. Repetitions of a request count once, because the
// client repeats it only if it does not accept the response.
func (w *watcher) reads() (n int) {
	last := ""
	for _, x := range w.exchanges {
		if address := x.address.String(); x.succeeded() && address != last {
			n++
			last = address
		}
	}
	return n
}
