// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// linkForms are the forms of an address of another page. All but the first three name another
// origin, or a path that only something behind a gateway knows.
var linkForms = []string{
	"path", "query", "relative", "host", "network", "port", "scheme", "prefix", "inner path", "inner prefix",
}

// innerHost is a host that only something behind a gateway knows. No request may reach it.
const innerHost = "inner.example:8080"

// filters are the parameters that select elements. A service may ignore or refuse the first two.
var filters = []string{"candidate", "assessment", "title", "active"}

// named returns the parameters that a field of [Form] names. A service that ignores the title is
// TitleFilter.
func named(parameters string) []string {
	switch parameters {
	case "":
		return nil
	case "filters":
		return filters[:2]
	}
	return []string{parameters}
}

// ask changes the query of a list to what the service should do.
func (f Form) ask(query url.Values) {
	if text, err := base64.RawURLEncoding.DecodeString(query.Get("cursor")); err == nil && len(text) > 0 {
		clear(query)
		for name, values := range parse(string(text)) {
			query[name] = values
		}
	}
	query.Del("state") // see rawState
	for _, name := range named(f.Ignored) {
		query.Del(name)
	}
	if asked, err := strconv.Atoi(query.Get("limit")); f.PageSize > 0 && (err != nil || asked > f.PageSize) {
		query.Set("limit", strconv.Itoa(f.PageSize))
	}
}

func parse(query string) url.Values {
	values, _ := url.ParseQuery(query)
	return values
}

// refuse returns why a service refuses the query of a list, or nil.
func (f Form) refuse(a *arrival) *refusal {
	query := a.parameters()
	if limit, _ := strconv.Atoi(query.Get("limit")); f.LargestLimit > 0 && limit > f.LargestLimit {
		return &refusal{status: http.StatusBadRequest, message: "limit is above " + strconv.Itoa(f.LargestLimit)}
	}
	if slices.ContainsFunc([]byte(a.query), func(b byte) bool { return b <= ' ' || b > '~' }) {
		return &refusal{status: http.StatusBadRequest, message: "the address is not encoded"}
	}
	for _, name := range named(f.Refused) {
		if query.Has(name) {
			return &refusal{status: http.StatusBadRequest, message: "the query parameter " + name + " is not known here"}
		}
	}
	return nil
}

// link returns the address of another page, whose query it may change.
func (f Form) link(u *url.URL, query url.Values) string {
	for _, name := range named(f.Refused) { // a service follows its own links
		query.Del(name)
	}
	switch f.LinkQuery {
	case "fields", "limit":
		query.Del(f.LinkQuery)
	case "filters":
		for _, name := range filters {
			query.Del(name)
		}
	case "value":
		for name, values := range query {
			query[name] = values[:1]
		}
	case "all":
		query = url.Values{"offset": query["offset"]}
	case "cursor":
		query = url.Values{"cursor": {base64.RawURLEncoding.EncodeToString([]byte(query.Encode()))}}
	}
	u.RawQuery = query.Encode()
	escaped := u.EscapedPath()
	if f.LinkText == "raw" {
		u.RawQuery, escaped = raw(query), rawLetters.ReplaceAllStringFunc(escaped, unescaped)
	}
	origin := u.Scheme + "://" + u.Host
	switch f.Links {
	case "path":
		origin = ""
	case "query":
		origin, escaped = "", ""
	case "relative":
		origin, escaped = "", path.Base(escaped)
	case "host":
		origin = u.Scheme + "://" + innerHost
	case "network":
		origin = "//" + innerHost
	case "port":
		origin = u.Scheme + "://" + u.Hostname() + ":8443"
	case "scheme":
		origin = "http://" + u.Host
	case "prefix":
		origin += "/gateway"
	case "inner path":
		origin, escaped = "http://"+innerHost, strings.TrimPrefix(escaped, basePath)
	case "inner prefix":
		origin = "https://" + innerHost + "/tenants/7"
	}
	return origin + escaped + "?" + u.RawQuery
}

