// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// follow returns the address of the next page. Behind a gateway, a service can write links with its own host, scheme or
// port, or without the prefix of the base URL. If its path is the route of the list behind any prefix, only its query
// is used, at our own address. Parameters that were sent with the first page, and that the link lacks, are added.
// Without them, later pages would lack fields, or contain what a filter excludes.
//
// Nothing is sent to another host, or outside the path of the base URL.
func (c *Client) follow(from *url.URL, next string, r route, sent url.Values) (string, error) {
	u, err := from.Parse(escapeRaw(next))
	if err != nil {
		return "", errors.New("the link to the next page is not an address")
	}
	own := c.cfg.BaseURL
	inside := Origin(u) == Origin(own) && strings.HasPrefix(u.EscapedPath(), own.EscapedPath()+"/")
	switch {
	case u.User != nil:
		return "", fmt.Errorf("the link to the next page contains credentials, for %s", shownOrigin(u))
	case isRoute(u, r) && (u.Scheme == "http" || u.Scheme == "https"):
		return c.address(call{route: r}) + "?" + withParameters(u.RawQuery, sent), nil
	case inside:
		u.Fragment, u.RawFragment = "", ""
		return u.String(), nil
	case Origin(u) == Origin(own):
		return "", fmt.Errorf("the link to the next page points outside of the path of %s: nothing is sent there",
			own)
	}
	return "", fmt.Errorf("the link to the next page points to another origin, %s: credentials and requests are sent "+
		"only to %s", shownOrigin(u), shownOrigin(own))
}

// isRoute reports whether the path of an address is a route behind any prefix. A service may escape other
// characters than the provider does.
func isRoute(u *url.URL, r route) bool {
	path, err := url.PathUnescape(r.path)
	return err == nil && strings.HasSuffix(strings.TrimRight(u.Path, "/"), path)
}

// withParameters adds parameters that a query lacks. It does not change what the query has.
func withParameters(query string, sent url.Values) string {
	has, _ := url.ParseQuery(query) // as far as it can be parsed
	missing := url.Values{}
	for name, values := range sent {
		if !has.Has(name) {
			missing[name] = values
		}
	}
	query = strings.Trim(query, "&")
	if len(missing) > 0 && query != "" {
		query += "&"
	}
	return query + missing.Encode()
}

// escapeRaw escapes spaces and characters outside of ASCII, which some services write into links as they are.
func escapeRaw(link string) string {
	var b strings.Builder
	for i := range len(link) {
		if c := link[i]; c <= ' ' || c > '~' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func nextOf(links []link) string {
	for _, l := range links {
		if slices.Contains(strings.Fields(strings.ToLower(l.Rel)), "next") {
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
					href := string(asUTF8([]byte(value[1]), ""))
					links = append(links, link{Rel: param[2] + param[3], Href: strings.TrimSpace(href)})
					break // RFC 8288: only the first rel parameter counts
				}
			}
		}
		if next := nextOf(links); next != "" {
			return next
		}
	}
	return ""
}

// NextLink returns the link to the next page as the service has written it, or "".
func NextLink(header http.Header, body []byte) string {
	_, next, _ := parsePage(&response{header: header, body: body}, resultsEnvelopeMember)
	return next
}
