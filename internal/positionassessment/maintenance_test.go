// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// During maintenance, a service answers only reads. All creations together wait once for the end. When it has ended,
// creations succeed again.
func TestMaintenanceIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const parallelism = 10
		service := newService(t, sandboxtest.Assumptions{})
		down := true
		e := applying(t, service, false, func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost && down {
				return says(http.StatusServiceUnavailable, "read only", "Conversation-Id", "conv-1")(r)
			}
			return nil, nil
		})
		var creations []Creation
		for _, p := range service.State(t).Positions {
			for _, assessment := range []string{"asm-hardhat", "asm-hardhat-short", "asm-lattice", "asm-tally", "asm-margin"} {
				creations = append(creations, Creation{Position: p.ID, Assessment: assessment})
			}
		}
		next := make(chan Creation)
		var all sync.WaitGroup
		start := time.Now()
		for range parallelism {
			all.Go(func() {
				for c := range next {
					if _, err := of(e).Attach(t.Context(), c, profileNeeds{}); err == nil {
						t.Errorf("%v was attached", c)
					}
				}
			})
		}
		for _, c := range creations[1:] {
			next <- c
		}
		close(next)
		all.Wait()
		const once = time.Minute // the retry timeout
		if took := time.Since(start); took < once || took > 2*once {
			t.Errorf("%d creations waited for %s", len(creations), took)
		}
		down = false
		time.Sleep(once)
		if _, err := of(e).Attach(t.Context(), creations[0], profileNeeds{}); err != nil {
			t.Error(err)
		}
	})
}

// A gateway gives up before the service answers, although the service attaches. Each creation finds what it has
// attached, so that this is no outage, however long it lasts.
func TestNoOutageIfLostRequestsHaveTheirEffect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, sandboxtest.Assumptions{})
		e := applying(t, service, false, func(r *http.Request) (*http.Response, error) {
			if r.Method != http.MethodPost {
				return nil, nil
			}
			resp, err := service.RoundTrip(r)
			if err != nil {
				return nil, err
			}
			_ = resp.Body.Close()
			time.Sleep(9 * time.Second)
			return says(http.StatusGatewayTimeout, "no answer")(r)
		})
		start := time.Now()
		for _, p := range service.State(t).Positions {
			for _, assessment := range []string{"asm-hardhat", "asm-hardhat-short", "asm-lattice", "asm-tally", "asm-margin"} {
				c := Creation{Position: p.ID, Assessment: assessment}
				if attached, err := of(e).Attach(t.Context(), c, profileNeeds{}); err != nil || attached.Recovered == nil {
					t.Errorf("%v after %s: %v", c, time.Since(start), err)
				}
			}
		}
		if took := time.Since(start); took < 2*time.Minute {
			t.Errorf("the creations lasted only %s", took)
		}
	})
}
