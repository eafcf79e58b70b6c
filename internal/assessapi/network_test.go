// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// tlsServer starts a server that offers HTTP/2 and HTTP/1.1, and returns a transport that
// trusts it. serve handles one connection after the handshake.
func tlsServer(t *testing.T, serve func(*tls.Conn)) (address string, network *http.Transport) {
	t.Helper()
	issuer := httptest.NewUnstartedServer(nil)
	issuer.Config.ErrorLog = log.New(io.Discard, "", 0)
	issuer.StartTLS()
	t.Cleanup(issuer.Close)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: issuer.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			go func() {
				defer func() { _ = conn.Close() }()
				secure, _ := conn.(*tls.Conn)
				if secure.HandshakeContext(t.Context()) != nil {
					return
				}
				if secure.ConnectionState().NegotiatedProtocol == "h2" {
					t.Error("the client speaks HTTP/2, over which net/http sends a request again by itself")
					return
				}
				serve(secure)
			}()
		}
	}()
	return "https://" + listener.Addr().String() + "/v1", trusting(t, issuer.Certificate())
}

// trusting returns the product's transport, which also trusts a certificate.
func trusting(t *testing.T, certificate *x509.Certificate) *http.Transport {
	t.Helper()
	network := Network(requestTimeout)
	network.TLSClientConfig.RootCAs = x509.NewCertPool()
	network.TLSClientConfig.RootCAs.AddCert(certificate)
	t.Cleanup(network.CloseIdleConnections)
	return network
}

// counted returns a client, and counts its attempts. Its timeouts are so long that they expire only in virtual time.
func counted(
	t *testing.T, address string, network http.RoundTripper, change ...func(*Config),
) (*Client, *atomic.Int64) {
	t.Helper()
	base, err := ParseBaseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	var attempts atomic.Int64
	cfg := Config{
		BaseURL: base, ClientID: clientID, APIKey: apiKey, Transport: network,
		RequestTimeout: time.Hour, RetryTimeout: 2 * time.Hour,
		Observe: func(context.Context, Observation) { attempts.Add(1) },
	}
	for _, c := range change {
		c(&cfg)
	}
	return New(cfg), &attempts
}

// respond200 answers a request with what every operation accepts.
func respond200(w io.Writer) {
	const body = `{"id":"pas-1","organizationAssessment":"asm-1"}`
	_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nConversation-Id: conv-1\r\nContent-Length: 47\r\n\r\n"+body)
}

