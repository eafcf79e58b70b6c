// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestTrafficIsCountedInBoundedMemory(t *testing.T) {
	t.Parallel()
	var counted traffic
	for range 2 {
		counted.count(http.MethodPut, RoutePositions, http.StatusTooManyRequests)
	}
	for n := range 100 {
		counted.count(fmt.Sprintf("METHOD-%d", n), RoutePositions, http.StatusMethodNotAllowed)
	}
	totals := counted.totals()
	if got := totals[routeKey{"PUT", RoutePositions}]; got != (routeCount{Requests: 2, Refused: 2, TooMany: 2}) {
		t.Errorf("counted %+v", got)
	}
	if got := totals[routeKey{"(other)", RoutePositions}]; got.Requests != 100 || len(totals) != 2 {
		t.Errorf("%d counters: %+v", len(totals), totals)
	}
}

// A log is read in a terminal, which must not obey a client.
func TestLogIsPrintable(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logged := traffic{log: &log}
	logged.print("GET", "/\u009b31m\n\x00é"+strings.Repeat("x", 10_000), http.StatusNotFound)
	unclean := func(r rune) bool { return r < ' ' || r > '~' }
	line, isLine := strings.CutSuffix(log.String(), "\n")
	if !isLine || strings.ContainsFunc(line, unclean) || len(line) > 2*maxLogged || !strings.Contains(line, "404 GET /") {
		t.Errorf("logged %q", log.String())
	}
}