// rawLetters are escaped spaces and letters outside of ASCII.
var rawLetters = regexp.MustCompile(`(%[89A-F][0-9A-F])+|%20`)

func unescaped(text string) string {
	plain, err := url.PathUnescape(text)
	if err != nil {
		return text
	}
	return plain
}

// rawState is the value of a parameter that the service ignores. Its characters are not allowed in addresses.
const rawState = "{\"at\":[1]}|\\^`%"

// paged names the next page in an envelope in another way than the contract. The last ones have no address, so that a
// client cannot read the rest.
func (f Form) paged(o *sandbox.Object, header http.Header, links []pageLink, elements int) {
	page, next, hasNext := 1, "", false
	for _, link := range links {
		switch link.Rel {
		case "next":
			next, hasNext = link.Href, true
		case "previous":
			page = 2 // or more
		}
	}
	header.Del("Link")
	o.Delete("_links")
	switch f.Paging {
	case "next":
		o.Set("next", next)
	case "links.next":
		o.Set("links", map[string]any{"next": next, "first": nil})
	case "next.href":
		if hasNext {
			o.Set("next", map[string]any{"href": next})
		}
	case "HAL":
		if hasNext {
			o.Set("_links", map[string]any{"next": map[string]any{"href": next}, "curies": []string{}})
		}
	case "links array":
		o.Set("links", links)
	case "more":
		o.Set("hasMore", hasNext)
	case "cursor":
		if hasNext {
			o.Set("nextCursor", "b2Zmc2V0PTI")
		}
	case "page.last":
		o.Set("page", map[string]any{"last": !hasNext})
	case "total":
		if page == 1 && hasNext {
			elements++ // the service does not know how many there are
		}
		o.Set("total", elements)
	case "pages":
		o.Set("page", page)
		if hasNext {
			page++
		}
		o.Set("totalPages", page)
	}
}

// raw writes a query with spaces and letters as they are, and adds rawState.
func raw(query url.Values) string {
	query.Del("state")
	parts := []string{"state=" + rawState}
	for name, values := range query {
		for _, value := range values {
			if strings.ContainsAny(value, "&=#%+") {
				value = url.QueryEscape(value)
			}
			parts = append(parts, name+"="+value)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "&")
}

// linkHeader writes links as RFC 8288 says.
func (f Form) linkHeader(links []pageLink) []string {
	parts := []string{}
	for _, link := range links {
		rel := `; rel="` + link.Rel + `"`
		switch f.LinkStyle {
		case "unquoted":
			rel = "; rel=" + link.Rel
		case "parameters":
			rel = `; title="one, two; rel=\"last\""` + rel
		case "several relations":
			rel = `; rel="https://example.com/rels/page ` + link.Rel + `"`
		}
		parts = append(parts, "<"+link.Href+">"+rel)
	}
	if f.LinkStyle == "lines" || len(parts) == 0 {
		return parts
	}
	return []string{strings.Join(parts, ", ")}
}

// selfLink changes the address of an element.
func (f Form) selfLink(href string) string {
	switch f.SelfLinks {
	case "inner host":
		return "http://" + innerHost + parsedURL(href).EscapedPath()
	case "path":
		return parsedURL(href).EscapedPath()
	}
	return href
}

// elementLinks changes `_links` of an element, which has an ID.
func (f Form) elementLinks(o *sandbox.Object) {
	if _, isElement := o.Get("id"); !isElement || f.SelfLinks == "" {
		return
	}
	if f.SelfLinks == "none" {
		o.Delete("_links")
		return
	}
	links := member[[]pageLink](*o, "_links")
	for i := range links {
		links[i].Href = f.selfLink(links[i].Href)
	}
	if f.SelfLinks == "object" && len(links) == 1 {
		o.Set("_links", map[string]any{links[0].Rel: map[string]any{"href": links[0].Href}})
	} else if links != nil {
		o.Set("_links", links)
	}
}
