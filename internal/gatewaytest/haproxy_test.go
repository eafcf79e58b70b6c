// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"net/http"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
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

func newHAProxy(t *testing.T) *gateway {
	t.Helper()
	h := newGateway(t, "haproxy", "haproxy.cfg", haproxyConfig, "-f", "DIR/haproxy.cfg", "-db")
	certificate, key := certificate(t)
	h.write("pem", certificate+key)
	h.connect("https://127.0.0.1:"+h.port+"/v1", certificate)
	h.start()
	return h
}

// A gateway that closes connections after 20 ms changes nothing.
func TestHAProxy(t *testing.T) {
	t.Parallel()
	newHAProxy(t).whole(innerLinks)
}

// If HAProxy gives up on a creation, or is reloaded hard while the service works on it, the
// creation happens once. The service is slower than HAProxy waits, and faster than request_timeout.
func TestHAProxyInterruptsCreations(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*gateway){
		"a timeout":     func(*gateway) {},
		"a hard reload": (*gateway).restart,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHAProxy(t)
			interrupted := h.slowly(1200*time.Millisecond, func() { meanwhile(h) })
			h.apply()
			<-interrupted
			h.apply().OK()
			h.applied()
			h.plan().Empty()
			h.service.AssertCount(t, http.MethodPost, sandbox.RoutePositionAssessments, attached)
			h.destroy().OK()
			h.destroyed()
		})
	}
}
