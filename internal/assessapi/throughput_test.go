// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// keyWindows are the limits of an API key (x-rate-limits of the contract).
var keyWindows = []throttle.Window{
	{Name: "20 requests a second", Limit: 20, Per: time.Second},
	{Name: "500 requests a minute", Limit: 500, Per: time.Minute},
}

// minDuration returns how long n requests take at least within the limits. The windows
// are full from the start, and the last request takes one round trip.
func minDuration(n int, roundTrip time.Duration) time.Duration {
	minutes, seconds := (n-1)/keyWindows[1].Limit, (n-1)%keyWindows[1].Limit/keyWindows[0].Limit
	return time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second + roundTrip
}

// TestThroughput sends 300 requests from 10 callers through the whole client to a
// service that counts. No request may be refused, and the requests may take at most 10%
// longer than the limits require.
func TestThroughput(t *testing.T) {
	t.Parallel()
	const callers, calls, roundTrip = 10, 30, 50 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{Latency: roundTrip})
		c := newClient(t, nil, func(cfg *Config) {
			cfg.Transport = throttle.New(throttle.Config{
				Next: &Attempt{Next: service, Timeout: requestTimeout}, MaxInFlight: requestTimeout + time.Second,
				Windows: func(*http.Request) []throttle.Window { return keyWindows },
			})
			cfg.Timeout = throttle.WithTimeout
		})
		start := time.Now()
		var group sync.WaitGroup
		for range callers {
			group.Go(func() {
				for range calls {
					if _, err := c.Assessments(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		took, least := time.Since(start), minDuration(callers*calls, roundTrip)
		refused := 0
		for _, entry := range service.Journal() {
			if entry.Status != http.StatusOK {
				refused++
			}
		}
		t.Logf("%d requests from %d callers took %s, %.3f of the minimum of %s; %d refused",
			callers*calls, callers, took, took.Seconds()/least.Seconds(), least, refused)
		if n := service.Count("", ""); n != callers*calls || refused > 0 {
			t.Errorf("%d requests reached the service, %d of them refused; want %d and none", n, refused, callers*calls)
		}
		if took.Seconds() > 1.10*least.Seconds() {
			t.Errorf("took %s, more than 1.10 of the minimum of %s", took, least)
		}
	})
}
