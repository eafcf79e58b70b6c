// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// ownNames are the host names that a server accepts, besides addresses. A web page can
// make its own name resolve to the server, and would then have the same origin (DNS
// rebinding). It cannot do that with an address.
type ownNames struct {
	names  []string
	remote bool // accepts any address instead of only loopback addresses
}

func namesOf(address string, remote bool) ownNames {
	own := ownNames{names: []string{"localhost"}, remote: remote}
	if !own.remote {
		return own
	}
	if host, _, err := net.SplitHostPort(address); err == nil && host != "" {
		own.names = append(own.names, host)
	}
	if host, err := os.Hostname(); err == nil {
		own.names = append(own.names, host)
	}
	return own
}

// include reports whether the server accepts the Host header of a request.
func (o ownNames) include(header string) bool {
	host := (&url.URL{Host: header}).Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return o.remote || ip.Unmap().IsLoopback()
	}
	return slices.ContainsFunc(o.names, func(name string) bool { return strings.EqualFold(name, host) })
}

// only refuses requests for other names.
func (o ownNames) only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.include(r.Host) {
			next.ServeHTTP(w, r)
			return
		}
		// The request has no Conversation-Id, because it never reaches the service.
		const conversation = "conv-misdirected"
		given := responseTo(refusal(http.StatusMisdirectedRequest, "MISDIRECTED",
			"this service answers requests for its own addresses and for %s only", strings.Join(o.names, ", ")), conversation)
		given.header.Set("Conversation-Id", conversation)
		protect(w.Header())
		given.write(w)
	})
}
