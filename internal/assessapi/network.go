// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// Network returns the transport for a real service. It uses the trust store of the system, TLS 1.2 or later, and the
// proxy settings of the environment (see [proxyOf]).
func Network(requestTimeout time.Duration) *http.Transport {
	// The dialer ends before requestTimeout, because only its error says which address was not reached, such as
	// a proxy's.
	dialer := net.Dialer{Timeout: min(requestTimeout/3, 5*time.Second)}
	t := &http.Transport{
		Proxy:                  func(req *http.Request) (*url.URL, error) { return proxyOf(req.URL), nil },
		OnProxyConnectResponse: checkProxy,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    5 * time.Second, // see also connectTime
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		Protocols:              new(http.Protocols),
		MaxIdleConnsPerHost:    32, // CLIs make 10 calls in parallel by default, and net/http would keep 2
		IdleConnTimeout:        90 * time.Second,
	}
	// Over HTTP/2, net/http may repeat a request by itself, even a POST, and the limits would not count the repetition.
	t.Protocols.SetHTTP1(true)
	return t
}

// proxyOf returns the proxy that the environment sets for an address, or nil. It always returns nil for an address
// without TLS, because a proxy would see the credentials. Such an address is on this machine.
func proxyOf(u *url.URL) *url.URL {
	if u == nil || u.Scheme != "https" {
		return nil
	}
	proxy, _ := http.ProxyFromEnvironment(&http.Request{URL: u}) // never an error for https
	return proxy
}

// ProxyError means that a proxy has not connected to the service. It contains no credentials.
type ProxyError struct {
	Host   string // of the proxy, with its port
	Status int    // the response of the proxy
}

func (e *ProxyError) Error() string {
	return fmt.Sprintf("the proxy %s answered %s", e.Host, statusLine(e.Status))
}

// checkProxy returns an error unless a proxy has connected to the service.
func checkProxy(_ context.Context, proxy *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &ProxyError{Host: proxy.Host, Status: resp.StatusCode}
}

// timeoutError means that one attempt took too long. The next attempt may succeed.
type timeoutError struct {
	missing string // "connection" or "response"
	after   time.Duration
}

func (e *timeoutError) Error() string { return fmt.Sprintf("no %s within %s", e.missing, e.after) }

// neverConnected reports whether an error means that the service cannot have read the request: there was no connection
// to the service or to the proxy, or a server with TLS 1.3 demands a client certificate. This demand may arrive after
// the request was sent, but before the server reads the request.
func neverConnected(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok {
		return false
	}
	demandsCertificate := isAlert(err) && op.Err.Error() == certificateRequired.Error()
	return op.Op == "dial" || op.Op == "proxyconnect" || demandsCertificate
}

// certificateRequired is the TLS alert with which a server demands a client certificate (RFC 8446, section 6.2).
const certificateRequired tls.AlertError = 116

// IsProxyConnection reports whether the connection to the proxy itself has failed.
func IsProxyConnection(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "proxyconnect"
}

// isAlert reports whether the server has rejected the connection with a TLS alert.
func isAlert(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error"
}

// isMistake reports whether an error is probably caused by a wrong setting: the host does not exist, nothing listens
// there, the TLS handshake fails, or the proxy rejects the connection.
func isMistake(err error) bool {
	dns, unresolved := errors.AsType[*net.DNSError](err)
	proxy, proxied := errors.AsType[*ProxyError](err)
	isRefused := neverConnected(err) && errors.Is(err, syscall.ECONNREFUSED)
	return unresolved && dns.IsNotFound || proxied && proxy.Status < 500 || isRefused || isTLSMistake(err)
}

func isTLSMistake(err error) bool {
	return isAlert(err) || errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError))
}

// explain adds the likely cause to an error of TLS with the service. It returns every other error unchanged.
func explain(err error) error {
	var record tls.RecordHeaderError
	switch {
	case IsProxyConnection(err):
		return err
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/":
		return http.ErrSchemeMismatch
	case isAlert(err): // servers with TLS 1.2 demand a certificate with several alerts
		return fmt.Errorf("%w. If the server demands a client certificate: the provider does not support client "+
			"certificates", err)
	}
	return err
}
