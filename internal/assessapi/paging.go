// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	// pageSize is the largest page that the service returns.
	pageSize = "1000"
	// maxPages is more than any list has. It stops a service whose list never ends.
	maxPages = 10_000
)

// pager reads a list page by page.
type pager struct {
	client  *Client
	fields  string     // the optional fields to request
	filters url.Values // sent with the first page, later addresses contain them
	next    call
	ids     map[string]bool // of all elements so far
	visited map[string]bool // of all pages so far
	done    bool
	doubt   error // why the pages may not be those of the service
	passes  int   // how often the list was read from the beginning
}

func (c *Client) pager(r route, fields string, filters url.Values) *pager {
	return &pager{
		client: c, fields: fields, filters: filters, next: call{method: http.MethodGet, route: r},
		ids: map[string]bool{}, visited: map[string]bool{}, passes: 1,
	}
}

// restarts starts to read the list again if the error says that the list changed while it
// was read: an element moved to a later page, so others may have been skipped. It reports
// whether it did.
func (p *pager) restarts(err error) bool {
	var shape *ShapeError
	if !errors.As(err, &shape) || !shape.moved || p.passes >= maxPasses {
		return false
	}
	p.passes++
	p.next.page, p.doubt = "", nil
	clear(p.ids)
	clear(p.visited)
	return true
}

// page is one page of a list.
type page struct {
	elements  []*object
	ids       []string
	addresses []string // the address of the request, and of the response
	doubt     error    // why it may not be that of the service
	next      string   // the absolute address of the next page, or "" on the last page
}

// fetch reads the next page and checks it. It returns the same page again until take is
// called.
func (p *pager) fetch(ctx context.Context) (*page, error) {
	resp, err := p.client.fetchPage(ctx, p.next, p.fields, p.filters)
	if err != nil {
		return nil, err
	}
	next, err := p.read(resp)
	if err != nil {
		return nil, p.problem(err)
	}
	return next, nil
}

func (p *pager) read(resp *response) (*page, error) {
	member := ""
	if p.next.route.template == resultsRoute {
		member = resultsEnvelopeMember
	}
	texts, link, err := parsePage(resp, member)
	if err != nil {
		return nil, err
	}
	read := &page{addresses: []string{p.next.page, resp.url.String()}, doubt: p.client.doubt(resp)}
	if link != "" {
		if read.next, err = p.client.nextPage(resp.url, link); err != nil {
			return nil, err
		}
		if p.visited[read.next] || slices.Contains(read.addresses, read.next) {
			return nil, errors.New("the links to the next page form a loop")
		}
		if len(p.visited) >= maxPages {
			return nil, fmt.Errorf("the list has more than %d pages", maxPages)
		}
	}
	if read.elements, err = p.client.parseElements(texts); err != nil {
		return nil, err
	}
	read.ids, err = newIDs(read.elements, p.ids)
	return read, err
}

// take accepts a page, so that fetch reads the next one.
func (p *pager) take(read *page) {
	for _, id := range read.ids {
		p.ids[id] = true
	}
	for _, address := range read.addresses {
		p.visited[address] = true
	}
	p.next.page, p.done = read.next, read.next == ""
	p.doubt = errors.Join(p.doubt, read.doubt)
}

func (p *pager) problem(err error) error {
	shape := p.client.shapeError(http.MethodGet, p.next.route, err.Error())
	shape.Changed = errors.Is(err, errRepeats)
	shape.moved = errors.Is(err, errMoved)
	return shape
}

// fetchPage requests one page. A service may refuse `limit` or `fields` on a route for
// which the specification does not show them. After a 400, the page is requested again
// without them, and so are all later pages of the route (assumption A24).
func (c *Client) fetchPage(ctx context.Context, next call, fields string, filters url.Values) (*response, error) {
	if next.page != "" {
		return c.do(ctx, next)
	}
	next.query = filters
	if c.isPlain(next.route) {
		return c.do(ctx, next)
	}
	full := next
	full.query = url.Values{"limit": {pageSize}}
	asked := "limit=" + pageSize
	if fields != "" {
		full.query.Set("fields", fields)
		asked += " and fields=" + fields
	}
	maps.Copy(full.query, filters)
	resp, refused := c.do(ctx, full)
	if !hasStatus(refused, http.StatusBadRequest) {
		return resp, refused
	}
	resp, err := c.do(ctx, next)
	switch {
	case hasStatus(err, http.StatusBadRequest):
		return nil, refused // the optional parameters were not the reason
	case err != nil:
		return nil, err
	}
	if c.setPlain(next.route) {
		c.cfg.Refused(asked, refused)
	}
	return resp, nil
}

