// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// serviceName is the host of the service in these tests. Only the proxy can resolve it (RFC 2606), as in
// a network without access to the internet. A proxy is never used for an address of this machine.
const serviceName = "service.test"

// forwardProxy is a proxy that connects to one service, whatever the client asks for.
type forwardProxy struct {
	*httptest.Server
	target   string // the address of the service
	password string // of the user "runner", or ""
	status   int    // refuses every connection with this status, unless it is 0
	repeats  string // answers with a line that is not HTTP, and contains the credentials in this format

	mu    sync.Mutex
	asked []*http.Request
}

func (p *forwardProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Clone(r.Context()))
	p.mu.Unlock()
	due := "Basic " + base64.StdEncoding.EncodeToString([]byte("runner:"+p.password))
	switch {
	case r.Method != http.MethodConnect:
		http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
		return
	case p.password != "" && r.Header.Get("Proxy-Authorization") != due:
		w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	case p.status != 0:
		w.WriteHeader(p.status)
		return
	case p.repeats != "":
		if client, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_, _ = fmt.Fprintf(client, p.repeats, strings.TrimPrefix(due, "Basic "), p.password)
			_ = client.Close()
		}
		return
	}
	service, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", p.target)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
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

// behindProxy starts a service with a certificate of a private authority, and a proxy before it.
// It returns the file with the certificate of the authority.
func behindProxy(t *testing.T, change func(*forwardProxy)) (*sandboxtest.Service, *forwardProxy, string) {
	t.Helper()
	service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
	server := httptest.NewUnstartedServer(service)
	certificate, authority := privateCertificate(t, serviceName)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that refuse the certificate
	server.StartTLS()
	t.Cleanup(server.Close)
	proxy := &forwardProxy{target: server.Listener.Addr().String()}
	change(proxy)
	proxy.Server = httptest.NewServer(proxy)
	t.Cleanup(proxy.Close)
	file := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(file, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	return service, proxy, file
}

// privateCertificate returns a certificate for a host, and the certificate of the authority that
// has signed it, as PEM.
func privateCertificate(t *testing.T, host string) (tls.Certificate, []byte) {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	authorityKey, serverKey := key(), key()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Private authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	signed := func(template *x509.Certificate, public *ecdsa.PrivateKey) []byte {
		text, err := x509.CreateCertificate(rand.Reader, template, authority, public.Public(), authorityKey)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	return tls.Certificate{Certificate: [][]byte{signed(server, serverKey)}, PrivateKey: serverKey},
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed(authority, authorityKey)})
}

// networkCLI makes a working directory for the service behind a proxy. Each run is a process of
// its own, because net/http reads the environment only once.
func networkCLI(t *testing.T, env ...string) *cli {
	t.Helper()
	c := newBareCLI(t, append([]string{
		"ASSESS_BASE_URL=https://" + serviceName + "/v1", "ASSESS_CLIENT_ID=" + sandbox.ClientID,
		"ASSESS_API_KEY=" + sandbox.APIKey, "TF_VAR_gateway_token=" + gatewayToken,
	}, env...)...)
	c.env = slices.DeleteFunc(c.env, func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}, name) &&
			!slices.Contains(env, v)
	})
	c.useFrom("TestNetwork", "1")
	return c
}

const proxyPassword = "pr0xy-password-0815" //nolint:gosec // of a proxy that exists only in these tests

// with returns the address of a proxy with a user and a password.
func (p *forwardProxy) with(password string) string {
	return "HTTPS_PROXY=" + strings.Replace(p.URL, "http://", "http://runner:"+password+"@", 1)
}

