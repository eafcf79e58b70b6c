// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// nginxConfig has TLS, gzip, a prefix, short connections and a rate limit. It does not pass on the host of the client,
// so that the service writes links to its own address.
const nginxConfig = `daemon off;
master_process off;
pid DIR/nginx.pid;
error_log DIR/error.log;
events {}
http {
  access_log off;
  client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi;
  uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
  limit_req_zone $server_name zone=all:1m rate=40r/s;
  limit_req_status STATUS;
  gzip on; gzip_types application/json; gzip_proxied any; gzip_min_length 1;
  keepalive_requests 3; keepalive_timeout 1s;
  server {
    listen 127.0.0.1:PORT ssl;
    ssl_certificate DIR/pem; ssl_certificate_key DIR/pem;
    location /teams/7/v1/ {
      limit_req zone=all burst=3 nodelay;
      proxy_read_timeout 1s;
      proxy_set_header X-Gateway-Proof nginx;
      proxy_pass http://SERVICE/v1/;
    }
  }
}
`

// A gateway with TLS, gzip, a prefix, connections for three requests and a rate limit changes
// nothing, although the service writes links to an address that only the gateway reaches.
func TestNginx(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"429", "503"} { // of requests above the rate limit; 503 is the default
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			config := strings.ReplaceAll(nginxConfig, "STATUS", status)
			newGateway(t, "/teams/7/v1", config, "nginx", "-p", "DIR", "-e", "DIR/error.log", "-c", "DIR/config").life()
		})
	}
}

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

// attached is the number of position assessments in testdata/main.tf.
const attached = 6

// existing returns the IDs of all position assessments of the service.
func (g *gateway) existing() []string { return sandboxtest.AttachedIDs(g.service.State(g.T)) }

// known returns how many position assessments are in the state of the CLI.
func (g *gateway) known() (n int) {
	g.T.Helper()
	for _, attributes := range g.Managed() {
		if attributes["position_id"] != nil {
			n++
		}
	}
	return n
}

// life is a life without faults: everything works, and "assess check" finds only that the service writes links to an
// address that only the gateway reaches.
func (g *gateway) life() {
	g.T.Helper()
	g.Apply().OK()
	clitest.Contains(g.T, "output", g.Human("output", "-json").Output, `"value": 8`, `"value": 66`)
	cmd := exec.CommandContext(g.T.Context(), clitest.CompanionBinary(g.T), "check")
	cmd.Env, cmd.Dir = g.Env, g.Dir
	out, _ := cmd.CombinedOutput() // the exit code is 1
	found := regexp.MustCompile(`(?m)^A\d+ +(differs|not offered)`).FindAllString(string(out), -1)
	if code := cmd.ProcessState.ExitCode(); code != 1 || len(found) != 1 || !strings.HasPrefix(found[0], "A1 ") {
		g.T.Errorf("assess check ended with %d and found %q:\n%s", code, found, out)
	}
	g.planAndDestroy()
}

// planAndDestroy checks that everything is attached once and known, removes it, and checks that nothing else was removed
// and that each request came through the gateway, which adds a header.
func (g *gateway) planAndDestroy() {
	g.T.Helper()
	if known, exist := g.known(), g.existing(); known != attached || len(exist) != len(g.before)+attached {
		g.T.Fatalf("%d are in the state, and these exist: %v", known, exist)
	}
	g.Plan().Empty()
	g.Destroy().OK()
	if known, exist := g.known(), g.existing(); known > 0 || !slices.Equal(exist, g.before) {
		g.T.Fatalf("%d are left in the state, and these exist: %v", known, exist)
	}
	for _, entry := range g.service.Journal() {
		if entry.Header.Get("X-Gateway-Proof") == "" {
			g.T.Errorf("%s %s came around the gateway", entry.Method, entry.Path)
		}
	}
}
