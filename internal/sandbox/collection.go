// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Query parameters of every collection. "offset" is the parameter that the service's own page links use.
const (
	paramLimit  = "limit"
	paramFields = "fields"
	paramOffset = "offset"
)

// link is an element of _links.
type link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

func selfLink(href string) []link { return []link{{"self", href}} }

// parameters reads the query, in which a parameter in single can occur once, and a parameter in repeatable any number
// of times. It rejects a query that cannot be decoded, any other parameter, and a second value for a parameter in
// single.
func (c *incomingCall) parameters(single, repeatable []string) (url.Values, error) {
	query, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return nil, badRequest("INVALID_PARAMETER", "the query cannot be decoded: %v", err)
	}
	for name, values := range query {
		switch {
		case slices.Contains(repeatable, name): // any number of values
		case !slices.Contains(single, name):
			return nil, badRequest("INVALID_PARAMETER", "%s does not have the query parameter %q", c.URL.EscapedPath(), name)
		case len(values) > 1:
			return nil, badRequest("INVALID_PARAMETER", "the query parameter %q can be set only once", name)
		}
	}
	return query, nil
}

// listQuery reads the query of a collection. The argument more contains the query parameters that the collection has in
// addition to limit, fields and offset.
func (c *incomingCall) listQuery(more ...string) (url.Values, error) {
	return c.parameters(append(more, paramLimit, paramFields, paramOffset), nil)
}

// checkQuery rejects all query parameters, unless the request reads a collection. The handler of a collection checks
// the query parameters.
func (c *incomingCall) checkQuery() error {
	if _, single := c.ids["id"]; c.Method == http.MethodGet && !single {
		return nil
	}
	_, err := c.parameters(nil, nil)
	return err
}

// listAll does what list does, for a collection whose only query parameters are limit, fields and offset.
func listAll[T any](c *incomingCall, elements []T, write func(T) Object) (response, error) {
	query, err := c.listQuery()
	if err != nil {
		return response{}, err
	}
	return list(c, query, elements, write)
}

// list responds with one page of elements, which the caller has filtered, and with the links that pageOf returns. The
// function write returns the whole resource of an element, as a new object. list sets the element's self link, and
// keeps only the members that withFields returns. It rejects unknown fields, and values that pageOf rejects.
func list[T any](c *incomingCall, query url.Values, elements []T, write func(T) Object) (response, error) {
	fields, err := c.requestedFields(query)
	if err != nil {
		return response{}, err
	}
	p, err := c.pageOf(query, len(elements))
	if err != nil {
		return response{}, err
	}
	array := make([]Object, 0, p.end-p.start)
	for _, element := range elements[p.start:p.end] {
		array = append(array, c.withFields(c.linked(write(element)), fields))
	}
	resp := reply(http.StatusOK, array)
	if len(p.links) > 0 {
		resp.header.Set("Link", p.linkHeader())
	}
	return resp, nil
}

// withFields returns the members of a resource that a list shows: id, _links, and the optional fields that the request
// has named. If the request has named any field, even id, the list also shows the members that the specification does
// not name. With the deviation BareLists, it shows only id and _links.
func (c *incomingCall) withFields(resource Object, requested []string) Object {
	optional := c.optionalFields()
	return resource.filter(func(name string) bool {
		switch {
		case name == "id" || name == "_links":
			return true
		case c.options.BareLists:
			return false
		case slices.Contains(optional, name):
			return slices.Contains(requested, name)
		}
		return len(requested) > 0 // the specification does not name the member
	})
}

// optionalFields returns the members of an element that a request can name in the query parameter "fields".
func (c *incomingCall) optionalFields() []string { return strings.Split(c.fields, ",") }

// linked sets the self link of an element of the collection.
func (c *incomingCall) linked(resource Object) Object {
	resource.Set("_links", selfLink(c.elementURL(resource.Text("id"))))
	return resource
}

// created returns the response to a request that has added an element to the collection.
func (c *incomingCall) created(resource Object) response {
	resp := reply(http.StatusCreated, resource)
	resp.header.Set("Location", c.elementURL(resource.Text("id")))
	return resp
}

// requestedFields returns the names in the query parameter "fields", or nil if the parameter is absent or empty. It
// rejects a name other than id, _links and the optional fields of the collection.
func (c *incomingCall) requestedFields(query url.Values) ([]string, error) {
	if query.Get(paramFields) == "" {
		return nil, nil
	}
	optional := c.optionalFields()
	fields := strings.Split(query.Get(paramFields), ",")
	for _, field := range fields {
		if field != "id" && field != "_links" && !slices.Contains(optional, field) {
			return nil, badRequest("INVALID_PARAMETER",
				"the query parameter \"fields\" contains %q, which is not an optional field here. Optional fields: %s",
				field, strings.Join(optional, ", "))
		}
	}
	return fields, nil
}

// page is the part of a collection that one response contains.
type page struct {
	start, end int
	links      []link // next and previous, if these pages exist
}

// pageOf returns the part of a collection that the query parameters limit and offset select. The parameter total is the
// number of elements in the collection. A page has at most [Options.MaxPage] elements. If limit is 0, the page has no
// links. pageOf rejects a value that is not a non-negative integer, and a limit above maxPage.
func (c *incomingCall) pageOf(query url.Values, total int) (page, error) {
	limit, err := number(query, paramLimit, defaultPage)
	if err != nil {
		return page{}, err
	}
	if limit > maxPage {
		return page{}, badRequest("INVALID_PARAMETER", "limit is more than the maximum of %d", maxPage)
	}
	offset, err := number(query, paramOffset, 0)
	if err != nil {
		return page{}, err
	}
	limit = min(limit, c.options.MaxPage)
	start := min(offset, total)
	p := page{start: start, end: min(start+limit, total)}
	if limit > 0 {
		p.links = c.pageLinks(query, p, limit, total)
	}
	return p, nil
}

// pageLinks returns the links to the next and to the previous page. The previous page may overlap with this page.
func (c *incomingCall) pageLinks(query url.Values, p page, limit, total int) (links []link) {
	if p.end < total {
		links = append(links, link{"next", c.pageURL(query, p.end)})
	}
	if p.start > 0 {
		links = append(links, link{"previous", c.pageURL(query, max(0, p.start-limit))})
	}
	return links
}

// number returns the value of a query parameter, or ifAbsent if the query does not have the parameter. It rejects a
// value that is negative or not an integer. It returns the largest int32 instead of any larger value.
func number(query url.Values, name string, ifAbsent int) (int, error) {
	if !query.Has(name) {
		return ifAbsent, nil
	}
	n, err := strconv.ParseUint(query.Get(name), 10, 31)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, badRequest("INVALID_PARAMETER", "%s must be a non-negative integer, not %q", name, query.Get(name))
	}
	return int(n), nil
}

// pageURL returns the address of the request with another offset.
func (c *incomingCall) pageURL(query url.Values, offset int) string {
	other := maps.Clone(query)
	other.Set(paramOffset, strconv.Itoa(offset))
	return c.origin + c.URL.EscapedPath() + "?" + other.Encode()
}

// linkHeader writes the links in the format of RFC 8288.
func (p page) linkHeader() string {
	parts := make([]string, 0, len(p.links))
	for _, l := range p.links {
		parts = append(parts, fmt.Sprintf("<%s>; rel=%q", l.Href, l.Rel))
	}
	return strings.Join(parts, ", ")
}
