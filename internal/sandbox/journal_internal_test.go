// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"net/http"
	"testing"
)

func TestABoundedJournalForgetsRequestsButCountsThem(t *testing.T) {
	t.Parallel()
	j := journal{keep: 2}
	for _, method := range []string{"GET", "PUT", "POST", "PUT"} {
		r := &request{method: method, path: basePath + RoutePositions, header: http.Header{}}
		j.close(j.open(r, RoutePositions), r, http.StatusTooManyRequests, false, "")
	}
	entries := j.list(func(Entry) bool { return true })
	if len(entries) != 2 || entries[0].Method != "POST" || entries[1].Method != "PUT" {
		t.Errorf("kept %+v", entries)
	}
	if got := j.totals()[routeKey{"PUT", RoutePositions}]; got != (routeCount{Requests: 2, Refused: 2, TooMany: 2}) {
		t.Errorf("counted %+v", got)
	}
}
