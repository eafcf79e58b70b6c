// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf16"
)

// route is a path of the contract. Logs and errors show the template, without ids.
type route struct {
	template string
	path     string // each id escaped as one segment
	err      error  // the result of a call, if an id cannot be a segment
}

// newRoute inserts ids into a template such as "/positions/{position}/results".
func newRoute(template string, ids ...string) route {
	var path strings.Builder
	rest := template
	for _, id := range ids {
		before, after, _ := strings.Cut(rest, "{")
		name, after, _ := strings.Cut(after, "}")
		if !isSegment(id) {
			return route{err: fmt.Errorf("%q cannot be the id of the %s in an address", id, name)}
		}
		path.WriteString(before + url.PathEscape(id))
		rest = after
	}
	return route{template: template, path: path.String() + rest}
}

// isList reports whether a route is a list of the organization, which has no ID in its path.
func (r route) isList() bool { return r.path != "" && r.path == r.template }

// isSegment reports whether an id can be a segment of a path. "." and ".." would be
// resolved to another address on the way to the service.
func isSegment(id string) bool { return id != "" && id != "." && id != ".." }

// call is a request that is not encoded yet.
type call struct {
	method string
	route  route
	query  url.Values
	body   []byte // JSON, or nil
	page   string // the absolute address of a later page, instead of route and query
}

// response is a response whose body has been read.
type response struct {
	status int
	header http.Header
	body   []byte
	url    *url.URL // of the response, after redirects
}

func (c *Client) address(cl call) string {
	if cl.page != "" {
		return cl.page
	}
	address := c.cfg.BaseURL.Scheme + "://" + c.cfg.BaseURL.Host + c.cfg.BaseURL.EscapedPath() + cl.route.path
	if len(cl.query) > 0 {
		address += "?" + cl.query.Encode()
	}
	return address
}

// do sends a call, retries it if that is safe, and returns a 2xx or an error. What stops one call can stop
// all others of the run (see [health]).
func (c *Client) do(ctx context.Context, cl call) (*response, error) {
	if cl.route.err != nil {
		return nil, cl.route.err
	}
	leave, err := c.health.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	resp, err := c.send(ctx, cl)
	var refused *Error
	switch {
	case err == nil && cl.method == http.MethodGet:
		c.health.returned(cl.route)
	case errors.As(err, new(*RepeatedError)), !errors.As(err, &refused):
	case refused.Status == http.StatusForbidden:
		err = c.confirmForbidden(ctx, cl, err)
	case refused.Status == http.StatusUnauthorized:
		err = c.health.unauthorized(err)
	}
	return resp, err
}

func (c *Client) send(ctx context.Context, cl call) (*response, error) {
	ctx, cancel := c.cfg.Timeout(ctx, c.cfg.RetryTimeout)
	defer cancel()
	log := &attempts{
		method: cl.method, route: cl.route.template, at: cl.route, address: c.address(call{route: cl.route}), mask: c.mask,
		speaker: &c.speaker, health: c.health, start: time.Now(),
	}
	ctx = context.WithValue(ctx, attemptsKey{}, log)

	resp, err := c.sendAgain(ctx, cl)
	inVain := log.vain || timedOut(ctx)
	if err != nil {
		if repeated := (*RepeatedError)(nil); errors.As(err, &repeated) {
			return nil, repeated
		}
		if err = log.failure(ctx, err); inVain {
			err = c.health.giveUp(err, cl.method)
		}
		return nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body) // from memory, because the attempt has read it
	if err != nil {
		return nil, log.failure(ctx, err)
	}
	c.speaker.hear(resp)
	if resp.StatusCode/100 != 2 {
		err = log.refused(resp, got)
		if inVain && isOutage(resp.StatusCode) {
			err = c.health.giveUp(err, cl.method)
		}
		return nil, err
	}
	answer := &response{status: resp.StatusCode, header: resp.Header, body: got, url: resp.Request.URL}
	if answer.isCached() {
		c.NoteCached()
	}
	return answer, nil
}

// newRequest returns the request of one attempt.
func (c *Client) newRequest(ctx context.Context, cl call) (*http.Request, error) {
	var body io.Reader
	if cl.body != nil {
		body = bytes.NewReader(asciiJSON(cl.body))
	}
	req, err := http.NewRequestWithContext(ctx, cl.method, c.address(cl), body)
	if err != nil {
		return nil, err
	}
	for name, value := range c.cfg.Headers {
		req.Header.Set(name, value)
	}
	req.SetBasicAuth(c.cfg.ClientID, c.cfg.APIKey)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Cache-Control", "no-cache") // a gateway may have a cache
	if cl.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", c.cfg.UserAgent)
	return req, nil
}

// get reads one object.
func (c *Client) get(ctx context.Context, r route) (*object, error) {
	resp, err := c.do(ctx, call{method: http.MethodGet, route: r})
	if err != nil {
		return nil, err
	}
	o, err := parseObject(resp.body)
	if err != nil {
		return nil, c.shapeError(http.MethodGet, r, err.Error())
	}
	o.mask = c.mask
	return o, nil
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
