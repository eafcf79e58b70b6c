// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
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
	"sync/atomic"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// serviceName is a host for which httptest has a certificate. Only the proxy can resolve it (RFC 2606), as in
// a network without access to the internet. A proxy is never used for an address of this machine.
const serviceName = "service.example.com"

const proxyPassword = "pr0xy-password-0815" // of a proxy that exists only in this test

// forwardProxy is a proxy that connects to one service, whatever the client asks for.
type forwardProxy struct {
	open    bool        // does not require the password of the user "runner"
	service string      // its address
	repeats atomic.Bool // answers with a line that is not HTTP, and contains the password

	mu    sync.Mutex
	asked []*http.Request
}

func (p *forwardProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Clone(r.Context()))
	p.mu.Unlock()
	password := base64.StdEncoding.EncodeToString([]byte("runner:" + proxyPassword))
	if !p.open && r.Header.Get("Proxy-Authorization") != "Basic "+password {
		w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	service, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", p.service)
	if err != nil {
		panic(err) // impossible: the service is on this machine
	}
	client, buffered, _ := http.NewResponseController(w).Hijack() // always possible with HTTP/1.1
	if p.repeats.Load() {
		_, _ = fmt.Fprintf(client, "HTTP/1.1 %s/%s OK\r\n\r\n", password, proxyPassword)
		_ = client.Close()
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() { _, _ = io.Copy(service, buffered); _ = service.Close() }()
	go func() { _, _ = io.Copy(client, service); _ = client.Close() }()
}

// A run reaches the service through the proxy and with the authority of the environment. The
// proxy sees the name of the service, but neither the credentials nor the headers. A server with a
// certificate of this authority gets both, and a proxy that inspects TLS is such a server. No message contains the
// password, not even one that net/http quotes from the response of the proxy.
func TestNetworkThroughAProxy(t *testing.T) {
	t.Parallel()
	for user, open := range map[string]bool{"http://runner:" + proxyPassword + "@": false, "": true} {
		t.Run("user "+user, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
			server := httptest.NewUnstartedServer(service)
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			t.Cleanup(server.Close)
			proxy := &forwardProxy{open: open, service: server.Listener.Addr().String()}
			proxyServer := httptest.NewServer(proxy)
			t.Cleanup(proxyServer.Close)
			authority := filepath.Join(t.TempDir(), "authority.pem")
			certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
			if err := os.WriteFile(authority, certificate, 0o600); err != nil {
				t.Fatal(err)
			}
			// The run is a process of its own, because net/http reads the environment only once.
			c := clitest.NewBare(t, "ASSESS_BASE_URL=https://"+serviceName+"/v1", "ASSESS_CLIENT_ID="+sandbox.ClientID,
				"ASSESS_API_KEY="+sandbox.APIKey, "TF_VAR_gateway_token="+gatewayToken)
			c.Env = slices.DeleteFunc(c.Env, func(v string) bool {
				name, _, _ := strings.Cut(strings.ToUpper(v), "=")
				return slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}, name)
			})
			address := user + strings.TrimPrefix(proxyServer.URL, "http://")
			c.Env = append(c.Env, "HTTPS_PROXY="+address, "SSL_CERT_FILE="+authority)
			c.UseFrom("TestNetwork", "1")
			c.Apply().OK().Quiet()

			if len(proxy.asked) == 0 || service.Count(http.MethodPost, "") != 1 {
				t.Errorf("%d connections, %d writes", len(proxy.asked), service.Count(http.MethodPost, ""))
			}
			for _, r := range proxy.asked {
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
			if !open {
				proxy.repeats.Store(true)
				if r := c.Plan().Fails("the response repeats a secret"); strings.Contains(r.Output, proxyPassword) {
					t.Errorf("the output contains the password of the proxy:\n%s", r.Text())
				}
			}
		})
	}
}