// moments are the moments at which a server resets a connection: after it has read and
// written a part.
var moments = map[string]struct {
	read   func(*bufio.Reader) bool // whether it has read that part of a request
	writes string
}{
	"after the handshake":  {func(*bufio.Reader) bool { return false }, ""},
	"after the first byte": {func(r *bufio.Reader) bool { _, err := r.ReadByte(); return err == nil }, ""},
	"after the first line": {func(r *bufio.Reader) bool { _, err := r.ReadString('\n'); return err == nil }, ""},
	"after the request":    {readRequest, ""},
	"in the status line":   {readRequest, "HTTP/1.1 20"},
	"in the headers":       {readRequest, "HTTP/1.1 200 OK\r\nContent-Le"},
	"in the body":          {readRequest, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n["},
}

func readRequest(r *bufio.Reader) bool {
	req, err := http.ReadRequest(r)
	if err != nil || req.Method == http.MethodGet && (req.ContentLength > 0 || len(req.TransferEncoding) > 0) {
		return false // a GET that announces a body is no request: gateways may reject it
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err == nil
}

// TestConnectionIsReset checks that one slot is at most one arrival, whenever the server
// resets a connection: a new one, or one that has served a request before.
func TestConnectionIsReset(t *testing.T) {
	t.Parallel()
	for name, moment := range moments {
		for _, before := range []int{0, 1} {
			for _, op := range operations {
				t.Run(name+"/"+map[int]string{0: "new/", 1: "reused/"}[before]+op.method, func(t *testing.T) {
					t.Parallel()
					var arrivals, resets atomic.Int64
					address, network := tlsServer(t, func(conn *tls.Conn) {
						r := bufio.NewReader(conn)
						for n := 0; ; n++ {
							if n == before && resets.Add(1) == 1 {
								if moment.read(r) {
									arrivals.Add(1)
								}
								_, _ = io.WriteString(conn, moment.writes)
								tcp, _ := conn.NetConn().(*net.TCPConn)
								_ = tcp.SetLinger(0)
								_ = tcp.Close()
								return
							}
							if !readRequest(r) {
								return
							}
							arrivals.Add(1)
							respond200(conn)
						}
					})
					c, attempts := counted(t, address, network)
					for range before + 1 {
						// Only a POST whose effect is not known fails.
						if err := op.run(t.Context(), c); err != nil && (op.method != http.MethodPost || OutcomeOf(err) != Unknown) {
							t.Error(err)
						}
					}
					if n, slots := arrivals.Load(), attempts.Load(); n > slots || resets.Load() == 0 {
						t.Errorf("%d arrivals for %d slots, %d resets", n, slots, resets.Load())
					}
				})
			}
		}
	}
}

// losable is a connection that loses everything without an error, as after a VPN has
// reconnected.
type losable struct {
	net.Conn
	lost *atomic.Bool
}

func (c losable) Write(b []byte) (int, error) {
	if c.lost.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// TestConnectionsAreLost checks that a call recovers at its second attempt, although all
// idle connections have been lost.
func TestConnectionsAreLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls = 10
		var all sync.WaitGroup
		all.Add(calls)
		var requests atomic.Int64
		serve := func(conn net.Conn) {
			for r := bufio.NewReader(conn); readRequest(r); {
				if n := requests.Add(1); n > 1 && n <= calls+1 { // all after the first one need a connection of their own
					all.Done()
					all.Wait()
				}
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
			}
		}
		network := Network(requestTimeout)
		lost := &atomic.Pointer[atomic.Bool]{}
		lost.Store(&atomic.Bool{})
		network.DialContext = func(context.Context, string, string) (net.Conn, error) {
			conn, peer := net.Pipe()
			go serve(peer)
			return losable{conn, lost.Load()}, nil
		}
		c, attempts := counted(t, "http://localhost", network, func(cfg *Config) {
			cfg.RequestTimeout = requestTimeout // shorter than the time after which the network itself closes connections
		})
		call := func(calls int) {
			var wg sync.WaitGroup
			for range calls {
				wg.Go(func() {
					if _, err := c.Assessments(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		call(1)
		call(calls)
		before := attempts.Load()
		lost.Swap(&atomic.Bool{}).Store(true)
		call(1)
		if n := attempts.Load() - before; n != 2 {
			t.Errorf("%d attempts after the connections were lost, want 2", n)
		}
		network.CloseIdleConnections()
	})
}

// TestTLS checks that a handshake that fails, or a proxy that rejects the password, is probably a wrong setting: it ends
// after about ten seconds, and the service gets nothing. Client certificates are not supported, and the error says so
// (row 14).
func TestTLS(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	count := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	server := func(config *tls.Config) *httptest.Server {
		s := httptest.NewUnstartedServer(count)
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.TLS = config
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	picky := server(&tls.Config{MinVersion: tls.VersionTLS13, ClientAuth: tls.RequireAnyClientCert})
	picky12 := server(&tls.Config{MaxVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert})
	old := server(&tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})
	plain := httptest.NewServer(count)
	t.Cleanup(plain.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(proxy.Close)
	through := Network(requestTimeout)
	through.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	for name, row := range map[string]struct {
		address string
		network *http.Transport
		reason  string
	}{
		"proxy":            {"https://assess.example.com", through, "answered 407 Proxy Authentication Required"},
		"certificate":      {picky.URL, trusting(t, picky.Certificate()), "The server demands a client certificate, and the provider does not support client certificates"},
		"certificate, 1.2": {picky12.URL, trusting(t, picky12.Certificate()), "If the server demands a client certificate: the provider does not support client certificates"},
		"version":          {old.URL, trusting(t, old.Certificate()), "protocol version"},
		"untrusted":        {server(nil).URL, Network(requestTimeout), "failed to verify certificate"},
		"no TLS":           {strings.Replace(plain.URL, "http:", "https:", 1), Network(requestTimeout), "server gave HTTP response to HTTPS client"},
	} {
		for _, op := range operations {
			t.Run(name+"/"+op.method, func(t *testing.T) {
				t.Parallel()
				c, attempts := counted(t, row.address, row.network, func(cfg *Config) { cfg.RetryTimeout = 0 })
				err := op.run(t.Context(), c)
				want := Stopped
				if op.method == http.MethodGet {
					want = Unknown
				}
				if OutcomeOf(err) != want || !strings.Contains(err.Error(), row.reason) || !isMistake(as[*Error](t, err).Err) {
					t.Errorf("outcome %d: %v, want %q", OutcomeOf(err), err, row.reason)
				}
				if attempts.Load() != 1 || requests.Load() != 0 {
					t.Errorf("%d attempts, %d requests; want 1 and 0", attempts.Load(), requests.Load())
				}
			})
		}
	}
}

// A request is sent within ten seconds after its slot was taken, or not at all. A proxy could take longer to connect.
func TestConnectTime(t *testing.T) {
	t.Parallel()
	connectsAfter := func(d time.Duration) step {
		return func(req *http.Request) (*http.Response, error) {
			trace := httptrace.ContextClientTrace(req.Context())
			trace.GetConn("")
			timer := time.NewTimer(d)
			defer timer.Stop()
			select {
			case <-timer.C:
				trace.GotConn(httptrace.GotConnInfo{})
				return takes(12*time.Second, responds(200, attached))(req)
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		}
	}
	for _, op := range operations {
		virtual(t, op.method+"/in time", func(t *testing.T) {
			start, network := time.Now(), newStub(connectsAfter(9*time.Second))
			if err := op.run(t.Context(), newClient(t, network)); err != nil {
				t.Error(err)
			}
			since(t, start, 21*time.Second)
		})
		virtual(t, op.method+"/too late", func(t *testing.T) {
			start, network := time.Now(), newStub(connectsAfter(11*time.Second))
			released := []time.Duration{}
			c := newClient(t, network, func(cfg *Config) {
				cfg.RetryTimeout = 10 * time.Second
				cfg.Acquire = func(context.Context, Limits) (func(time.Duration), error) {
					return func(time.Duration) { released = append(released, time.Since(start)) }, nil
				}
			})
			err := op.run(t.Context(), c)
			want := Stopped // nothing was sent
			if op.method == http.MethodGet {
				want = Unknown
			}
			if e := as[*Error](t, err); e.Outcome != want || e.Err.Error() != "no connection within 10s" {
				t.Errorf("outcome %d: %v", e.Outcome, err)
			}
			if len(released) != 1 || released[0] != 10*time.Second {
				t.Errorf("released after %s", released)
			}
		})
	}
}

// A proxy that accepts a connection and does not answer CONNECT is given up after ten seconds.
func TestSilentProxy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := Network(requestTimeout)
		network.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy.example.com:3128") }
		here, there := net.Pipe()
		defer func() { _ = there.Close() }() // net/http itself waits for the proxy for a minute
		go func() { _, _ = io.Copy(io.Discard, there) }()
		network.DialContext = func(context.Context, string, string) (net.Conn, error) { return here, nil }
		start := time.Now()
		c := newClient(t, network, func(cfg *Config) { cfg.RetryTimeout = 10 * time.Second })
		_, err := c.Attach(t.Context(), "p", "asm-1", Configuration{})
		if e := as[*Error](t, err); e.Outcome != Stopped || e.Err.Error() != "no connection within 10s" {
			t.Errorf("outcome %d: %v", e.Outcome, err)
		}
		since(t, start, 10*time.Second)
	})
}

// TestMistakes checks which errors are probably caused by a wrong setting.
func TestMistakes(t *testing.T) {
	t.Parallel()
	rejected := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, row := range []struct {
		err  error
		want bool
	}{
		{rejected, true},
		{fmt.Errorf("x: %w", rejected), true},
		{&net.DNSError{IsNotFound: true}, true},
		{&ProxyError{Status: 403}, true},
		{http.ErrSchemeMismatch, true},
		{&tls.CertificateVerificationError{Err: errReset}, true},
		{&net.OpError{Op: "proxyconnect", Err: rejected}, true},
		{&net.DNSError{IsTemporary: true}, false},
		{&ProxyError{Status: 502}, false},
		{errReset, false},
		{nil, false},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNREFUSED)}, false},
		{&timeoutError{}, false},
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
	for _, op := range operations {
		before := requests.Load()
		c, attempts := counted(t, server.URL+"/v1", Network(requestTimeout))
		err := op.run(t.Context(), c)
		if e := as[*Error](t, err); e.Status != 307 || e.Outcome != Unknown || attempts.Load() != 1 ||
			requests.Load() != before+1 {
			t.Errorf("%s: %d requests: %v", op.method, requests.Load()-before, err)
		}
	}
}
