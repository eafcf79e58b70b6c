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
	"strconv"
	"strings"
)

const (
	// pageSize is how many elements the largest page has. defaultPageSize is how many elements a page has if the
	// request has no `limit`.
	pageSize, defaultPageSize = 1000, 100
	// maxPages is how many pages of a list are read at most, because a faulty service may return a list without an end.
	maxPages = 10_000
)

// listing is a list of the contract.
type listing struct {
	route   route
	fields  string     // optional members to request
	filters url.Values // chosen by the caller
	limits  Limits
	isPlain bool // whether it is requested without `limit` and `fields`
}

// query returns the query of the request for the page that link points to, or for the first page if link is "".
func (l listing) query(link string) url.Values {
	own := url.Values{}
	maps.Copy(own, l.filters)
	if !l.isPlain {
		own.Set("limit", strconv.Itoa(pageSize))
		if l.fields != "" {
			own.Set("fields", l.fields)
		}
	}
	return nextQuery(own, link)
}

// fetchPage requests the page that link points to, or the first page if link is "". If the service answers 400, it may
// reject our own `limit` or `fields`, so fetchPage repeats the request without them, unless the query would stay the
// same. If the repetition succeeds, fetchPage warns, and later requests of the run with the same template omit these
// parameters, too (assumption A24).
func (c *Client) fetchPage(ctx context.Context, l listing, link string) (page, error) {
	plain := l
	plain.isPlain = true
	plainRoutes := &c.run.Load().plain
	if _, rejectsParameters := plainRoutes.Load(l.route.template); rejectsParameters {
		return c.requestPage(ctx, plain, link)
	}
	p, rejection := c.requestPage(ctx, l, link)
	isSame := plain.query(link).Encode() == l.query(link).Encode() // if link has the same parameters
	if isSame || !hasOwnStatus(rejection, http.StatusBadRequest) {
		return p, rejection
	}
	p, err := c.requestPage(ctx, plain, link)
	if err == nil {
		plainRoutes.Store(l.route.template, true)
		c.warnParameters(l, rejection)
	}
	return p, err
}

func (c *Client) requestPage(ctx context.Context, l listing, link string) (page, error) {
	query := l.query(link)
	r, err := c.do(ctx, request{method: http.MethodGet, route: l.route, query: query.Encode(), limits: l.limits})
	if err != nil {
		return page{}, err
	}
	p, err := readPage(r)
	p.link = link
	p.limit, _ = strconv.Atoi(query.Get("limit"))
	return p, err
}

func (c *Client) warnParameters(l listing, rejection error) {
	c.cfg.Warn(Warning{
		Key:     "parameters of " + l.route.template,
		Summary: "Optional parameters rejected",
		Detail: fmt.Sprintf("The service rejected the parameter `limit` or `fields` of GET %s: %v\n\nThis run requests "+
			"the list without them. If the service then omits names, use IDs.", l.route.template, rejection),
	})
}

// errMoved means that elements have moved to another page while the list was read, so that some may have been skipped.
var errMoved = errors.New("the list changed while it was read page by page")

// list reads a whole list. If it changes meanwhile, list starts over once. With an error, the result may be incomplete.
func list[T any](ctx context.Context, c *Client, l listing, read func(*jsonObject) T) (List[T], error) {
	all, err := readPages(ctx, c, l, read)
	if errors.Is(err, errMoved) {
		all, err = readPages(ctx, c, l, read)
	}
	if errors.Is(err, errMoved) {
		err = fmt.Errorf("%w, two times in a row", err)
	}
	return all, c.listError(l, err)
}

// listError returns the error of a request as it is, and every other error of a list as a [ShapeError].
func (c *Client) listError(l listing, err error) error {
	if err == nil || errors.As(err, new(*Error)) {
		return err
	}
	return c.shapeError(l.route, err)
}

// reading is what was read of a list so far.
type reading[T any] struct {
	read func(*jsonObject) T

	all   List[T]
	pages int                 // how many were read
	ids   map[string]listedID // by the ID in lower case
}

// listedID is an ID that a list has shown.
type listedID struct {
	spelling string
	page     int
}

func newReading[T any](read func(*jsonObject) T) *reading[T] {
	return &reading[T]{read: read, all: List[T]{Elements: []T{}}, ids: map[string]listedID{}}
}

// readPages reads a list from its first to its last page. After each page except the first, it requests the previous
// page once more. Its error wraps errMoved if it finds that elements have moved meanwhile. Without an error, it warns
// if the last page is full. With an error, the result may be incomplete.
func readPages[T any](ctx context.Context, c *Client, l listing, read func(*jsonObject) T) (List[T], error) {
	r := newReading(read)
	requested := map[string]bool{}
	var before page
	for range maxPages {
		p, err := c.pageAfter(ctx, l, before, requested)
		if err != nil {
			return r.all, err
		}
		count, err := r.add(p)
		if err != nil {
			return r.all, err
		}
		if before.next != "" { // p is not the first page
			if err := r.checkSeam(ctx, c, l, before); err != nil {
				return r.all, err
			}
		}
		if p.next == "" {
			err := p.checkEnd(len(r.all.Elements), r.pages)
			if err == nil {
				c.warnIfFull(l, p, count)
			}
			return r.all, err
		}
		before = p
	}
	return r.all, fmt.Errorf("the list has more than %d pages", maxPages)
}

