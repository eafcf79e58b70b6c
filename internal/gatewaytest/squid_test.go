// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// squidConfig requires a password, which a script checks, because the format of the passwords that
// Squid itself reads depends on the system.
const squidConfig = `http_port 127.0.0.1:PORT
auth_param basic program /bin/sh DIR/password.sh
auth_param basic children 2
acl people proxy_auth REQUIRED
http_access allow people
http_access deny all
hosts_file DIR/hosts
cache deny all
pid_filename none
visible_hostname proxy
access_log stdio:DIR/access.log
cache_log DIR/cache.log
cache_store_log none
coredump_dir DIR
shutdown_lifetime 0 seconds
netdb_filename none
`

const passwords = `while read -r line; do
  case "$line" in
    "someone s3cret-of-the-proxy") echo OK ;;
    *) echo ERR ;;
  esac
done
`

// withTLS serves a service with TLS, at a name that only the proxy can resolve.
func withTLS(t *testing.T, s *sandboxtest.Server) (port, ca string) {
	t.Helper()
	ca, key := certificate(t)
	pair, err := tls.X509KeyPair([]byte(ca), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	listener := listen(t)
	through := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, hostname) { // only the proxy can have resolved it
			r.Header.Set(proof, "squid")
		}
		s.ServeHTTP(w, r)
	})
	server := &http.Server{Handler: through, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { _ = server.Shutdown(context.WithoutCancel(t.Context())) })
	return portOf(listener), ca
}

// Everything passes a proxy with a password, and nothing asks it for another host. A wrong password
// is named without showing it.
func TestSquid(t *testing.T) {
	t.Parallel()
	g := newGateway(t, "squid", "squid.conf", squidConfig, "-N", "-f", "DIR/squid.conf")
	g.write("hosts", "127.0.0.1 "+hostname+"\n")
	g.write("password.sh", passwords)
	g.configure()
	port, ca := withTLS(t, g.service)
	origin := hostname + ":" + port
	g.connect("https://"+origin+"/v1", ca,
		"HTTPS_PROXY=http://someone:s3cret-of-the-proxy@127.0.0.1:"+g.port, "NO_PROXY=", "no_proxy=", "https_proxy=")
	g.whole()
	g.CLI = g.With("HTTPS_PROXY=http://someone:guessed-wrongly@127.0.0.1:" + g.port)
	run := g.plan().Fails("407|proxy")
	code, text := g.check()
	if code != 2 || strings.Contains(text+run.Output, "guessed-wrongly") {
		t.Errorf("assess check ended with %d:\n%s\nthe plan:\n%s", code, text, run.Text())
	}
	requests := 0
	for line := range strings.Lines(clitest.ReadFile(t, g.folder, "access.log")) {
		switch {
		case strings.Contains(line, " CONNECT "+origin+" "):
			requests++
		case !strings.Contains(line, "transaction-end-before-headers"): // a connection without a request
			t.Errorf("the proxy was asked for something else: %s", line)
		}
	}
	if requests == 0 {
		t.Error("nothing passed the proxy")
	}
}
