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
	"slices"
	"syscall"
	"time"
)

// Network returns the transport for a real service. It uses the trust store of the system, TLS 1.2 or later, and the
// proxy settings of the environment (see [proxyOf]).
//
// It speaks only HTTP/1.1. Over HTTP/2, net/http may send a request again by itself, also a POST, and the limits would
// not count that.
//
// It connects within ten seconds (connectTime): five to connect, for all addresses of the host together, and five for
// TLS. A shorter request_timeout leaves a third for connecting.
func Network(requestTimeout time.Duration) *http.Transport {
	dialer := net.Dialer{Timeout: min(requestTimeout/3, 5*time.Second), KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Proxy:                  func(req *http.Request) (*url.URL, error) { return proxyOf(req.URL), nil },
		OnProxyConnectResponse: checkProxy,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    5 * time.Second,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		Protocols:              new(http.Protocols),
		MaxIdleConnsPerHost:    32, // a run sends up to 10 requests in parallel, and 20 per second
		IdleConnTimeout:        90 * time.Second,
	}
	t.Protocols.SetHTTP1(true)
	return t
}

// proxyOf returns the proxy of the environment for an address, or nil. A service on this machine can be reached without
// TLS, and then never through a proxy, which would see the credentials.
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

// neverConnected reports whether an error means that there was no connection to the service or to the proxy, so that
// nothing was sent.
func neverConnected(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") || isRejectedByAlert(err)
}

// handshakeAlerts are the TLS alerts with which a server rejects what the client offers (RFC 8446, section 6.2). A
// server sends other alerts also for faults that end by themselves.
var handshakeAlerts = []tls.AlertError{
	40, 42, 43, 44, 45, 46, 48, 49, // handshake failure, certificates, unknown authority, access denied
	70, 71, 86, 112, certificateRequired, 120, // versions and ciphers, unknown name, protocols
}

const certificateRequired tls.AlertError = 116

// isRejectedByAlert reports whether the server has rejected the connection with a TLS alert. With TLS 1.3, the alert
// may arrive after the request was sent. The server has not read the request then.
func isRejectedByAlert(err error) bool {
	return slices.ContainsFunc(handshakeAlerts, func(a tls.AlertError) bool { return isAlert(err, a) })
}

func isAlert(err error, alert tls.AlertError) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" && op.Err.Error() == alert.Error()
}

// isMistake reports whether an error is probably caused by a wrong setting: the host does not exist, nothing listens
// there, the TLS handshake fails, or the proxy rejects the connection.
func isMistake(err error) bool {
	dns, unresolved := errors.AsType[*net.DNSError](err)
	proxy, proxied := errors.AsType[*ProxyError](err)
	return unresolved && dns.IsNotFound || proxied && proxy.Status < 500 || neverConnected(err) && isConnectionRefused(err) ||
		errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError)) ||
		errors.Is(err, http.ErrSchemeMismatch) || isRejectedByAlert(err)
}

func isConnectionRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// explain returns an error with the likely cause of a TLS mistake.
func explain(err error) error {
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/":
		return http.ErrSchemeMismatch
	case isAlert(err, certificateRequired):
		return fmt.Errorf("%w. The server demands a client certificate, and the provider does not support client "+
			"certificates", err)
	case isAlert(err, 40), isAlert(err, 42): // servers with TLS 1.2
		return fmt.Errorf("%w. If the server demands a client certificate: the provider does not support client "+
			"certificates", err)
	}
	return err
}
