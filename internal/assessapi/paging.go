// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	// maxPasses is how often a list that changes meanwhile is read from its beginning, at most.
	maxPasses = 3
)

// pager reads a list page by page, for [Pages].
type pager struct {
	client    *Client
	route     apiRoute
	fields    string     // the optional fields to request
	filters   url.Values // sent with the first page, later addresses contain them
	mayBeBare bool       // whether elements may show only their IDs
	envelope  string     // the member that contains the list if several members are arrays

	sent    url.Values // with the first page
	refused error      // the 400 to more parameters, if this list has learned from it
	link    string     // the query of the link to the next page
	strict  bool       // whether the service refuses a link with added parameters
	done    bool
	doubt   error           // [ErrCached] if a page may be out of date
	passes  int             // how often the list was read from the beginning
	ids     map[string]bool // of all elements so far
	visited map[string]bool // the queries of all pages so far
}

// applies reports whether the service has not received a filter, so that the provider must apply it.
func (p *pager) applies(filter string) bool { return p.filters.Has(filter) && !p.sent.Has(filter) }

// hidden is the error of a list that the provider must filter, but that does not show the field to filter by.
func (p *pager) hidden(filter, what string) error {
	return fmt.Errorf("it does not accept the filter `%s`, and does not show %s", filter, what)
}

// restart begins to read the list from its first page.
func (p *pager) restart() {
	p.passes++
	p.doubt, p.ids, p.visited = nil, map[string]bool{}, map[string]bool{}
}

// request sends the request for the next page. If the service refuses a link after the provider has added parameters to
// it, the link is complete without them, and is followed unchanged.
func (p *pager) request(ctx context.Context) (*answer, error) {
	if len(p.visited) == 0 {
		return p.firstPage(ctx)
	}
	r := apiRequest{method: http.MethodGet, route: p.route, query: p.query(p.link)}
	p.visited[r.query] = true // after a redirect, the answer has another query
	a, err := p.client.do(ctx, r)
	if r.query == p.link || !hasStatus(err, http.StatusBadRequest) {
		return a, err
	}
	r.query = p.link
	if a, other := p.client.do(ctx, r); other == nil {
		p.strict = true
		return a, nil
	}
	return nil, err
}

// query returns the query with which the page behind a link is requested.
func (p *pager) query(link string) string {
	if p.strict {
		return link
	}
	return withParameters(link, p.sent)
}

func (p *pager) isForeign(a *answer) bool { return errors.Is(p.client.doubt(a), ErrForeign) }

// next reads the next page, and calls add for each element. After an error, it can be called again for the same page.
// A page that does not come from the service is an error, because it could silently lack elements.
func (p *pager) next(ctx context.Context, add func(*jsonObject) error) error {
	for {
		a, err := p.request(ctx)
		if err == nil && p.isForeign(a) {
			a, err = p.request(ctx) // it may have been only for a moment
		}
		switch {
		case err != nil:
			return err
		case p.isForeign(a):
			return fmt.Errorf("GET %s: %w", p.route.template, ErrForeign)
		}
		switch err = p.accept(a, add); {
		case err == nil:
			return nil
		case errors.Is(err, errMoved) && p.passes < maxPasses:
			p.restart()
			continue
		}
		shape := p.client.shapeError(http.MethodGet, p.route, err.Error())
		shape.Changed = errors.Is(err, errRepeats)
		return shape
	}
}

// accept checks a page, and calls add for each element.
func (p *pager) accept(a *answer, add func(*jsonObject) error) error {
	page, err := parsePage(a.header, a.body, p.envelope)
	if err != nil {
		return err
	}
	link, err := p.follow(a, page)
	if err != nil {
		return err
	}
	elements, ids, err := p.parse(page.elements)
	if err != nil {
		return err
	}
	if p.sent.Has("fields") && !p.mayBeBare && areBare(elements, p.fields) {
		p.client.notify(url.Values{"fields": {p.fields}}, nil, ErrIgnored)
	}
	for i, element := range elements {
		err := add(element)
		if element.err != nil {
			return inElement(i, element.err)
		}
		if err != nil {
			return err
		}
	}
	maps.Copy(p.ids, ids)
	p.visited[a.url.RawQuery] = true
	p.link, p.done = link, page.next == ""
	p.doubt = errors.Join(p.doubt, p.client.doubt(a))
	return nil
}

