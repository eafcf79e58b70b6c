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
	next    apiRequest
	sent    url.Values      // with the first page
	refused error           // the 400 to more parameters, if this list has learned from it
	strict  bool            // whether the service refuses to get these parameters beside those of a link
	link    string          // to the next page, without parameters of ours
	ids     map[string]bool // of all elements so far
	visited map[string]bool // of all pages so far
	done    bool
	doubt   error // [ErrCached] if a page may be out of date
	passes  int   // how often the list was read from the beginning

	mayBeBare bool // whether elements may show only their IDs
}

func (c *Client) pager(r apiRoute, fields string, filters url.Values) *pager {
	return &pager{
		client: c, fields: fields, filters: filters, next: apiRequest{method: http.MethodGet, route: r},
		ids: map[string]bool{}, visited: map[string]bool{}, passes: 1,
	}
}

// applies reports whether the service has not received a filter, so that the provider must apply it.
func (p *pager) applies(filter string) bool { return p.filters.Has(filter) && !p.sent.Has(filter) }

// restarts starts to read the list again if the error says that the list changed while it
// was read: an element moved to a later page, so others may have been skipped. It reports
// whether it did.
func (p *pager) restarts(err error) bool {
	shape, _ := errors.AsType[*ShapeError](err)
	if shape == nil || !shape.moved || p.passes >= maxPasses {
		return false
	}
	p.passes++
	p.next.page, p.doubt = "", nil
	clear(p.ids)
	clear(p.visited)
	return true
}

// listPage is one page of a list.
type listPage struct {
	elements  []*jsonObject
	ids       []string
	addresses []string // the address of the request, and of the response
	doubt     error    // [ErrCached] if it may be out of date
	next      string   // the absolute address of the next page, or "" on the last page
	bare      string   // the same without parameters of ours
}

// request sends the request for the next page. If the service refuses a link after the provider has added parameters to
// it, the link is complete without them, and is followed unchanged.
func (p *pager) request(ctx context.Context) (*answer, error) {
	if p.next.page == "" {
		first, err := p.client.firstPage(ctx, p.next, p.fields, p.filters)
		p.sent = first.sent
		if first.refused != nil {
			p.refused = first.refused
		}
		return first.answer, err
	}
	a, err := p.client.do(ctx, p.next)
	if p.link == p.next.page || !hasStatus(err, http.StatusBadRequest) {
		return a, err
	}
	bare := p.next
	bare.page = p.link
	if a, other := p.client.do(ctx, bare); other == nil {
		p.strict, p.next = true, bare
		return a, nil
	}
	return nil, err
}

func (p *pager) isForeign(a *answer) bool { return errors.Is(p.client.doubt(a), ErrForeign) }

// fetch reads the next page and checks it. It returns the same page again until take is
// called. A page that does not come from the service is an error, because it could lack
// anything without a word.
func (p *pager) fetch(ctx context.Context) (*listPage, error) {
	a, err := p.request(ctx)
	if err == nil && p.isForeign(a) {
		a, err = p.request(ctx) // it may have been only for a moment
	}
	switch {
	case err != nil:
		return nil, err
	case p.isForeign(a):
		return nil, fmt.Errorf("GET %s: %w", p.next.route.template, ErrForeign)
	}
	next, err := p.read(a)
	if err != nil {
		return nil, p.problem(err)
	}
	return next, nil
}

