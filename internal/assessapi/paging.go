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
	// pageSize is the largest page that the service returns, and defaultPageSize the one without `limit`.
	pageSize, defaultPageSize = 1000, 100
	// maxPages stops a service whose list never ends.
	maxPages = 10_000
)

// listing is a list of the contract.
type listing struct {
	route   route
	fields  string     // optional members to request
	filters url.Values // chosen by the caller
	limits  Limits
}

// query returns the query of the page behind a link, or that of the first page. A plain one has only the filters.
func (l listing) query(link string, isPlain bool) url.Values {
	own := url.Values{}
	maps.Copy(own, l.filters)
	if !isPlain {
		own.Set("limit", strconv.Itoa(pageSize))
		if l.fields != "" {
			own.Set("fields", l.fields)
		}
	}
	return nextQuery(own, link)
}

// page requests a page. If the service rejects the parameters that we chose, it is requested once more without them,
// and so are all later pages of this route in the run (assumption A24).
func (c *Client) page(ctx context.Context, l listing, link string) (*response, page, error) {
	run := c.run.Load()
	send := func(isPlain bool) (*response, error) {
		return c.do(ctx, request{
			method: http.MethodGet, route: l.route, query: l.query(link, isPlain).Encode(), limits: l.limits,
		})
	}
	_, isPlain := run.plain.Load(l.route.template)
	a, err := send(isPlain)
	if !isPlain && says(err, http.StatusBadRequest) {
		rejection := err
		isPlain = true
		if a, err = send(isPlain); err == nil {
			run.plain.Store(l.route.template, true)
			c.warnParameters(l, rejection)
		}
	}
	if err != nil {
		return nil, page{}, err
	}
	p, err := readPage(a)
	p.limit, _ = strconv.Atoi(l.query(link, isPlain).Get("limit"))
	return a, p, err
}

func (c *Client) warnParameters(l listing, rejection error) {
	c.cfg.Warn(Warning{
		Key:     "parameters of " + l.route.template,
		Summary: "Optional parameters rejected",
		Detail: fmt.Sprintf("The service rejected the parameters `limit` and `fields` of GET %s: %v\n\nThis run requests "+
			"the list without them. If the service then omits names, use IDs.", l.route.template, rejection),
	})
}

// errMoved means that elements have moved to another page while the list was read, so that some may have been skipped.
var errMoved = errors.New("the list changed while it was read page by page")

// list reads a whole list. If it changes meanwhile, list starts over once.
func list[T any](ctx context.Context, c *Client, l listing, read func(*jsonObject) T) (List[T], error) {
	all, err := readPages(ctx, c, l, read)
	if errors.Is(err, errMoved) {
		if all, err = readPages(ctx, c, l, read); errors.Is(err, errMoved) {
			err = fmt.Errorf("%w, two times in a row", err)
		}
	}
	return all, c.listError(l, err)
}

// listError returns what is wrong with a list as a [ShapeError], and the error of a request as it is.
func (c *Client) listError(l listing, err error) error {
	if err == nil || errors.As(err, new(*Error)) {
		return err
	}
	return c.shapeError(l.route, err)
}

// passage is one reading of a list from its first page to its last one.
type passage[T any] struct {
	*Client
	listing
	read func(*jsonObject) T

	all    List[T]
	number int                 // of the page that is read, from 1
	seen   map[string]listedID // by lower case
}

// listedID is an ID that a list has shown.
type listedID struct {
	spelling string
	page     int
}

func newPassage[T any](c *Client, l listing, read func(*jsonObject) T) *passage[T] {
	return &passage[T]{
		Client: c, listing: l, read: read,
		all: List[T]{Elements: []T{}}, seen: map[string]listedID{},
	}
}

