// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// serviceName is a host for which httptest has a certificate. Only the proxy can resolve it (RFC 2606), as in
// a network without access to the internet. A proxy is never used for an address of this machine.
const serviceName = "service.example.com"

const proxyPassword = "pr0xy-password-0815" // of a proxy that exists only in these tests

// basicAuth is the password as the proxy gets it.
var basicAuth = base64.StdEncoding.EncodeToString([]byte("runner:" + proxyPassword))

// forwardProxy is a proxy that connects to one service, whatever the client asks for.
type forwardProxy struct {
	proxySettings
	service string // its address

	mu    sync.Mutex
	asked []*http.Request
}

type proxySettings struct {
	open    bool   // does not require the password of the user "runner"
	status  int    // rejects every connection with this status, unless it is 0
	repeats string // answers with a line that is not HTTP, and contains the credentials in this format
}

func (p *forwardProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Clone(r.Context()))
	p.mu.Unlock()
	switch {
	case !p.open && r.Header.Get("Proxy-Authorization") != "Basic "+basicAuth:
		w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	case p.status != 0:
		w.WriteHeader(p.status)
		return
	}
	service, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", p.service)
	client, buffered, cannotHijack := http.NewResponseController(w).Hijack()
	if err := errors.Join(err, cannotHijack); err != nil {
		panic(err) // impossible: the service is on this machine
	}
	if p.repeats != "" {
		_, _ = fmt.Fprintf(client, p.repeats, basicAuth, proxyPassword)
		_ = client.Close()
		_ = service.Close()
		return
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() { _, _ = io.Copy(service, buffered); _ = service.Close() }()
	go func() { _, _ = io.Copy(client, service); _ = client.Close() }()
}

// connections returns the requests that the proxy has received.
func (p *forwardProxy) connections() []*http.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// behindProxy makes a working directory for a service that has a certificate of a private authority, and that can be
// reached through a proxy. In env, PROXY stands for the host of the proxy, PASSWORD for its password, and
// AUTHORITY for the file with the certificate of the authority. Each run is a process of its own, because
// net/http reads the environment only once.
func behindProxy(
	t *testing.T, settings proxySettings, env ...string,
) (*sandboxtest.Service, *forwardProxy, *clitest.CLI) {
	t.Helper()
	service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
	server := httptest.NewUnstartedServer(service)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that reject the certificate
	server.StartTLS()
	t.Cleanup(server.Close)
	proxy := &forwardProxy{proxySettings: settings, service: server.Listener.Addr().String()}
	proxyServer := httptest.NewServer(proxy)
	t.Cleanup(proxyServer.Close)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	c := clitest.NewBare(t, "ASSESS_BASE_URL=https://"+serviceName+"/v1", "ASSESS_CLIENT_ID="+sandbox.ClientID,
		"ASSESS_API_KEY="+sandbox.APIKey, "TF_VAR_gateway_token="+gatewayToken)
	c.Env = slices.DeleteFunc(c.Env, func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}, name)
	})
	host := strings.TrimPrefix(proxyServer.URL, "http://")
	replacer := strings.NewReplacer("=PROXY", "="+host, "@PROXY", "@"+host, "PASSWORD", proxyPassword, "AUTHORITY", authority)
	for _, v := range env {
		c.Env = append(c.Env, replacer.Replace(v))
	}
	c.UseFrom("TestNetwork", "1")
	return service, proxy, c
}

const (
	throughProxy     = "HTTPS_PROXY=http://runner:PASSWORD@PROXY"
	trustedAuthority = "SSL_CERT_FILE=AUTHORITY"
)

