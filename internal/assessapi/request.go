// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf16"
)

// route is a path of the contract. Logs and errors show the template, without IDs.
type route struct {
	template string
	path     string // each ID escaped as one segment
	err      error  // the result of a call, if an ID cannot be a segment
}

// newRoute inserts IDs into a template such as "/positions/{position}/results".
func newRoute(template string, ids ...string) route {
	var path strings.Builder
	rest := template
	for _, id := range ids {
		before, after, _ := strings.Cut(rest, "{")
		name, after, _ := strings.Cut(after, "}")
		if !isSegment(id) {
			return route{template: template, err: fmt.Errorf("%q cannot be the ID of the %s in an address", id, name)}
		}
		path.WriteString(before + url.PathEscape(id))
		rest = after
	}
	return route{template: template, path: path.String() + rest}
}

// isSegment reports whether an ID can be a segment of a path. "." and ".." would be resolved to another address on the
// way to the service.
func isSegment(id string) bool { return id != "" && id != "." && id != ".." }

// request is a request that a method of [Client] sends.
type request struct {
	method string
	route  route
	query  string // encoded
	body   []byte // JSON, or nil
	limits Limits
	// check is called before a write is repeated, if an attempt may have had an effect. Its error ends the call. It may
	// be nil.
	check func(context.Context) error
}

func (r request) isRead() bool { return r.method == http.MethodGet }

func (c *Client) address(r route, query string) string {
	address := c.cfg.BaseURL.String() + r.path
	if query != "" {
		address += "?" + query
	}
	return address
}

// httpRequest returns a request for net/http, with the configured headers and the client's own headers, such as the
// credentials. A configured header never replaces one of the client's own. The body is in ASCII.
func (c *Client) httpRequest(ctx context.Context, r request) (*http.Request, error) {
	// net/http repeats a GET by itself if the service has closed an idle connection, and the limits would not count the
	// second request. It does not repeat a request whose body it cannot read again, so a request without a body gets an
	// empty body of this kind.
	var body io.Reader = unrepeatable{http.NoBody}
	if r.body != nil {
		body = bytes.NewReader(asciiJSON(r.body))
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.address(r.route, r.query), body)
	if err != nil {
		return nil, err
	}
	for name, value := range c.cfg.Headers { // first, so that the client's headers replace them
		req.Header.Set(name, value)
	}
	req.SetBasicAuth(c.cfg.ClientID, c.cfg.APIKey)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Cache-Control", "no-cache") // a gateway may have a cache
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", c.cfg.UserAgent)
	return req, nil
}

// unrepeatable is an empty body that net/http does not recognize as empty.
type unrepeatable struct{ io.ReadCloser }

// marshal encodes a value as JSON. It cannot fail for the types of this package.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// asciiJSON writes each character above U+007E as \uXXXX, so that the charset in which the service reads a request does
// not matter (assumption A15). Outside of strings, JSON contains no such characters.
func asciiJSON(text []byte) []byte {
	out := make([]byte, 0, len(text)+16)
	for _, r := range string(text) {
		if r <= '~' {
			out = append(out, byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}
