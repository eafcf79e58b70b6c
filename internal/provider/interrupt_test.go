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

// interrupt interrupts the apply of a configuration as soon as a condition holds. It returns how long
// the apply went on.
func (s *simulation) interrupt(config coretest.Config, holds func() bool) (r coretest.Result, took time.Duration) {
	s.t.Helper()
	start := s.core.Start
	var server tfprotov6.ProviderServer
	s.core.Start = func(machine string) (tfprotov6.ProviderServer, error) {
		started, err := start(machine)
		server = started
		return started, err
	}
	done := make(chan coretest.Result, 1)
	go func() { done <- s.core.Apply(s.t.Context(), config, s.options) }()
	for !holds() {
		time.Sleep(10 * time.Millisecond)
	}
	interrupted := time.Now()
	if _, err := server.StopProvider(s.t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		s.t.Fatal(err)
	}
	return <-done, time.Since(interrupted)
}

// An interrupt ends any wait of a run within a second of virtual time. The tests of assessapi have more
// of them.
func TestInterruptIsFast(t *testing.T) {
	t.Parallel()
	const reported = `The run was interrupted\. To fix this: run the command again\.`
	for name, row := range map[string]struct {
		fault sandboxtest.Fault
		share float64
		says  string
	}{
		"a response":                 {fault: sandboxtest.Fault{Delay: 25 * time.Second, Times: -1}, says: reported},
		"rate limit of the provider": {share: 0.001, says: `was not sent after waiting .* for the limit of 500 .*` + reported},
		"recovery of a lost response": {
			fault: sandboxtest.Fault{Method: http.MethodPost, Status: http.StatusGatewayTimeout},
			says:  "Unknown whether the assessment was attached.*The run was interrupted",
		},
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
				begin := time.Now()
				r, took := s.interrupt(config, func() bool { return time.Since(begin) > 10*time.Second })
				if took > time.Second {
					t.Errorf("the run ended %s after the interrupt", took)
				}
				s.fails(r, row.says)
			})
		})
	}
}

// A write that was sent is finished after an interrupt, and its result is in the state.
func TestInterruptFinishesWrites(t *testing.T) {
	t.Parallel()
	for name, o := range operations {
		if o.method == http.MethodGet {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				s.applies(o.before...)
				s.service.ResetJournal()
				s.service.Inject(sandboxtest.Fault{Method: o.method, When: after, Delay: 2 * time.Second})
				config := simulatedConfig(o.after...)
				_, took := s.interrupt(config, func() bool { return s.service.Count(o.method, "") > 0 })
				if took < time.Second || took > 10*time.Second {
					t.Errorf("the run ended %s after the interrupt, but the response took 2s", took)
				}
				s.service.AssertCount(t, o.method, "", 1)
				s.stays(config)
			})
		})
	}
}
