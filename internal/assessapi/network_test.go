// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// One slot is one arrival, also if the server closes a connection that has served a request before. Then net/http would
// send a request again by itself.
func TestConnectionIsReset(t *testing.T) {
	t.Parallel()
	for name, written := range map[string]string{
		"before the response": "", "in the body": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[",
	} {
		for _, op := range operations {
			t.Run(name+"/"+op.method, func(t *testing.T) {
				t.Parallel()
				var arrivals atomic.Int64
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet && (r.ContentLength != 0 || r.TransferEncoding != nil) {
						t.Error("a GET announces a body")
					}
					if arrivals.Add(1) != 2 {
						w.Header().Set("Conversation-Id", "conv-1")
						_, _ = io.WriteString(w, attached)
						return
					}
					conn, _, err := http.NewResponseController(w).Hijack()
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.WriteString(conn, written)
					_ = conn.Close()
				}))
				t.Cleanup(server.Close)
				c, attempts := counted(t, server.URL, Network(requestTimeout))
				if err := op.run(t.Context(), c); err != nil {
					t.Error(err)
				}
				wantOutcome, want := Succeeded, int64(3)
				if op.method == http.MethodPost {
					wantOutcome, want = Unknown, 2
				}
				err := op.run(t.Context(), c)
				if OutcomeOf(err) != wantOutcome || arrivals.Load() != want || attempts.Load() != want {
					t.Errorf("%d arrivals for %d slots, want %d: %v", arrivals.Load(), attempts.Load(), want, err)
				}
			})
		}
	}
}

// counted returns a client, and counts its attempts. Its timeouts are so long that they expire only in virtual time.
func counted(t *testing.T, address string, network http.RoundTripper) (*Client, *atomic.Int64) {
	t.Helper()
	base, err := ParseBaseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	var attempts atomic.Int64
	return New(Config{
		BaseURL: base, ClientID: clientID, APIKey: apiKey, Transport: network,
		RequestTimeout: time.Hour, RetryTimeout: 2 * time.Hour,
		Observe: func(context.Context, Observation) { attempts.Add(1) },
	}), &attempts
}

// pool is a transport that keeps connections.
type pool struct {
	http.RoundTripper
	closed int
}

func (p *pool) CloseIdleConnections() { p.closed++ }

// After a timeout, idle connections are closed, because the network may have lost them all, as after a VPN has
// reconnected. Each would cost another timeout.
func TestConnectionsAreLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		connections := &pool{RoundTripper: newStub(breaks(errReset), takes(2*time.Hour, nil), responds(200, "[]"))}
		c, attempts := counted(t, "http://localhost", connections)
		if _, err := c.Assessments(t.Context()); err != nil || attempts.Load() != 3 || connections.closed != 1 {
			t.Errorf("closed %d times in %d attempts: %v", connections.closed, attempts.Load(), err)
		}
	})
}

