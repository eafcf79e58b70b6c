// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// During maintenance, a service answers only reads. All creations together wait once for the end. When it has ended,
// creations succeed again.
func TestMaintenanceIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const parallelism = 10
		service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
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
