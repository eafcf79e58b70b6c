// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// haproxyConfig has TLS, short keep-alives and a timeout. RULES are more lines of the frontend.
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
  RULES
  http-request set-header X-Gateway-Proof haproxy
  default_backend service
backend service
  server one SERVER
`

type haproxy struct {
	*gateway
	*life

	upstream string
}

func newHAProxy(t *testing.T) *haproxy {
	t.Helper()
	s := service(t)
	g := newGateway(t, "haproxy", "haproxy.cfg", "-f", "DIR/haproxy.cfg", "-db")
	certificate, key := certificate(t)
	g.write("pem", certificate+key)
	h := &haproxy{gateway: g, upstream: strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/v1")}
	h.with("")
	h.life = newLife(t, s, "https://127.0.0.1:"+g.port+"/v1", certificate)
	return h
}

// with restarts HAProxy with more rules.
func (h *haproxy) with(rules string) {
	h.gateway.t.Helper()
	h.configure(strings.NewReplacer("RULES", rules, "SERVER", h.upstream).Replace(haproxyConfig))
}

// A gateway that closes connections after 20 ms changes nothing.
func TestHAProxy(t *testing.T) {
	t.Parallel()
	newHAProxy(t).whole(innerLinks)
}

// If HAProxy gives up on a creation, or is reloaded hard while the service works on it, the
// creation happens once.
func TestHAProxyInterruptsCreations(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*haproxy){
		"a timeout":     func(*haproxy) {},
		"a hard reload": func(h *haproxy) { h.restart() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHAProxy(t)
			interrupted := h.slowly(2*time.Second, func() { meanwhile(h) })
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

// A firewall's 403 is no refusal of the service, so nothing is forgotten. A 503 of HAProxy for
// everything is an outage, and nothing is lost in it.
func TestHAProxyAnswersItself(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t)
	h.begin()
	for name, rules := range map[string]string{
		"a firewall":         `http-request deny deny_status 403 if METH_DELETE`,
		"a method":           `http-request deny deny_status 405 if { method DELETE }`,
		"a foreign 404":      `http-request return status 404 content-type application/json string "{\"message\":\"not found\"}" if { method DELETE }`,
		"a foreign 404, all": `http-request return status 404 content-type text/html string "default backend - 404"`,
		"maintenance":        `http-request return status 503 content-type text/html string "<h1>Back soon</h1>"`,
	} {
		h.with(rules)
		if run := h.destroy(); run.Code == 0 {
			t.Errorf("%s: the destroy succeeded:\n%s", name, run.Text())
		}
		h.applied()
	}
	h.with("")
	h.plan().Empty()
	h.destroy().OK()
	h.destroyed()
}