// A run reaches the service through the proxy and with the authority of the environment. The
// proxy sees the name of the service, but neither the credentials nor the headers. A server with a
// certificate of this authority gets both, and a proxy that inspects TLS is such a server.
func TestNetworkThroughAProxy(t *testing.T) {
	t.Parallel()
	for address, open := range map[string]bool{throughProxy: false, "HTTPS_PROXY=PROXY": true} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			service, proxy, c := behindProxy(t, proxySettings{open: open}, address, trustedAuthority)
			c.Apply().OK().Quiet()
			asked := proxy.connections()
			if len(asked) == 0 || service.Count(http.MethodPost, "") != 1 {
				t.Errorf("%d connections, %d writes", len(asked), service.Count(http.MethodPost, ""))
			}
			for _, r := range asked {
				var seen bytes.Buffer
				_ = r.Header.Write(&seen)
				if r.Method != http.MethodConnect || r.Host != serviceName+":443" || r.Header.Get("Authorization") != "" ||
					strings.Contains(seen.String(), gatewayToken) {
					t.Errorf("the proxy has seen %s %s with\n%s", r.Method, r.Host, seen.String())
				}
			}
			for _, entry := range service.Journal() {
				if entry.Header.Get("X-Gateway-Token") != gatewayToken || entry.Header.Get("Proxy-Authorization") != "" {
					t.Errorf("%s %s has the headers %v", entry.Method, entry.Path, entry.Header)
				}
			}
		})
	}
}

// What goes wrong between the provider and the service is tried again for about ten seconds, because a network may not be
// ready yet, and reported with what to do. No message contains a password, not even one that net/http quotes from the
// response of a proxy.
func TestNetworkMistakes(t *testing.T) {
	t.Parallel()
	trusted := []string{throughProxy, trustedAuthority}
	for name, row := range map[string]struct {
		env      []string // nil means trusted
		proxy    proxySettings
		bypassed bool // whether the proxy is not asked
		says     []string
	}{
		"a wrong password": {
			env:  []string{"HTTPS_PROXY=http://runner:wrong-PASSWORD@PROXY", trustedAuthority},
			says: []string{`the proxy 127.0.0.1:\d+ answered 407 Proxy Authentication Required`, "HTTPS_PROXY", "the user and the password"},
		},
		"a forbidden host": {
			proxy: proxySettings{status: http.StatusForbidden},
			says:  []string{`the proxy 127.0.0.1:\d+ answered 403 Forbidden`, "NO_PROXY"},
		},
		"an address that is not valid": { // net/http ignores such an address
			env:      []string{"HTTPS_PROXY=http://runner:PASSWORD%zz@proxy:1"},
			bypassed: true, says: []string{"lookup " + serviceName, "the proxy settings"},
		},
		"a service that is reached directly": { // which fails, because only the proxy knows the name
			env:      append(trusted, "NO_PROXY=other.example,"+serviceName),
			bypassed: true, says: []string{"lookup " + serviceName, "check the provider's base_url"},
		},
		"an unknown authority": {
			env: []string{throughProxy}, says: []string{"certificate signed by unknown authority", "SSL_CERT_FILE"},
		},
		"a status with the password": {
			proxy: proxySettings{repeats: "HTTP/1.1 %s/%s OK\r\n\r\n"}, says: []string{"the response repeats a secret"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := row.env
			if env == nil {
				env = trusted
			}
			service, proxy, c := behindProxy(t, row.proxy, env...)
			log := filepath.Join(t.TempDir(), "log")
			c.Env = append(c.Env, "TF_LOG=trace", "TF_LOG_PATH="+log)
			r := c.Plan().Fails(append([]string{"Could not list the assessments"}, row.says...)...)
			written := r.Output + clitest.ReadFile(t, log)
			if strings.Contains(written, proxyPassword) || strings.Contains(written, basicAuth) {
				t.Errorf("the output or the log contains the password of the proxy:\n%s", r.Text())
			}
			if !strings.Contains(r.Output, "attempts within") {
				t.Errorf("it was not tried again:\n%s", r.Text())
			}
			if asked := proxy.connections(); row.bypassed != (len(asked) == 0) {
				t.Errorf("the proxy has received %d requests", len(asked))
			}
			if n := len(service.Journal()); n > 0 {
				t.Errorf("%d requests have reached the service", n)
			}
		})
	}
}
