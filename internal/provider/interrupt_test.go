// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
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
			once(t, func(s *simulation) {
				config := simulatedConfig(games)
				if row.share > 0 {
					config.Providers[""]["rate_limit"] = coretest.Body{"coordination": "none", "share": row.share}
				} else {
					s.service.Inject(row.fault)
				}
				start := s.core.Start
				var server tfprotov6.ProviderServer
				s.core.Start = func(machine string) (tfprotov6.ProviderServer, error) {
					started, err := start(machine)
					server = started
					return started, err
				}
				done := make(chan time.Time, 1)
				var r coretest.Result
				go func() {
					r = s.plan(config)
					done <- time.Now()
				}()
				time.Sleep(10 * time.Second)
				interrupted := time.Now()
				if _, err := server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
					t.Fatal(err)
				}
				if took := (<-done).Sub(interrupted); took < 0 || took > time.Second {
					t.Errorf("the plan ended %s after the interrupt", took)
				}
				s.fails(r, `The run was interrupted\. To fix this: run the command again\.`)
			})
		})
	}
}
