// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// isRaw reports whether a character must be encoded in an address.
func isRaw(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune("\"<>\\^`{|}", c) }

func originOf(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return strings.ToLower(u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port))
}

// stray returns what is wrong with the destination or the credentials of a request, or "".
func stray(r *http.Request, base *url.URL, body []byte) string {
	request := fmt.Sprintf("the request %s %s", r.Method, r.URL.Redacted())
	isClient := r.URL.Host != "" // and not a server
	if isClient && originOf(r.URL) != originOf(base) {
		return request + " goes to another origin than " + originOf(base)
	}
	if isClient && r.Host != "" && !strings.EqualFold(r.Host, r.URL.Host) {
		return request + " names another host: " + r.Host
	}
	if target := r.URL.RequestURI(); isClient && strings.ContainsFunc(target, isRaw) {
		return request + " has an address that is not encoded"
	}
	texts := []string{string(body)}
	if r.Response == nil { // an address to which the service redirects may repeat the key
		texts = append(texts, strings.TrimPrefix(r.URL.String(), base.String()))
	}
	for name, values := range r.Header {
		if name != "Authorization" {
			texts = append(texts, values...)
		}
	}
	if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, sandbox.APIKey) }) {
		return request + " carries the API key outside of the header Authorization"
	}
	return ""
}
