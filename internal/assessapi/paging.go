// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// pageSize is the most that the service gives at once (section 4.10).
const pageSize = "1000"

// pager walks a collection page by page. A page that failed is asked for again
// by the next call.
type pager struct {
	client  *Client
	fields  string     // the optional fields to ask for
	filters url.Values // sent with the first page; later addresses hold them
	next    call
	ids     map[string]bool // seen on the pages so far
	pages   map[string]bool // addresses read so far
	done    bool
}

func (c *Client) pager(r route, fields string, filters url.Values) *pager {
	return &pager{
		client: c, fields: fields, filters: filters, next: call{method: http.MethodGet, route: r},
		ids: map[string]bool{}, pages: map[string]bool{},
	}
}

// read returns the elements of the next page in the service's order; done says
// afterwards that it was the last.
func (p *pager) read(ctx context.Context) ([]json.RawMessage, error) {
	ans, err := p.client.page(ctx, p.next, p.fields, p.filters)
	if err != nil {
		return nil, err
	}
	list, after, err := parsePage(ans)
	if err != nil {
		return nil, p.problem(err)
	}
	next := ""
	if after != "" {
		p.pages[ans.url.String()] = true
		if next, err = p.client.nextPage(ans.url, after, p.pages); err != nil {
			return nil, p.problem(err)
		}
	}
	if err := repeated(list, p.ids); err != nil {
		return nil, p.problem(err)
	}
	p.next.page, p.done = next, next == ""
	return list, nil
}

func (p *pager) problem(err error) error {
	return &ShapeError{Method: http.MethodGet, Route: p.next.route.template, Problem: err.Error()}
}

// page fetches one page. A service may refuse the names that we ask for in
// `fields`, or `limit` on a route where the specification does not show it: a
// 400 is then asked again without them, and so is all that follows
// (assumption A24).
func (c *Client) page(ctx context.Context, next call, fields string, filters url.Values) (*answer, error) {
	if next.page != "" {
		return c.do(ctx, next)
	}
	next.query = url.Values{}
	for name, values := range filters {
		next.query[name] = values
	}
	c.mu.Lock()
	plain := c.plain[next.route.template]
	c.mu.Unlock()
	if plain {
		return c.do(ctx, next)
	}
	full := next
	full.query = url.Values{"limit": {pageSize}}
	for name, values := range filters {
		full.query[name] = values
	}
	if fields != "" {
		full.query.Set("fields", fields)
	}
	ans, refused := c.do(ctx, full)
	if !hasStatus(refused, http.StatusBadRequest) {
		return ans, refused
	}
	ans, err := c.do(ctx, next)
	if err != nil {
		return nil, refused
	}
	c.mu.Lock()
	first := len(c.plain) == 0
	c.plain[next.route.template] = true
	c.mu.Unlock()
	if first {
		c.cfg.Notice("The service refuses optional fields",
			fmt.Sprintf("GET %s was refused with fields=%s and limit=%s, and answered without them: %s\n\n"+
				"The run goes on without, so names and other optional fields may be missing.", next.route.template, fields, pageSize, refused))
	}
	return ans, nil
}

// parsePage finds the array of a page and the address of the next one, in
// every accepted envelope (assumptions A1 and A2).
func parsePage(ans *answer) ([]json.RawMessage, string, error) {
	next := nextOfHeader(ans.header.Values("Link"))
	var list []json.RawMessage
	body := bytes.TrimSpace(ans.body)
	if len(body) > 0 && body[0] == '[' {
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, "", fmt.Errorf("a list was due, %s came", describe(body))
		}
		return list, next, nil
	}
	envelope, err := parseObject(body)
	if err != nil {
		return nil, "", fmt.Errorf("a list was due, %s came", describe(body))
	}
	if next == "" {
		next = nextOf(linksOf(envelope.members["_links"]))
	}
	envelope.drop("_links")
	var arrays []string
	for _, name := range envelope.names() {
		if envelope.members[name][0] == '[' {
			arrays = append(arrays, name)
		}
	}
	switch {
	case len(arrays) == 1:
	case slices.Contains(arrays, resultsEnvelopeMember):
		arrays[0] = resultsEnvelopeMember
	case len(arrays) == 0:
		return nil, "", fmt.Errorf("a list was due, %s came, none of them an array", describe(body))
	default:
		return nil, "", fmt.Errorf("a list was due, an object with several arrays came: %s", strings.Join(arrays, ", "))
	}
	if err := json.Unmarshal(envelope.members[arrays[0]], &list); err != nil {
		return nil, "", err
	}
	return list, next, nil
}

// repeated reports an id that a list holds twice: it moved between two pages,
// and others may have been skipped.
func repeated(list []json.RawMessage, ids map[string]bool) error {
	for _, element := range list {
		var e struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(element, &e) != nil || len(e.ID) == 0 {
			continue
		}
		if ids[string(e.ID)] {
			return fmt.Errorf("the list holds the id %s twice: it changed while it was read, or the service repeats itself", shorten(string(e.ID), 100))
		}
		ids[string(e.ID)] = true
	}
	return nil
}

// nextPage resolves the address of the next page. The credentials go with it,
// so it must be of the origin that they belong to.
func (c *Client) nextPage(from *url.URL, next string, seen map[string]bool) (string, error) {
	u, err := from.Parse(next)
	if err != nil {
		return "", errors.New("the link to the next page is no address")
	}
	u.Fragment = ""
	if Origin(u) != Origin(c.cfg.BaseURL) || u.User != nil {
		return "", fmt.Errorf("the link to the next page points to another origin, %s: the credentials are not sent there", Origin(u))
	}
	if seen[u.String()] {
		return "", errors.New("the links to the next page run in a circle")
	}
	return u.String(), nil
}

func nextOf(links []link) string {
	for _, l := range links {
		if slices.Contains(strings.Fields(strings.ToLower(l.Rel)), "next") {
			return l.Href
		}
	}
	return ""
}

// A link-value of RFC 8288: an address in angle brackets and its parameters,
// whose values may be quoted and may then hold commas and semicolons.
var (
	linkValue = regexp.MustCompile(`<([^<>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]*))?)*)`)
	linkParam = regexp.MustCompile(`;\s*([^\s=;,]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]*)))?`)
)

// nextOfHeader finds the link with the relation `next` in Link headers.
func nextOfHeader(headers []string) string {
	for _, header := range headers {
		var links []link
		for _, value := range linkValue.FindAllStringSubmatch(header, -1) {
			for _, param := range linkParam.FindAllStringSubmatch(value[2], -1) {
				if strings.EqualFold(param[1], "rel") {
					links = append(links, link{Rel: param[2] + param[3], Href: strings.TrimSpace(value[1])})
					break // RFC 8288: further rel parameters are to be ignored
				}
			}
		}
		if next := nextOf(links); next != "" {
			return next
		}
	}
	return ""
}