// follow returns the query of the link to the next page. On the last page, it is empty.
func (p *pager) follow(a *answer, page listPage) (link string, err error) {
	if page.next == "" {
		return "", page.more.problem(len(page.elements), len(p.visited) == 0)
	}
	if link, err = p.client.linkQuery(a.url, page.next, p.route); err != nil {
		return "", err
	}
	switch query := p.query(link); {
	case p.visited[query], query == a.url.RawQuery:
		return "", errors.New("the links to the next page form a loop")
	case len(p.visited) >= maxPages:
		return "", fmt.Errorf("the list has more than %d pages", maxPages)
	}
	return link, nil
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

// listPage is a page of a list, as the service has written it.
type listPage struct {
	elements []json.RawMessage
	next     string       // the link to the next page, or ""
	more     continuation // what else says that there are more pages
}

// parsePage finds the array of a page and the link to the next page, in each accepted envelope (assumptions A1 and A2).
// If an object contains several arrays, parsePage uses the one in the given member.
func parsePage(header http.Header, body []byte, member string) (page listPage, err error) {
	page.next = nextOfHeader(header.Values("Link"))
	if json.Unmarshal(body, &page.elements) == nil && page.elements != nil {
		page.more = continuationOf(header, nil)
		return page, nil
	}
	envelope, err := parseJSONObject(body)
	if err != nil {
		return page, fmt.Errorf("expected a list, got %s", describeJSON(body))
	}
	links, err := linksOf(envelope.members["_links"])
	if err != nil && page.next == "" {
		return page, err // otherwise the list would silently end here
	}
	page.next = cmp.Or(page.next, hrefOf(links, "next"))
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
		return page, fmt.Errorf("expected a list, got %s, none of them an array", describeJSON(body))
	case len(arrays) > 1:
		return page, fmt.Errorf("expected a list, got %s, several of them arrays", describeJSON(body))
	}
	_ = json.Unmarshal(envelope.members[arrays[0]], &page.elements) // it is an array of valid JSON
	envelope.drop(arrays[0])
	page.more = continuationOf(header, envelope.members)
	page.next = cmp.Or(page.next, page.more.link)
	return page, nil
}

// ReadPage returns the elements of a page, and its link to the next page as the service has written it. Both are empty
// if the client cannot read the page.
func ReadPage(header http.Header, body []byte) (elements []json.RawMessage, next string) {
	page, err := parsePage(header, body, resultsEnvelopeMember)
	if err != nil {
		return nil, ""
	}
	return page.elements, page.next
}

// inElement adds the place of an element, which counts from 1, to an error. The element is not named.
func inElement(i int, err error) error { return fmt.Errorf("in element %d of the page, %w", i+1, err) }

var (
	errRepeats = errors.New("the list changed while it was read, or the service repeats an element")
	// errMoved means that an element was on another page before, so that others may have been skipped.
	errMoved = fmt.Errorf("%w", errRepeats)
)

// parse reads the elements of a page, and their ids exactly as they are written. It returns an error if an id occurred
// before.
func (p *pager) parse(texts []json.RawMessage) (elements []*jsonObject, ids map[string]bool, err error) {
	ids = map[string]bool{}
	for i, text := range texts {
		element, err := p.client.parseObject(text)
		if err != nil {
			return nil, nil, inElement(i, err)
		}
		elements = append(elements, element)
		switch id := string(element.members["id"]); {
		case id == "" || id == "null":
		case p.ids[id]:
			return nil, nil, fmt.Errorf("the list contains the id %s twice: %w", id, errMoved)
		case ids[id]:
			return nil, nil, fmt.Errorf("the list contains the id %s twice: %w", id, errRepeats)
		default:
			ids[id] = true
		}
	}
	return elements, ids, nil
}