func readPages[T any](ctx context.Context, c *Client, l listing, read func(*jsonObject) T) (List[T], error) {
	p := newPassage(c, l, read)
	visited := map[string]bool{}
	var link, before, last string // the links to this page and to the page before, and the last element of the latter
	var previous json.RawMessage
	for n := 1; n <= maxPages; n++ {
		query := l.query(link, false).Encode()
		if visited[query] {
			return p.all, errors.New("the link to the next page points to a page that was read before")
		}
		visited[query] = true
		a, page, err := c.page(ctx, l, link)
		if err != nil {
			return p.all, err
		}
		p.all.Cached = p.all.Cached || a.isCached
		count, lastHere, err := p.add(page.elements)
		switch {
		case n > 1 && count > 0 && bytes.Equal(page.elements, previous):
			return p.all, errors.New("the page behind the link to the next page repeats the page before")
		case err != nil:
			return p.all, err
		case n > 1:
			if err := p.checkSeam(ctx, before, last); err != nil {
				return p.all, err
			}
		}
		if page.next == "" {
			if page.isFull(count) {
				c.warnFull(l, count)
			}
			return p.all, page.checkEnd(len(p.all.Elements), n)
		}
		before, link, last, previous = link, page.next, lastHere, page.elements
	}
	return p.all, fmt.Errorf("the list has more than %d pages", maxPages)
}

// add reads the elements of a page. It returns how many there are, and what identifies the last one.
func (p *passage[T]) add(elements json.RawMessage) (count int, last string, err error) {
	p.number++
	err = eachElement(elements, func(i int, text json.RawMessage) error {
		err := checkDepth(text)
		var o *jsonObject
		if err == nil {
			o, err = parseObject(text)
		}
		if err != nil {
			return inElement(i, err)
		}
		count, last = i+1, identify(o)
		if len(p.all.Elements) == maxElements {
			return fmt.Errorf("the list has more than %d elements", maxElements)
		}
		if err := p.checkID(o); err != nil {
			return err
		}
		element := p.read(o)
		if o.err != nil {
			return inElement(i, o.err)
		}
		p.all.Elements = append(p.all.Elements, element)
		return nil
	})
	return count, last, err
}

// inElement adds the place of an element, which counts from 1, to an error. The element is not named.
func inElement(i int, err error) error { return fmt.Errorf("in element %d of the page, %w", i+1, err) }

// checkID returns an error if the ID of an element occurred before, also in another case.
func (p *passage[T]) checkID(o *jsonObject) error {
	id := o.anyText("id")
	if id == "" {
		return nil
	}
	lower := strings.ToLower(id)
	before, found := p.seen[lower]
	switch {
	case found && before.spelling != id:
		return fmt.Errorf("the list contains the IDs %q and %q, which differ only in upper and lower case",
			before.spelling, id)
	case found && before.page < p.number:
		return fmt.Errorf("%w: it contains the ID %q twice", errMoved, id)
	case found:
		return fmt.Errorf("the list contains the ID %q twice", id)
	}
	p.seen[lower] = listedID{id, p.number}
	return nil
}

// identify returns the ID of an element, or the whole element if it has none.
func identify(o *jsonObject) string {
	if id := o.anyText("id"); id != "" {
		return id
	}
	return string(o.raw)
}

// checkSeam reads the page before once more. If it ends with another element now, elements were deleted or inserted
// meanwhile, and the page after it may lack some.
func (p *passage[T]) checkSeam(ctx context.Context, link, last string) error {
	_, page, err := p.page(ctx, p.listing, link)
	if err != nil {
		return err
	}
	now := ""
	err = eachElement(page.elements, func(_ int, text json.RawMessage) error {
		o, err := parseObject(text)
		if err == nil {
			now = identify(o)
		}
		return err
	})
	if err == nil && now != last {
		return errMoved
	}
	return err
}

// warnFull warns that the last page of a list is exactly as large as a page can be, because a service that does not
// name the next page could have more elements.
func (c *Client) warnFull(l listing, count int) {
	c.cfg.Warn(Warning{
		Key:     "full page of " + l.route.template,
		Summary: "List may be incomplete",
		Detail: fmt.Sprintf("The last page of GET %s has exactly %d elements, and no link to a next page. If there are "+
			"more, the provider cannot see them.", l.route.template, count),
	})
}

// isFull reports whether a page is as large as a page can be: as large as was asked for, or one of the sizes of the
// contract, because a service may ignore what was asked for.
func (p page) isFull(count int) bool {
	return count > 0 && (count == p.limit || count == pageSize || count == defaultPageSize)
}
