// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"net/http"
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
