// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// traffic counts the requests for the overview page and logs them. It keeps no
// request, so its memory does not grow with the number of requests.
type traffic struct {
	mu     sync.Mutex
	counts map[routeKey]routeCount
	log    io.Writer // nil disables the log
}

type routeKey struct{ method, route string }

// routeCount counts the requests to one route, by outcome.
type routeCount struct{ Requests, Refused, TooMany int }

// countedMethods are the methods with counters of their own. Other methods share one,
// because clients can invent methods.
var countedMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
	http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// count records the answer to a request for a route. "" is an unknown route.
func (t *traffic) count(method, route string, status int) {
	if !slices.Contains(countedMethods, method) {
		method = "(other)"
	}
	key := routeKey{method, route}
	t.mu.Lock()
	defer t.mu.Unlock()
	count := t.counts[key]
	count.Requests++
	if status >= http.StatusBadRequest {
		count.Refused++
	}
	if status == http.StatusTooManyRequests {
		count.TooMany++
	}
	if t.counts == nil {
		t.counts = map[routeKey]routeCount{}
	}
	t.counts[key] = count
}

// totals returns a copy of the counts.
func (t *traffic) totals() map[routeKey]routeCount {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.counts)
}

// maxLogged limits how much of a method and of an address is logged, in bytes.
const maxLogged = 200

// print writes a line to the log. Text from a client is written in printable ASCII,
// because the log is read in a terminal.
func (t *traffic) print(method, address string, status int) {
	if t.log == nil {
		return
	}
	request := method + " " + address
	if len(request) > maxLogged {
		request = request[:maxLogged] + "..."
	}
	request = strconv.QuoteToASCII(request)
	t.mu.Lock()
	defer t.mu.Unlock()
	// A log that cannot be written must not fail the request.
	_, _ = fmt.Fprintf(t.log, "%s %d %s\n", time.Now().Format(time.TimeOnly), status, request[1:len(request)-1])
}
