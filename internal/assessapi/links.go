// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const maxRedirects = 10

// follow returns the address of the next page. Behind a gateway, a service can write links with its own host, scheme or
// port, or without the prefix of the base URL. If its path is the route of the list behind any prefix, only its query
// is used, at our own address. Parameters that were sent with the first page, and that the link lacks, are added.
// Without them, later pages would lack fields, or contain what a filter excludes.
//
// Nothing is sent to another host, or outside the path of the base URL.
func (c *Client) follow(from *url.URL, next string, r apiRoute, sent url.Values) (string, error) {
	u, err := from.Parse(escapeRaw(next))
	if err != nil {
		return "", errors.New("the link to the next page is not an address")
	}
	if u.User != nil {
		return "", fmt.Errorf("the link to the next page contains credentials, for %s", shownOrigin(u))
	}
	same, err := c.leadsTo(u, r)
	switch {
	case err != nil:
		return "", fmt.Errorf("the link to the next page %w", err)
	case same:
		return c.address(apiRequest{route: r}) + "?" + withParameters(u.RawQuery, sent), nil
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String(), nil
}

// leadsTo reports whether an address, of a link or a redirect, is a route behind any prefix. If it is another one, it
// must be below the base URL, and not another list of the contract, because the elements of two lists must not mix. A
// single object says itself which one it is.
func (c *Client) leadsTo(u *url.URL, r apiRoute) (same bool, err error) {
	own := c.cfg.BaseURL
	inside := Origin(u) == Origin(own) && strings.HasPrefix(u.EscapedPath(), own.EscapedPath()+"/")
	other := templateOf(u)
	isObject := other == r.template && strings.HasSuffix(other, "}")
	switch {
	case climbs(u.Path):
		return false, fmt.Errorf(`has a segment such as "..", which can lead outside of the path of %s: nothing is sent `+
			"there", own)
	case isRoute(u, r) && (u.Scheme == "http" || u.Scheme == "https"):
		return true, nil
	case inside && (other == "" || isObject):
		return false, nil
	case inside:
		return false, fmt.Errorf("points to another list of %s, %s: nothing is sent there", own, other)
	case Origin(u) == Origin(own):
		return false, fmt.Errorf("points outside of the path of %s: nothing is sent there", own)
	}
	return false, fmt.Errorf("points to another origin, %s: credentials and requests are sent only to %s",
		shownOrigin(u), shownOrigin(own))
}

// checkRedirect allows redirects only for reads, and only where a link may lead (see
// [Client.leadsTo]), but never to another origin. The credentials belong to that origin and its path.
// The response to a write must come from the address to which it was sent.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet {
		return http.ErrUseLastResponse
	}
	if Origin(req.URL) != Origin(c.cfg.BaseURL) {
		return &RedirectError{To: excerpt(shownOrigin(req.URL), c.mask, 300)}
	}
	if len(via) >= maxRedirects {
		return &RedirectError{}
	}
	if _, err := c.leadsTo(req.URL, callOf(req.Context()).route); err != nil {
		return &RedirectError{To: excerpt(withoutQuery(req.URL), c.mask, 300), Why: excerpt(err.Error(), c.mask, 300)}
	}
	return nil
}

// climbs reports whether a server may take a segment of a path for a parent folder, such as "%2e%2e", "..;x" or
// "..%5c". The path is decoded once. Some servers decode it twice.
func climbs(path string) bool {
	if again, err := url.PathUnescape(path); err == nil && again != path && climbs(again) {
		return true
	}
	for segment := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
			return true
		}
	}
	return false
}

// templates are the routes of the contract. [kindOf] adds those of objects.
var templates = []string{
	"/assessments", "/assessments/{assessment}/packages", "/assessments/{assessment}/benchmarks",
	"/assessments/{assessment}/profiles", "/assessments/{assessment}/skills",
	"/assessments/{assessment}/skills/{skills test}", "/positions", resultsRoute,
}

// templateOf returns the longest route of the contract with which the path of an address ends, or "".
func templateOf(u *url.URL) (longest string) {
	path := segmentsOf(u.EscapedPath())
	for _, template := range templates {
		isEnd := endsWith(path, strings.Split(template[1:], "/"), func(has, wants string) bool {
			return has == wants || strings.HasPrefix(wants, "{")
		})
		if isEnd && strings.Count(template, "/") > strings.Count(longest, "/") {
			longest = template
		}
	}
	return longest
}

// isRoute reports whether the path of an address is a route behind any prefix, and not the end of a longer one. A
// service may escape other characters than the provider does.
func isRoute(u *url.URL, r apiRoute) bool {
	isEnd := endsWith(segmentsOf(u.EscapedPath()), segmentsOf(r.path), func(a, b string) bool { return a == b })
	return isEnd && templateOf(u) == r.template
}

// segmentsOf returns the segments of a path, decoded.
func segmentsOf(path string) []string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, segment := range segments {
		if decoded, err := url.PathUnescape(segment); err == nil {
			segments[i] = decoded
		}
	}
	return segments
}

func endsWith(path, end []string, equal func(a, b string) bool) bool {
	return len(path) >= len(end) && slices.EqualFunc(path[len(path)-len(end):], end, equal)
}

// withParameters adds parameters that a query lacks. It does not change what the query has. If several values of a
// parameter were sent, the query must have all of them, because a gateway may keep only one.
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

// Elements returns the elements of a page, or none if the client cannot read it.
func Elements(body []byte) []json.RawMessage {
	list, _, _, _ := parsePage(&answer{body: body}, resultsEnvelopeMember)
	return list
}

// NextLink returns the link to the next page as the service has written it, or "".
func NextLink(header http.Header, body []byte) string {
	_, next, _, _ := parsePage(&answer{header: header, body: body}, resultsEnvelopeMember)
	return next
}
