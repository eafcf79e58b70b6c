// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRetryPauses checks that pauses double, with jitter, from half a second to half a
// minute.
func TestRetryPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newStub(answers(http.StatusBadGateway, ""))
		_, err := newClient(t, network, func(cfg *Config) { cfg.RetryTimeout = time.Hour }).List(t.Context(), Assessments, "")
		_ = as[*Error](t, err)
		seen := network.arrivals()
		for i, a := range seen[1:] {
			most := min(firstPause<<min(i, 10), longestPause)
			if pause := a.at.Sub(seen[i].at); pause < most/2 || pause > most {
				t.Errorf("pause %d took %s, want between %s and %s", i+1, pause, most/2, most)
			}
		}
	})
}

// TestRetryAfter checks that Retry-After is followed up to a minute, except after a
// 429, when the throttle waits.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status      int
		header      string
		least, most time.Duration
	}{
		{503, "7", 7 * time.Second, 7 * time.Second},
		{503, " 7 ", 7 * time.Second, 7 * time.Second},
		{503, "3600", time.Minute, time.Minute},
		{503, "9223372036854775807", time.Minute, time.Minute},
		{503, "-5", firstPause / 2, firstPause},
		{503, "0", firstPause / 2, firstPause},
		{503, "soon", firstPause / 2, firstPause},
		{503, "NaN", firstPause / 2, firstPause},
		{503, "6.5", 7 * time.Second, 7 * time.Second},
		{503, "Sat, 21 Nov 2026 08:00:09 GMT", 9 * time.Second, 9 * time.Second},
		{503, "Sat, 21 Nov 2026 07:00:00 GMT", firstPause / 2, firstPause},
		{503, "Sun, 21 Nov 2027 08:00:00 GMT", time.Minute, time.Minute},
		{503, "", firstPause / 2, firstPause},
		{429, "7", firstPause / 2, firstPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			network := newStub(answers(tc.status, "", "Retry-After", tc.header, "Date", "Sat, 21 Nov 2026 08:00:00 GMT"),
				answers(http.StatusOK, "[]"))
			if _, err := newClient(t, network).List(t.Context(), Assessments, ""); err != nil {
				t.Fatal(err)
			}
			if pause := time.Since(start); pause < tc.least || pause > tc.most {
				t.Errorf("%d with Retry-After %q: waited %s, want %s to %s", tc.status, tc.header, pause, tc.least, tc.most)
			}
		})
	}
}

// TestObservation checks what a log entry may contain: no ID, no header, no body.
func TestObservation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen []Observation
		network := newStub(
			takes(time.Second, answers(http.StatusBadGateway, "secret words")),
			takes(2*time.Second, answers(http.StatusOK, "<p>secret words</p>")),
			takes(3*time.Second, answers(http.StatusFound, "", "Location", "/v1/moved")),
			takes(4*time.Second, answers(http.StatusOK, wireFile(t, "added.json"))),
		)
		c := newClient(t, network, func(cfg *Config) {
			cfg.Transport = &Attempt{
				Next:    network,
				Timeout: requestTimeout,
				Observe: func(_ context.Context, o Observation) { seen = append(seen, o) },
			}
		})
		if _, err := c.PositionAssessment(t.Context(), "pos-private", "pas-1"); err != nil {
			t.Fatal(err)
		}
		if len(seen) != 4 {
			t.Fatalf("%d observations", len(seen))
		}
		for i, want := range []Observation{
			{Status: 502, Attempt: 1}, {Status: 0, Attempt: 2}, {Status: 302, Attempt: 3}, {Status: 200, Attempt: 3},
		} {
			o := seen[i]
			if o.Status != want.Status || o.Attempt != want.Attempt || o.Method != "GET" || o.Route != positionAssessmentRoute ||
				o.Took != time.Duration(i+1)*time.Second {
				t.Errorf("observed %+v", o)
			}
			if (o.Err != nil) != (want.Status == 0) || o.Err != nil && strings.Contains(o.Err.Error(), "secret") {
				t.Errorf("observed the error %v", o.Err)
			}
		}
	})
}