// A run reaches the service through the proxy and with the authority of the environment. The
// proxy sees the name of the service, but neither the credentials nor the headers. A server with a
// certificate of this authority gets both, and a proxy that inspects TLS is such a server.
func TestNetworkThroughAProxy(t *testing.T) {
	t.Parallel()
	for name, password := range map[string]string{"without a password": "", "with a password": proxyPassword} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, proxy, authority := behindProxy(t, func(p *forwardProxy) { p.password = password })
			address := "HTTPS_PROXY=" + proxy.URL
			if password != "" {
				address = proxy.with(password)
			}
			c := networkCLI(t, address, "SSL_CERT_FILE="+authority)
			c.apply().ok().quiet()
			asked := proxy.connections()
			if len(asked) == 0 || service.Count(http.MethodPost, "") != 1 {
				t.Errorf("%d connections, %d writes", len(asked), service.Count(http.MethodPost, ""))
			}
			for _, r := range asked {
				var seen bytes.Buffer
				_ = r.Header.Write(&seen)
				if r.Host != serviceName+":443" || strings.Contains(seen.String(), gatewayToken) ||
					r.Header.Get("Authorization") != "" {
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

// NO_PROXY names hosts that are reached directly. Here, that fails, because only the proxy knows the name.
func TestNetworkWithoutAProxy(t *testing.T) {
	t.Parallel()
	_, proxy, authority := behindProxy(t, func(*forwardProxy) {})
	c := networkCLI(t, "HTTPS_PROXY="+proxy.URL, "SSL_CERT_FILE="+authority, "NO_PROXY=other.example,"+serviceName)
	c.plan().fails("lookup "+serviceName, "check the provider's base_url")
	if asked := proxy.connections(); len(asked) > 0 {
		t.Errorf("the proxy has received %d requests", len(asked))
	}
}

// What goes wrong between the provider and the service is reported immediately, with what to do.
// No message contains a password.
func TestNetworkMistakes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		env  func(proxy *forwardProxy, authority string) []string
		do   func(*forwardProxy)
		says []string
	}{
		"a wrong password": {
			func(p *forwardProxy, a string) []string {
				return []string{p.with("wrong-" + proxyPassword), "SSL_CERT_FILE=" + a}
			},
			func(p *forwardProxy) { p.password = proxyPassword },
			[]string{`the proxy 127.0.0.1:\d+ answered 407 Proxy Authentication Required`, "HTTPS_PROXY", "the user and the password"},
		},
		"no password": {
			func(p *forwardProxy, a string) []string {
				return []string{"HTTPS_PROXY=" + p.URL, "SSL_CERT_FILE=" + a}
			},
			func(p *forwardProxy) { p.password = proxyPassword },
			[]string{"answered 407 Proxy Authentication Required", "HTTPS_PROXY"},
		},
		"a forbidden host": {
			func(p *forwardProxy, a string) []string { return []string{p.with(proxyPassword), "SSL_CERT_FILE=" + a} },
			func(p *forwardProxy) { p.password, p.status = proxyPassword, http.StatusForbidden },
			[]string{`the proxy 127.0.0.1:\d+ answered 403 Forbidden`, "NO_PROXY"},
		},
		"an address that is not valid": {
			func(*forwardProxy, string) []string {
				return []string{"HTTPS_PROXY=http://runner:" + proxyPassword + "%zz@proxy:1"}
			},
			func(*forwardProxy) {},
			[]string{"lookup " + serviceName, "the proxy settings"}, // net/http ignores such an address
		},
		"an unknown authority": {
			func(p *forwardProxy, _ string) []string { return []string{p.with(proxyPassword)} },
			func(p *forwardProxy) { p.password = proxyPassword },
			[]string{"certificate signed by unknown authority", "SSL_CERT_FILE"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, proxy, authority := behindProxy(t, row.do)
			c := networkCLI(t, row.env(proxy, authority)...)
			log := filepath.Join(t.TempDir(), "log")
			c.env = append(c.env, "TF_LOG=trace", "TF_LOG_PATH="+log)
			r := c.plan().fails(append([]string{"Could not list the assessments"}, row.says...)...)
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(r.output+string(text), proxyPassword) {
				t.Errorf("the output or the log contains the password of the proxy:\n%s", r.text())
			}
			if strings.Contains(r.output, "attempts within") {
				t.Errorf("it was tried again:\n%s", r.text())
			}
			if n := len(service.Journal()); n > 0 {
				t.Errorf("%d requests have reached the service", n)
			}
		})
	}
}

// A proxy can repeat its credentials in an answer that net/http quotes in its error.
func TestNetworkProxyRepeatsThePassword(t *testing.T) {
	t.Parallel()
	for _, repeats := range []string{"%s %s\r\n\r\n", "HTTP/1.1 %s/%s OK\r\n\r\n", "HTTP/1.1 200 OK\r\n%s %s\r\n\r\n"} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			_, proxy, authority := behindProxy(t, func(p *forwardProxy) { p.password, p.repeats = proxyPassword, repeats })
			log := filepath.Join(t.TempDir(), "log")
			c := networkCLI(t, proxy.with(proxyPassword), "SSL_CERT_FILE="+authority, "TF_LOG=trace", "TF_LOG_PATH="+log)
			r := c.plan().fails("Could not list the assessments", `\(secret\)`)
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			encoded := base64.StdEncoding.EncodeToString([]byte("runner:" + proxyPassword))
			for _, secret := range []string{proxyPassword, encoded} {
				if strings.Contains(r.output+string(text), secret) {
					t.Errorf("the output or the log contains %q:\n%s", secret, r.text())
				}
			}
		})
	}
}

// A proxy that cannot reach the service now is asked again.
func TestNetworkProxyRecovers(t *testing.T) {
	t.Parallel()
	_, proxy, authority := behindProxy(t, func(p *forwardProxy) { p.target = "127.0.0.1:1" })
	c := networkCLI(t, "HTTPS_PROXY="+proxy.URL, "SSL_CERT_FILE="+authority)
	c.plan().
		fails("Could not list the assessments", `the proxy 127.0.0.1:\d+ answered 502 Bad Gateway`, `last of \d+ attempts`)
}
