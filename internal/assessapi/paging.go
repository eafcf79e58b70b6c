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
	// pageSize is the most that the service gives at once (section 4.10).
	pageSize = "1000"
	// maxPages is more than any list has: a service that sends more never ends.
	maxPages = 10_000
)

// pager walks a collection page by page.
type pager struct {
	client  *Client
	fields  string     // the optional fields to ask for
	filters url.Values // sent with the first page; later addresses hold them
	next    call
	ids     map[string]bool // seen on the pages so far
	visited map[string]bool // addresses of the pages so far
	done    bool
	passes  int // how often reading began
}

func (c *Client) pager(r route, fields string, filters url.Values) *pager {
	return &pager{
		client: c, fields: fields, filters: filters, next: call{method: http.MethodGet, route: r},
		ids: map[string]bool{}, visited: map[string]bool{}, passes: 1,
	}
}

// restarts begins again after an error that says that the list changed while it
// was read: an element moved to a later page, so others may have been skipped.
func (p *pager) restarts(err error) bool {
	var shape *ShapeError
	if !errors.As(err, &shape) || !shape.moved || p.passes >= maxPasses {
		return false
	}
	p.passes++
	p.next.page = ""
	clear(p.ids)
	clear(p.visited)
	return true
}

// page is what one answer of a collection holds.
type page struct {
	elements  []*object
	ids       []string
	addresses []string // where it was asked for, and where it came from
	next      string   // the absolute address of the next page; "" on the last
}

// fetch reads the next page and checks it. Until take is called, the
// same page comes again.
func (p *pager) fetch(ctx context.Context) (*page, error) {
	ans, err := p.client.fetchPage(ctx, p.next, p.fields, p.filters)
	if err != nil {
		return nil, err
	}
	next, err := p.read(ans)
	if err != nil {
		return nil, p.problem(err)
	}
	return next, nil
}

func (p *pager) read(ans *answer) (*page, error) {
	member := ""
	if p.next.route.template == resultsRoute {
		member = resultsEnvelopeMember
	}
	texts, link, err := parsePage(ans, member)
	if err != nil {
		return nil, err
	}
	read := &page{addresses: []string{p.next.page, ans.url.String()}}
	if link != "" {
		if read.next, err = p.client.nextPage(ans.url, link); err != nil {
			return nil, err
		}
		if p.visited[read.next] || slices.Contains(read.addresses, read.next) {
			return nil, errors.New("the links to the next page run in a circle")
		}
		if len(p.visited) >= maxPages {
			return nil, fmt.Errorf("the list has more than %d pages", maxPages)
		}
	}
	if read.elements, err = parseElements(texts); err != nil {
		return nil, err
	}
	read.ids, err = newIDs(read.elements, p.ids)
	return read, err
}

// take accepts a page: the next one is read next.
func (p *pager) take(read *page) {
	for _, id := range read.ids {
		p.ids[id] = true
	}
	for _, address := range read.addresses {
		p.visited[address] = true
	}
	p.next.page, p.done = read.next, read.next == ""
}

func (p *pager) problem(err error) error {
	shape := p.client.shapeError(http.MethodGet, p.next.route, err.Error())
	shape.Changed = errors.Is(err, errRepeats)
	shape.moved = errors.Is(err, errMoved)
	return shape
}

// fetchPage fetches one page. A service may refuse the names that we ask for in
// `fields`, or `limit` on a route where the specification does not show it: a
// 400 is then asked again without them, and so is all that follows
// (assumption A24).
func (c *Client) fetchPage(ctx context.Context, next call, fields string, filters url.Values) (*answer, error) {
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
	ans, refused := c.do(ctx, full)
	if !hasStatus(refused, http.StatusBadRequest) {
		return ans, refused
	}
	ans, err := c.do(ctx, next)
	switch {
	case hasStatus(err, http.StatusBadRequest):
		return nil, refused // it was not for the optional parameters
	case err != nil:
		return nil, err
	}
	if c.setPlain(next.route) {
		c.cfg.Notice("The service refuses optional fields",
			fmt.Sprintf("GET %s was refused with %s, and answered without: %s\n\n"+
				"The run goes on without, so names and other optional fields may be missing.", next.route.template, asked, refused))
	}
	return ans, nil
}

func (c *Client) isPlain(r route) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plain[r.template]
}

// setPlain remembers a route whose optional parameters are refused, and reports
// whether it is the first of all.
func (c *Client) setPlain(r route) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := len(c.plain) == 0
	c.plain[r.template] = true
	return first
}

// parsePage finds the array of a page and the address of the next one, in every
// accepted envelope (assumptions A1 and A2). Where an object holds several
// arrays, it is the one of the member that is given, if any.
func parsePage(ans *answer, member string) ([]json.RawMessage, string, error) {
	next := nextOfHeader(ans.header.Values("Link"))
	var list []json.RawMessage
	if json.Unmarshal(ans.body, &list) == nil && list != nil {
		return list, next, nil
	}
	envelope, err := parseObject(ans.body)
	if err != nil {
		return nil, "", fmt.Errorf("a list was due, %s came", describe(ans.body))
	}
	if next == "" {
		links, err := linksOf(envelope.members["_links"])
		if err != nil {
			return nil, "", err // the list would end here without notice
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
		return nil, "", fmt.Errorf("a list was due, %s came, none of them an array", describe(ans.body))
	case len(arrays) > 1:
		return nil, "", fmt.Errorf("a list was due, %s came, several of them arrays", describe(ans.body))
	}
	if err := json.Unmarshal(envelope.members[arrays[0]], &list); err != nil {
		return nil, "", err
	}
	return list, next, nil
}

func parseElements(texts []json.RawMessage) ([]*object, error) {
	elements := make([]*object, 0, len(texts))
	for _, text := range texts {
		element, err := parseObject(text)
		if err != nil {
			return nil, fmt.Errorf("in the list, %w", err)
		}
		element.text = text
		elements = append(elements, element)
	}
	return elements, nil
}

var (
	errRepeats = errors.New("it changed while it was read, or the service repeats itself")
	errMoved   = fmt.Errorf("%w", errRepeats) // between two pages
)

// newIDs returns the ids of elements, as they are spelled. One that the list
// has held before is an error: it moved between two pages, and others may have
// been skipped.
func newIDs(elements []*object, before map[string]bool) ([]string, error) {
	ids := make([]string, 0, len(elements))
	here := make(map[string]bool, len(elements))
	for _, element := range elements {
		id := string(element.members["id"])
		if id == "" || id == "null" {
			continue
		}
		if before[id] {
			return nil, fmt.Errorf("the list holds the id %s twice: %w", id, errMoved)
		}
		if here[id] {
			return nil, fmt.Errorf("the list holds the id %s twice: %w", id, errRepeats)
		}
		here[id] = true
		ids = append(ids, id)
	}
	return ids, nil
}

// nextPage resolves the address of the next page. The credentials go with it,
// so it must be of the origin that they belong to.
func (c *Client) nextPage(from *url.URL, next string) (string, error) {
	u, err := from.Parse(next)
	if err != nil {
		return "", errors.New("the link to the next page is no address")
	}
	if Origin(u) != Origin(c.cfg.BaseURL) || u.User != nil {
		return "", fmt.Errorf(
			"the link to the next page points to another origin, %s: the credentials are not sent there",
			Origin(u),
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