// pageAfter requests the page to which the link in before.next points, or the first page if before.next is "". It adds
// the query to requested. It returns an error if requested already contains the query, or if the new page has the same
// elements as the page before, because such a list would never end.
func (c *Client) pageAfter(ctx context.Context, l listing, before page, requested map[string]bool) (page, error) {
	query := l.query(before.next).Encode()
	if requested[query] {
		return page{}, errors.New("the link to the next page points to a page that was read before")
	}
	requested[query] = true
	p, err := c.fetchPage(ctx, l, before.next)
	if err == nil && p.repeats(before) {
		err = errors.New("the page behind the link to the next page repeats the page before")
	}
	return p, err
}

// add counts a page, appends its elements, and returns how many it has appended. It returns an error for an element
// that cannot be read, for an ID that occurred before, and if the list has more than maxElements elements.
func (r *reading[T]) add(p page) (count int, err error) {
	r.pages++
	r.all.Cached = r.all.Cached || p.isCached
	earlier := len(r.all.Elements)
	err = eachElement(p.elements, func(i int, text json.RawMessage) error {
		if earlier+i == maxElements {
			return fmt.Errorf("the list has more than %d elements", maxElements)
		}
		return r.addElement(i, text)
	})
	return len(r.all.Elements) - earlier, err
}

// addElement appends element i of the current page. It returns an error if it cannot read the element, or if its ID
// occurred before, also in another case (see checkID).
func (r *reading[T]) addElement(i int, text json.RawMessage) error {
	o, err := parseResource(text)
	if err != nil {
		return inElement(i, err)
	}
	if err := r.checkID(o); err != nil {
		return err
	}
	element := r.read(o)
	if o.err != nil {
		return inElement(i, o.err)
	}
	r.all.Elements = append(r.all.Elements, element)
	return nil
}

// parseResource reads exactly one JSON object. It returns an error if the object is nested too deeply (see checkDepth).
func parseResource(text []byte) (*jsonObject, error) {
	if err := checkDepth(text); err != nil {
		return nil, err
	}
	return parseObject(text)
}

// inElement adds the position of an element on the page, counted from 1, to an error. It does not name the element.
func inElement(i int, err error) error { return fmt.Errorf("in element %d of the page, %w", i+1, err) }

// checkID records the ID of an element, if it has one. It returns an error if the same ID occurred before, or an ID
// that differs only in upper and lower case. The error wraps errMoved if the same ID was on an earlier page.
func (r *reading[T]) checkID(o *jsonObject) error {
	id := o.anyText("id")
	if id == "" {
		return nil
	}
	lower := strings.ToLower(id)
	before, found := r.ids[lower]
	switch {
	case found && before.spelling != id:
		return fmt.Errorf("the list contains the IDs %q and %q, which differ only in upper and lower case",
			before.spelling, id)
	case found && before.page < r.pages:
		return fmt.Errorf("%w: it contains the ID %q twice", errMoved, id)
	case found:
		return fmt.Errorf("the list contains the ID %q twice", id)
	}
	r.ids[lower] = listedID{id, r.pages}
	return nil
}

// checkSeam requests page p again, after the next page was read. If p now ends with another element, elements were
// inserted or deleted meanwhile, and the next page may lack some elements. Then checkSeam returns errMoved. If a cache
// has sent the page, it may not show the change, so the list counts as cached.
func (r *reading[T]) checkSeam(ctx context.Context, c *Client, l listing, p page) error {
	again, err := c.fetchPage(ctx, l, p.link)
	if err != nil {
		return err
	}
	r.all.Cached = r.all.Cached || again.isCached
	if again.lastElement() != p.lastElement() {
		return errMoved
	}
	return nil
}

// lastElement returns the ID of the last element, or the whole element if it has no ID. It returns "" for an
// empty page.
func (p page) lastElement() string {
	var last json.RawMessage
	_ = eachElement(p.elements, func(_ int, element json.RawMessage) error { // an invalid page counts as changed
		last = element
		return nil
	})
	if o, err := parseObject(last); err == nil && o.anyText("id") != "" {
		return o.anyText("id")
	}
	return string(last)
}

// repeats reports whether two pages have the same elements.
func (p page) repeats(other page) bool {
	isEmpty := len(bytes.Trim(p.elements, "[] \t\r\n")) == 0
	return !isEmpty && bytes.Equal(p.elements, other.elements)
}

// warnIfFull warns if the last page of a list is exactly as large as a page can be, because a service that does not
// name the next page could have more elements.
func (c *Client) warnIfFull(l listing, last page, count int) {
	if !last.isFull(count) {
		return
	}
	c.cfg.Warn(Warning{
		Key:     "full page of " + l.route.template,
		Summary: "List may be incomplete",
		Detail: fmt.Sprintf("The last page of GET %s has exactly %d elements, and no link to a next page. If there are "+
			"more, the provider cannot see them.", l.route.template, count),
	})
}

// isFull reports whether a page with count elements is full: it has as many elements as were requested or, because a
// service may ignore `limit`, as many as a page has by default or at most.
func (p page) isFull(count int) bool {
	return count > 0 && (count == p.limit || count == defaultPageSize || count == pageSize)
}
