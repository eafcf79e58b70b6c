// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestUnknownAssumptionsPanic(t *testing.T) {
	t.Parallel()
	service := sandboxtest.NewService(t, sandboxtest.Options{})
	defer func() {
		if recover() == nil {
			t.Error("an unknown value was accepted")
		}
	}()
	service.Assume(sandboxtest.Assumptions{Errors: "htlm"})
}

func TestShapesOfTheRateLimit(t *testing.T) {
	t.Parallel()
	for a, wants := range map[sandboxtest.Assumptions][]string{ // Retry-After after 0.6, 1.1 and 1.6 seconds
		{}:                   {"1", "200", "200"},
		{RetryAfter: "none"}: {"", "200", "200"},
		{RetryAfter: "hour"}: {"3600", "200", "200"},
		{RetryAfter: "date"}: {"Sat, 01 Jan 2000 00:00:02 GMT", "200", "200"}, // rounded up to a whole second
		{WholeFrame: true}:   {"1", "1", "200"},
	} {
		synctest.Test(t, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{Assumptions: a})
			for range 20 {
				sandboxtest.Ask(t, service, http.MethodGet, "/positions", "").Want(t, 200)
			}
			for i, want := range wants {
				time.Sleep([]time.Duration{600, 500, 500}[i] * time.Millisecond)
				got := sandboxtest.Ask(t, service, http.MethodGet, "/positions", "")
				after := got.Header.Get("Retry-After")
				if got.Status != http.StatusTooManyRequests {
					after = fmt.Sprint(got.Status)
				}
				if after != want {
					t.Errorf("%s, request %d: Retry-After %q, want %q", a, i, after, want)
				}
			}
		})
	}
}
