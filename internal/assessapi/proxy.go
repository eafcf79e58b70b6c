// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// proxyOf returns the proxy of the environment for an address, or nil. A service on this
// machine can be reached without TLS, and then never through a proxy, which would see the
// credentials.
func proxyOf(u *url.URL) *url.URL {
	if u == nil || u.Scheme != "https" {
		return nil
	}
	proxy, _ := http.ProxyFromEnvironment(&http.Request{URL: u}) // never an error for https
	return proxy
}

// ProxyError means that a proxy has refused to connect to the service. It contains no
// credentials.
type ProxyError struct {
	Host   string // of the proxy, with its port
	Status int    // the answer of the proxy
}

func (e *ProxyError) Error() string {
	return fmt.Sprintf("the proxy %s answered %s", e.Host, statusLine(e.Status))
}

// Permanent reports whether the next attempt has the same result. A proxy answers 5xx if it
// cannot reach the service now.
func (e *ProxyError) Permanent() bool { return e.Status < 500 }

// checkProxy returns an error unless a proxy has connected to the service.
func checkProxy(_ context.Context, proxy *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &ProxyError{Host: proxy.Host, Status: resp.StatusCode}
}