func (p *pager) read(a *answer) (*listPage, error) {
	member := ""
	if p.next.route.template == resultsRoute {
		member = resultsEnvelopeMember
	}
	texts, link, other, err := parsePage(a, member)
	if err != nil {
		return nil, err
	}
	if link == "" {
		if err := other.problem(len(texts), len(p.visited) == 0); err != nil {
			return nil, err
		}
	}
	read := &listPage{addresses: []string{p.next.page, a.url.String()}, doubt: p.client.doubt(a)}
	if link != "" {
		if read.bare, err = p.client.follow(a.url, link, p.next.route, nil); err != nil {
			return nil, err
		}
		read.next = read.bare
		if !p.strict {
			read.next, _ = p.client.follow(a.url, link, p.next.route, p.sent) // as above
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
	if p.sent.Has("fields") && !p.mayBeBare && areBare(read.elements, p.fields) {
		p.client.notify(url.Values{"fields": {p.fields}}, nil, ErrIgnored)
	}
	read.ids, err = newIDs(read.elements, p.ids)
	return read, err
}

// areBare reports whether no element of a page shows a requested field that it may lack, as if the service
// ignored `fields`. Elements of [Objects] may be bare, because they can be read one by one (assumption A7).
func areBare(elements []*jsonObject, fields string) bool {
	requested := strings.Split(fields, ",")
	return len(elements) > 0 && !slices.ContainsFunc(elements, func(o *jsonObject) bool {
		return slices.ContainsFunc(o.names(), func(name string) bool {
			return name != "id" && name != "_links" && slices.Contains(requested, name)
		})
	})
}

// take accepts a page, so that fetch reads the next one.
func (p *pager) take(read *listPage) {
	for _, id := range read.ids {
		p.ids[id] = true
	}
	for _, address := range read.addresses {
		p.visited[address] = true
	}
	p.next.page, p.link, p.done = read.next, read.bare, read.next == ""
	p.doubt = errors.Join(p.doubt, read.doubt)
}

func (p *pager) problem(err error) error {
	shape := p.client.shapeError(http.MethodGet, p.next.route, err.Error())
	shape.Changed = errors.Is(err, errRepeats)
	shape.moved = errors.Is(err, errMoved)
	return shape
}

// parsePage finds the array of a page and the address of the next page, in each accepted
// envelope (assumptions A1 and A2). If an object contains several arrays, parsePage uses
// the one in the given member. It also returns what else the answer says about more pages.
func parsePage(a *answer, member string) (
	list []json.RawMessage, next string, other continuation, err error,
) {
	next = nextOfHeader(a.header.Values("Link"))
	if json.Unmarshal(a.body, &list) == nil && list != nil {
		return list, next, continuationOf(a.header, nil), nil
	}
	envelope, err := parseJSONObject(a.body)
	if err != nil {
		return nil, "", other, fmt.Errorf("expected a list, got %s", describeJSON(a.body))
	}
	if next == "" {
		links, err := linksOf(envelope.members["_links"])
		if err != nil {
			return nil, "", other, err // otherwise the list would silently end here
		}
		next = hrefOf(links, "next")
	}
	envelope.drop("_links")
	var arrays []string
	for _, name := range envelope.names() {
		_, isLinks := linkArray(name, envelope.members[name])
		if bytes.HasPrefix(envelope.members[name], []byte("[")) && !isLinks {
			arrays = append(arrays, name)
		}
	}
	switch {
	case slices.Contains(arrays, member):
		arrays[0] = member
	case len(arrays) == 0:
		return nil, "", other, fmt.Errorf("expected a list, got %s, none of them an array", describeJSON(a.body))
	case len(arrays) > 1:
		return nil, "", other, fmt.Errorf("expected a list, got %s, several of them arrays", describeJSON(a.body))
	}
	_ = json.Unmarshal(envelope.members[arrays[0]], &list) // it is an array of valid JSON
	envelope.drop(arrays[0])
	other = continuationOf(a.header, envelope.members)
	if next == "" {
		next = other.link
	}
	return list, next, other, nil
}

func (c *Client) parseElements(texts []json.RawMessage) ([]*jsonObject, error) {
	elements := make([]*jsonObject, 0, len(texts))
	for i, text := range texts {
		element, err := parseJSONObject(text)
		if err != nil {
			return nil, inElement(i, err)
		}
		element.raw, element.mask = text, c.mask
		elements = append(elements, element)
	}
	return elements, nil
}

// inElement adds the place of an element, which counts from 1, to an error. The element is not named.
func inElement(i int, err error) error { return fmt.Errorf("in element %d of the page, %w", i+1, err) }

var (
	errRepeats = errors.New("the list changed while it was read, or the service repeats an element")
	errMoved   = fmt.Errorf("%w", errRepeats) // the element was on another page before
)

// newIDs returns the ids of elements exactly as they are written. It returns an error if
// an id occurred before: the element moved between two pages, and others may have been
// skipped.
func newIDs(elements []*jsonObject, before map[string]bool) ([]string, error) {
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
