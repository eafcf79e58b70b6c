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

// apiRoute is a path of the contract. Logs and errors show the template, without ids.
type apiRoute struct {
	template string
	path     string // each id escaped as one segment
	err      error  // the result of a call, if an id cannot be a segment
}

// newRoute inserts ids into a template such as "/positions/{position}/results".
func newRoute(template string, ids ...string) apiRoute {
	var path strings.Builder
	rest := template
	for _, id := range ids {
		before, after, _ := strings.Cut(rest, "{")
		name, after, _ := strings.Cut(after, "}")
		if !isSegment(id) {
			return apiRoute{err: fmt.Errorf("%q cannot be the id of the %s in an address", id, name)}
		}
		path.WriteString(before + url.PathEscape(id))
		rest = after
	}
	return apiRoute{template: template, path: path.String() + rest}
}

// isList reports whether a route is a list of the organization, which has no ID in its path.
func (r apiRoute) isList() bool { return r.path != "" && r.path == r.template }

// isSegment reports whether an id can be a segment of a path. "." and ".." would be
// resolved to another address on the way to the service.
func isSegment(id string) bool { return id != "" && id != "." && id != ".." }

// apiRequest is what a method of [Client] sends.
type apiRequest struct {
	method string
	route  apiRoute
	query  string // encoded
	body   []byte // JSON, or nil
}

// operation is the same for all requests of one kind.
func (r apiRequest) operation() string { return r.method + " " + r.route.template }

// answer is a response whose body has been read.
type answer struct {
	status int
	header http.Header
	body   []byte
	url    *url.URL // of the response, after redirects
	isCopy bool     // whether it repeats an earlier answer, see [speaker.hear]
}

func (c *Client) address(r apiRequest) string {
	address := c.cfg.BaseURL.Scheme + "://" + c.cfg.BaseURL.Host + c.cfg.BaseURL.EscapedPath() + r.route.path
	if r.query != "" {
		address += "?" + r.query
	}
	return address
}

// encode returns a request for net/http.
func (c *Client) encode(ctx context.Context, r apiRequest) (*http.Request, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(asciiJSON(r.body))
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.address(r), body)
	if err != nil {
		return nil, err
	}
	for name, value := range c.cfg.Headers {
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

// do sends a request, retries it if that is safe, and returns a 2xx or an error. What stops one call can stop
// all others of the run (see [health]).
func (c *Client) do(ctx context.Context, r apiRequest) (*answer, error) {
	if r.route.err != nil {
		return nil, r.route.err
	}
	leave, err := c.health.enter(ctx, r.operation())
	if err != nil {
		return nil, err
	}
	defer leave()
	a, err := c.send(ctx, r)
	switch {
	case err == nil && r.method == http.MethodGet:
		c.health.returned(r.route)
	case StopsRun(err):
	case says(err, http.StatusForbidden):
		err = c.confirmForbidden(ctx, r, err)
	case says(err, http.StatusUnauthorized):
		err = c.health.refuse(err)
	}
	return a, err
}

// parseObject reads an object that the service has returned.
func (c *Client) parseObject(text []byte) (*jsonObject, error) {
	o, err := parseJSONObject(text)
	if err == nil {
		o.raw, o.mask = text, c.mask
	}
	return o, err
}

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

// asciiJSON writes each character above U+007E as \uXXXX, so that the charset in which
// the service reads a request does not matter (assumption A15). Outside of strings, JSON
// contains no such characters.
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
