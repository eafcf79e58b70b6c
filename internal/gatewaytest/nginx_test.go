// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"os"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// nginxConfig has TLS, gzip, a prefix, short connections and a rate limit. EXTRA are more directives
// of the location. It does not pass on the host of the client, so that the service writes links to
// its own address.
const nginxConfig = `daemon off;
pid DIR/nginx.pid;
error_log DIR/error.log;
worker_processes 1;
USER
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
    ssl_certificate DIR/certificate.pem; ssl_certificate_key DIR/key.pem;
    location /teams/7/v1/ {
      limit_req zone=all burst=3 nodelay;
      proxy_read_timeout 1s;
      proxy_set_header X-Gateway-Proof nginx;
      EXTRA
      proxy_pass http://SERVICE/v1/;
    }
  }
}
`

// newNginx starts nginx. It answers requests above the rate limit with a status, of which 503 is the default
// of nginx.
func newNginx(t *testing.T, tooMany string) *gateway {
	t.Helper()
	user := ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	config := strings.NewReplacer("USER", user, "STATUS", tooMany).Replace(nginxConfig)
	n := newGateway(t, "nginx", "nginx.conf", config, "-p", "DIR", "-e", "DIR/error.log", "-c", "DIR/nginx.conf")
	certificate, key := certificate(t)
	n.write("certificate.pem", certificate)
	n.write("key.pem", key)
	n.connect("https://127.0.0.1:"+n.port+"/teams/7/v1", certificate)
	n.configure("EXTRA", "")
	return n
}

// answers makes nginx itself answer requests with a method. A page is HTML, and anything else JSON.
func answers(method, answer string) string {
	kind := "application/json"
	if strings.Contains(answer, "<html>") {
		kind = "text/html"
	}
	return "default_type " + kind + "; if ($request_method = " + method + ") { " + answer + " }"
}

// A gateway with TLS, gzip, a prefix, connections for three requests and a rate limit changes
// nothing, although the service writes links to an address that only the gateway reaches.
func TestNginx(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"429", "503"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			newNginx(t, status).whole(innerLinks)
		})
	}
}

// What nginx answers itself is never the service's word.
func TestNginxAnswersItself(t *testing.T) {
	t.Parallel()
	n := newNginx(t, "429")
	n.begin()
	for _, answer := range []struct{ name, extra string }{
		{"no route for removals", answers("DELETE", `return 404 '{"message":"no Route matched with those values"}';`)},
		{"no such method", answers("DELETE", `return 405;`)},
		{"a firewall", answers("DELETE", `return 403 '<html><body><h1>Request blocked</h1></body></html>';`)},
		{"an empty 200", answers("DELETE", `return 200;`)},
		{"a page of text", answers("DELETE", `return 200 'OK';`)},
		{"a maintenance page", `error_page 503 /down.html; if ($request_method = DELETE) { return 503; }`},
	} {
		n.configure("EXTRA", answer.extra)
		if run := n.destroy(); run.Code == 0 {
			t.Errorf("%s: the destroy succeeded:\n%s", answer.name, run.Text())
		}
		n.applied()
	}
	for _, answer := range []struct{ name, extra string }{
		{"no route below positions", `location ~ ^/teams/7/v1/positions/. { default_type application/json; return 404 '{"error":"default backend - 404"}'; }`},
		{"no route at all", answers("GET", `return 404 '{"error":"default backend - 404"}';`)},
		{"an empty 200 for reads", answers("GET", `return 200;`)},
		{"a sign-in page", answers("GET", `return 200 '<html><body>Sign in</body></html>';`)},
	} {
		n.configure("EXTRA", answer.extra)
		if run := n.step(answer.name, func() *clitest.Run { return n.Apply("-refresh-only") }); run.Code == 0 {
			t.Errorf("%s: the refresh succeeded:\n%s", answer.name, run.Text())
		}
		n.applied()
	}
	n.configure("EXTRA", "")
	n.plan().Empty()
	n.destroy().OK()
	n.destroyed()
}

// An update or an activation that nginx answers with an empty 200 did not happen.
func TestNginxSwallowsWrites(t *testing.T) {
	t.Parallel()
	n := newNginx(t, "429")
	n.configure("EXTRA", answers("PUT", `return 200;`))
	if run := n.apply(); run.Code == 0 {
		t.Errorf("the apply succeeded although the test is not enabled:\n%s", run.Text())
	}
	if n.service.State(t).Assessment("asm-workbench").SkillsTest("skt-go").Active() {
		t.Fatal("the test is enabled")
	}
	n.configure("EXTRA", "")
	n.begin()
	n.Edit("main.tf", [2]string{`select = "all"`, `select = "mandatory"`})
	n.configure("EXTRA", answers("PUT", `return 200;`))
	if run := n.apply(); run.Code == 0 {
		t.Errorf("the update succeeded:\n%s", run.Text())
	}
	n.configure("EXTRA", "")
	n.apply().OK()
	n.plan().Empty()
	n.destroy().OK()
	n.destroyed()
}