// A handshake that fails, or a proxy that rejects the password, is probably a wrong setting, and the service gets
// nothing. Client certificates are not supported, and the error says so (row 14).
func TestTLS(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	count := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	server := func(config *tls.Config) (address string, trusting *http.Transport) {
		s := httptest.NewUnstartedServer(count)
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.TLS = config
		s.StartTLS()
		t.Cleanup(s.Close)
		trusting = Network(requestTimeout)
		trusting.TLSClientConfig.RootCAs = x509.NewCertPool()
		trusting.TLSClientConfig.RootCAs.AddCert(s.Certificate())
		return s.URL, trusting
	}
	demanding, trusting := server(&tls.Config{MinVersion: tls.VersionTLS13, ClientAuth: tls.RequireAnyClientCert})
	demanding12, trusting12 := server(&tls.Config{MaxVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert})
	untrusted, _ := server(nil)
	plain := httptest.NewServer(count)
	t.Cleanup(plain.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(proxy.Close)
	through := Network(requestTimeout)
	through.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	speaksHTTP := Network(requestTimeout)
	speaksHTTP.Proxy = func(*http.Request) (*url.URL, error) {
		return url.Parse(strings.Replace(proxy.URL, "http:", "https:", 1))
	}
	const certificate = "If the server demands a client certificate: the provider does not support client certificates"
	for name, row := range map[string]struct {
		address string
		network *http.Transport
		reason  string
	}{
		"proxy":            {"https://assess.example.com", through, "answered 407 Proxy Authentication Required"},
		"proxy, no TLS":    {"https://assess.example.com", speaksHTTP, "proxyconnect tcp: tls: first record does not look like"},
		"certificate":      {demanding, trusting, certificate},
		"certificate, 1.2": {demanding12, trusting12, certificate},
		"untrusted":        {untrusted, Network(requestTimeout), "failed to verify certificate"},
		"no TLS":           {strings.Replace(plain.URL, "http:", "https:", 1), Network(requestTimeout), "server gave HTTP response to HTTPS client"},
	} {
		c, attempts := counted(t, row.address, row.network)
		c.cfg.RetryTimeout = 0
		_, err := c.Attach(t.Context(), "p", "asm-1", Configuration{})
		if e := as[*Error](t, err); e.Outcome != Stopped || !strings.Contains(err.Error(), row.reason) || !isMistake(e.Err) {
			t.Errorf("%s: outcome %d: %v, want %q", name, e.Outcome, err, row.reason)
		}
		if attempts.Load() != 1 || requests.Load() != 0 {
			t.Errorf("%s: %d attempts, %d requests; want 1 and 0", name, attempts.Load(), requests.Load())
		}
	}
}

// A request is sent within ten seconds after its slot was taken, or not at all. A proxy that accepts a connection and
// does not answer CONNECT takes longer: net/http itself waits for a minute. A shorter request_timeout ends the wait, and
// the error says that there is no connection, too.
func TestConnectTime(t *testing.T) {
	t.Parallel()
	for want, timeout := range map[time.Duration]time.Duration{
		10 * time.Second: time.Hour, // longer than connectTime
		4 * time.Second:  4 * time.Second,
	} {
		virtual(t, want.String(), func(t *testing.T) {
			network := Network(timeout)
			network.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy.example.com:3128") }
			here, there := net.Pipe()
			defer func() { _ = there.Close() }()
			go func() { _, _ = io.Copy(io.Discard, there) }()
			network.DialContext = func(context.Context, string, string) (net.Conn, error) { return here, nil }
			c, attempts := counted(t, "https://assess.example.com", network)
			c.cfg.RequestTimeout, c.cfg.RetryTimeout = timeout, 0
			start := time.Now()
			_, err := c.Attach(t.Context(), "p", "asm-1", Configuration{})
			since(t, start, want)
			e := as[*Error](t, err)
			if e.Outcome != Stopped || e.Err.Error() != "no connection within "+want.String() || attempts.Load() != 1 {
				t.Errorf("outcome %d: %v", e.Outcome, err)
			}
		})
	}
}

// An address that cannot be resolved, a port that nobody uses, and a proxy that rejects us are probably wrong settings.
func TestMistakes(t *testing.T) {
	t.Parallel()
	rejected := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	for _, row := range []struct {
		err  error
		want bool
	}{
		{&net.OpError{Op: "dial", Err: rejected}, true},
		{&net.OpError{Op: "read", Err: rejected}, false},
		{&net.DNSError{IsNotFound: true}, true},
		{&net.DNSError{IsTemporary: true}, false},
		{&ProxyError{Status: 403}, true},
		{&ProxyError{Status: 502}, false},
	} {
		if got := isMistake(row.err); got != row.want {
			t.Errorf("%v: %t", row.err, got)
		}
	}
}

// A redirect is never followed, whoever sends it: credentials stay at the origin, and one slot is one request.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Conversation-Id", "conv-1")
		http.Redirect(w, r, r.URL.Path+"/", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	for i, op := range operations {
		c, attempts := counted(t, server.URL+"/v1", Network(requestTimeout))
		err := op.run(t.Context(), c)
		if as[*Error](t, err).Status != 307 || attempts.Load() != 1 || requests.Load() != int64(i+1) {
			t.Errorf("%s: %d attempts, %d requests: %v", op.method, attempts.Load(), requests.Load(), err)
		}
	}
}
