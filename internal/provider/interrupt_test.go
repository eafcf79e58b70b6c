// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// An interrupt ends any wait of a run within a second of virtual time.
func TestInterruptIsFast(t *testing.T) {
	t.Parallel()
	inAMinute := http.Header{"Retry-After": {"60"}}
	for name, row := range map[string]struct {
		fault sandboxtest.Fault
		share float64
	}{
		"the pause before another attempt": {fault: sandboxtest.Fault{
			Status: http.StatusServiceUnavailable, Header: inAMinute, Times: -1,
		}},
		"the hold after a 429": {fault: sandboxtest.Fault{
			Status: http.StatusTooManyRequests, Header: inAMinute, Times: -1,
		}},
		"a response":                 {fault: sandboxtest.Fault{Delay: 25 * time.Second, Times: -1}},
		"rate limit of the provider": {share: 0.001},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &managed{harness: newHarness(t), name: attachmentType}
				settings := map[string]any{}
				if row.share > 0 {
					settings["rate_limit"] = map[string]any{"coordination": "none", "share": row.share}
				} else {
					m.service.Inject(row.fault)
				}
				m.startRun(settings)
				done := make(chan time.Time, 1)
				go func() {
					m.plan(games)
					done <- time.Now()
				}()
				time.Sleep(10 * time.Second)
				interrupted := time.Now()
				if _, err := m.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
					t.Fatal(err)
				}
				if took := (<-done).Sub(interrupted); took < 0 || took > time.Second {
					t.Errorf("the plan ended %s after the interrupt", took)
				}
				m.fails(`The run was interrupted\. To fix this: run the command again\.`)
			})
		})
	}
}