func (c *Client) isPlain(r route) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plain[r.template]
}

// setPlain records that a route refuses optional parameters. It reports whether it is the
// first such route.
func (c *Client) setPlain(r route) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := len(c.plain) == 0
	c.plain[r.template] = true
	return first
}

// parsePage finds the array of a page and the address of the next page, in each accepted
// envelope (assumptions A1 and A2). If an object contains several arrays, parsePage uses
// the one in the given member.
func parsePage(resp *response, member string) ([]json.RawMessage, string, error) {
	next := nextOfHeader(resp.header.Values("Link"))
	var list []json.RawMessage
	if json.Unmarshal(resp.body, &list) == nil && list != nil {
		return list, next, nil
	}
	envelope, err := parseObject(resp.body)
	if err != nil {
		return nil, "", fmt.Errorf("expected a list, got %s", describe(resp.body))
	}
	if next == "" {
		links, err := linksOf(envelope.members["_links"])
		if err != nil {
			return nil, "", err // otherwise the list would silently end here
		}
		next = nextOf(links)
	}
	envelope.drop("_links")
	var arrays []string
	for _, name := range envelope.names() {
		if bytes.HasPrefix(envelope.members[name], []byte("[")) {
			arrays = append(arrays, name)
		}
	}
	switch {
	case slices.Contains(arrays, member):
		arrays[0] = member
	case len(arrays) == 0:
		return nil, "", fmt.Errorf("expected a list, got %s, none of them an array", describe(resp.body))
	case len(arrays) > 1:
		return nil, "", fmt.Errorf("expected a list, got %s, several of them arrays", describe(resp.body))
	}
	_ = json.Unmarshal(envelope.members[arrays[0]], &list) // it is an array of valid JSON
	return list, next, nil
}

func (c *Client) parseElements(texts []json.RawMessage) ([]*object, error) {
	elements := make([]*object, 0, len(texts))
	for _, text := range texts {
		element, err := parseObject(text)
		if err != nil {
			return nil, fmt.Errorf("in the list, %w", err)
		}
		element.text, element.mask = text, c.mask
		elements = append(elements, element)
	}
	return elements, nil
}

var (
	errRepeats = errors.New("the list changed while it was read, or the service repeats an element")
	errMoved   = fmt.Errorf("%w", errRepeats) // the element was on another page before
)

// newIDs returns the ids of elements exactly as they are written. It returns an error if
// an id occurred before: the element moved between two pages, and others may have been
// skipped.
func newIDs(elements []*object, before map[string]bool) ([]string, error) {
	ids := make([]string, 0, len(elements))
	here := make(map[string]bool, len(elements))
	for _, element := range elements {
		id := string(element.members["id"])
		if id == "" || id == "null" {
			continue
		}
		if before[id] {
			return nil, fmt.Errorf("the list contains the id %s twice: %w", id, errMoved)
		}
		if here[id] {
			return nil, fmt.Errorf("the list contains the id %s twice: %w", id, errRepeats)
		}
		here[id] = true
		ids = append(ids, id)
	}
	return ids, nil
}

// nextPage resolves the address of the next page. It must have the origin of the service,
// because the credentials are sent there.
func (c *Client) nextPage(from *url.URL, next string) (string, error) {
	u, err := from.Parse(next)
	if err != nil {
		return "", errors.New("the link to the next page is not an address")
	}
	if Origin(u) != Origin(c.cfg.BaseURL) || u.User != nil {
		return "", fmt.Errorf(
			"the link to the next page points to another origin, %s: the credentials are not sent there",
			shownOrigin(u),
		)
	}
	u.Fragment, u.RawFragment = "", ""
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
					links = append(links, link{Rel: param[2] + param[3], Href: strings.TrimSpace(value[1])})
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
