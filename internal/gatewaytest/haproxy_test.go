// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"net/http"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// haproxyConfig has TLS, short keep-alives and a timeout.
const haproxyConfig = `global
  maxconn 100
defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 1s
  timeout http-keep-alive 20ms
frontend all
  bind 127.0.0.1:PORT ssl crt DIR/pem
  http-request set-header X-Gateway-Proof haproxy
  default_backend service
backend service
  server one SERVICE
`

// If HAProxy gives up on a creation, or is restarted while the service works on it, the creation happens once. The
// service is slower than HAProxy waits, and faster than request_timeout.
func TestHAProxyInterruptsCreations(t *testing.T) {
	t.Parallel()
	for name, restarts := range map[string]bool{"a timeout": false, "a restart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newGateway(t, "/v1", haproxyConfig, "haproxy", "-f", "DIR/config", "-db")
			h.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Delay: 1200 * time.Millisecond})
			done := make(chan struct{})
			go func() {
				defer close(done)
				clitest.WaitFor(t, "a creation", func() bool {
					return h.service.Count(http.MethodPost, "") > 0 || t.Context().Err() != nil
				})
				if restarts {
					h.kill()
					h.start()
				}
			}()
			h.Apply() // may fail
			<-done
			h.Apply().OK()
			h.service.AssertCount(t, http.MethodPost, sandbox.RoutePositionAssessments, attached)
			h.planAndDestroy()
		})
	}
}
