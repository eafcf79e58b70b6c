// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const maxRedirects = 10

// linkQuery returns the query of a link to the next page. Behind a gateway, a service can write links with its own
// host, scheme or port, or without the prefix of the base URL. So if the path of a link is the route of the list behind
// any prefix, its query is used at our own address.
//
// Because the client builds each path itself, nothing is sent to another host, or outside the path of the base URL.
func (c *Client) linkQuery(from *url.URL, next string, r apiRoute) (string, error) {
	u, err := from.Parse(escapeRaw(next))
	if err != nil {
		return "", errors.New("the link to the next page is not an address")
	}
	if !isRoute(u, r) {
		return "", fmt.Errorf("the link to the next page points to %s, which is not a page of %s: nothing is sent there",
			withoutQuery(u), c.address(apiRequest{route: r}))
	}
	return u.RawQuery, nil
}

// checkRedirect allows redirects only for reads, and only to the same route at the same origin. The credentials belong
// to that origin. The response to a write must come from the address to which it was sent.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case via[0].Method != http.MethodGet:
		return http.ErrUseLastResponse
	case len(via) >= maxRedirects:
		return &RedirectError{}
	case Origin(req.URL) != Origin(c.cfg.BaseURL) || !isRoute(req.URL, callOf(req.Context()).route):
		return &RedirectError{To: excerpt(withoutQuery(req.URL), c.mask, 300)}
	}
	return nil
}

// isRoute reports whether the path of an address is a route behind any prefix. A service may escape other characters
// than the provider does.
func isRoute(u *url.URL, r apiRoute) bool {
	path, route := segmentsOf(u.EscapedPath()), segmentsOf(r.path)
	return len(path) >= len(route) && slices.Equal(path[len(path)-len(route):], route)
}

// segmentsOf returns the segments of a path, decoded.
func segmentsOf(path string) []string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, segment := range segments {
		segments[i], _ = url.PathUnescape(segment) // an encoded path is always valid
	}
	return segments
}

// withParameters adds parameters that were sent with the first page, and that the query of a link lacks. Without them,
// later pages would lack fields, or contain what a filter excludes. It does not change what the query has. If several
// values of a parameter were sent, the query must have all of them, because a gateway may keep only one.
func withParameters(query string, sent url.Values) string {
	has, _ := url.ParseQuery(query) // as far as it can be parsed
	missing := url.Values{}
	for name, values := range sent {
		for _, value := range values {
			if !has.Has(name) || len(values) > 1 && !slices.Contains(has[name], value) {
				missing.Add(name, value)
			}
		}
	}
	query = strings.Trim(query, "&")
	if len(missing) > 0 && query != "" {
		query += "&"
	}
	return query + missing.Encode()
}

// escapeRaw escapes characters that an address cannot contain (RFC 3986), and that some services write into links as
// they are.
func escapeRaw(link string) string {
	var b strings.Builder
	inQuery := false
	for i := range len(link) {
		c := link[i]
		raw := c <= ' ' || c > '~' || strings.IndexByte("\"<>\\^`{|}", c) >= 0
		if inQuery && !raw {
			raw = c == '[' || c == ']' || c == '%' && !isEscape(link[i:])
		}
		if inQuery = inQuery || c == '?'; raw {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// isEscape reports whether a text begins with a percent sign and two hexadecimal digits.
func isEscape(text string) bool {
	_, err := hex.DecodeString(text[1:min(3, len(text))])
	return err == nil && len(text) > 2
}

// hrefOf returns the first address with a relation, or "".
func hrefOf(links []link, relation string) string {
	for _, l := range links {
		if slices.Contains(strings.Fields(strings.ToLower(l.Rel)), relation) && l.Href != "" {
			return l.Href
		}
	}
	return ""
}

// A link-value of RFC 8288: an address in angle brackets and its parameters. Quoted
// values may contain commas and semicolons.
var (
	linkValue = regexp.MustCompile(`<([^<>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]*))?)*)`)
	linkParam = regexp.MustCompile(`;\s*([^\s=;,]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]*)))?`)
)

// nextOfHeader returns the link with the relation `next` from Link headers.
func nextOfHeader(headers []string) string {
	for _, header := range headers {
		var links []link
		for _, value := range linkValue.FindAllStringSubmatch(header, -1) {
			for _, param := range linkParam.FindAllStringSubmatch(value[2], -1) {
				if strings.EqualFold(param[1], "rel") {
					href, _ := asUTF8([]byte(value[1]), "") // without a charset, there is no error
					links = append(links, link{Rel: param[2] + param[3], Href: strings.TrimSpace(string(href))})
					break // RFC 8288: only the first rel parameter counts
				}
			}
		}
		if next := hrefOf(links, "next"); next != "" {
			return next
		}
	}
	return ""
}
