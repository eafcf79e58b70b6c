// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// continuation is what an answer says about more pages in other ways than those of the contract (assumption A1). The
// provider cannot follow most of them, but it must notice them, because otherwise a list would silently end with its
// first page.
type continuation struct {
	link   string // an address of the next page
	more   string // the member or header that says in so many words that there are more pages, or ""
	isLast bool   // whether one says in so many words that there are no more pages
	next   string // the member or header that names the next page, but not its address, or ""
	noNext bool   // whether one says that no page is next
	cursor string // as next, if it may only name the place where this page ends
	total  count  // of elements
	pages  count
	page   count // the number of this page, from 0 or 1
}

// count is a number of an answer, and the member or header with it, or "".
type count struct {
	number float64
	place  string
}

// Names of members, without characters other than letters, in lower case.
var (
	nextNames = namesLike(`^(odata|page|paging)?next(page|link|url|uri|href|cursor|token|offset|start|marker|` +
		`key|index|skip|from|after|id|batch|set|number|num|continuation|results|records|query)*$`)
	moreNames   = namesLike(`^(has|is)?(more(pages|items|results|data|records)?|next(page)?|truncated)$`)
	lastNames   = namesLike(`^(is)?last(page)?$`)
	cursorNames = namesLike(`^(endcursor|cursor|continuation|continuationtoken|pagetoken|scrollid|marker)$`)
	pageNames   = namesLike(`^(current)?page(number|index)?$|^number$`)
	pagesNames  = namesLike(`^(total|last|num|numberof)?pages?(count|total)?$`)
	totalNames  = namesLike(`^total(count|elements|items|records)?$`)
)

// namesLike compiles a pattern when it is first used: a CLI starts the provider several times in a run, and most starts
// read no list.
func namesLike(pattern string) func(name string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	return func(name string) bool { return compiled().MatchString(name) }
}

// continuationHeaders are headers that some services use instead of members.
var continuationHeaders = []string{
	"X-Next-Page", "X-Next-Cursor", "X-Next-Token", "X-Next-Link", "X-Has-More", "X-Total", "X-Total-Count",
}

// maxDepth is how deep an envelope is searched.
const maxDepth = 3

// continuationOf reads the headers of an answer, and the members of its envelope beside the list.
func continuationOf(header http.Header, envelope map[string]json.RawMessage) (c continuation) {
	for _, name := range continuationHeaders {
		if value := header.Get(name); value != "" {
			text, _ := json.Marshal(value)
			c.member(fmt.Sprintf("header %q", name), strings.TrimPrefix(name, "X-"), text)
		}
	}
	if _, total, found := strings.Cut(header.Get("Content-Range"), "/"); found {
		c.total.read(`header "Content-Range"`, []byte(total))
	}
	c.members("", envelope, 1)
	return c
}

func (c *continuation) members(path string, members map[string]json.RawMessage, depth int) {
	for _, name := range (&jsonObject{members: members}).names() {
		value := members[name]
		if links, ok := linkArray(name, value); ok {
			c.link = cmp.Or(hrefOf(links, "next"), c.link)
			continue
		}
		inner, err := parseJSONObject(value)
		if err != nil {
			c.member(fmt.Sprintf("member %q", path+name), name, value)
			continue
		}
		if address, _ := textOf(inner.members["href"]); address != "" && nextNames(lettersOf(name)) {
			c.link = address
		} else if depth < maxDepth {
			c.members(path+name+".", inner.members, depth+1)
		}
	}
}

// member reads a value that is no object.
func (c *continuation) member(place, name string, value json.RawMessage) {
	says := !isNothing(value)
	text, isText := textOf(value)
	switch letters := lettersOf(name); {
	case isBoolean(value) && (moreNames(letters) || lastNames(letters)):
		if c.isLast = says == lastNames(letters); !c.isLast {
			c.more = place
		}
	case nextNames(letters) && !says:
		c.noNext = true
	case nextNames(letters) && isText && isAddress(text):
		c.link = text
	case nextNames(letters):
		c.next = place
	case says && cursorNames(letters):
		c.cursor = place
	case totalNames(letters):
		c.total.read(place, value)
	case pageNames(letters):
		c.page.read(place, value)
	case pagesNames(letters):
		c.pages.read(place, value)
	}
}

func (c *count) read(place string, value json.RawMessage) {
	if number, err := strconv.ParseFloat(strings.Trim(string(value), `" `), 64); err == nil {
		*c = count{number, place}
	}
}

// problem returns why a page without a link to the next page cannot be the last one, or nil. A total is compared only
// with the number of elements of a first page, because it is that of all pages.
func (c *continuation) problem(elements int, isFirst bool) error {
	place := c.more
	switch {
	case c.isLast:
	case c.next != "":
		place = c.next
	case place == "" && !c.noNext:
		place = c.cursor
	}
	switch {
	case place != "":
	case isFirst && c.total.number > float64(elements):
		place = c.total.place
	case isFirst && c.pages.number > 1, c.page.place != "" && c.page.number+1 < c.pages.number:
		place = c.pages.place
	default:
		return nil
	}
	return fmt.Errorf("the %s says that there are more elements than on this page, but there is no link to the next page",
		place)
}

// linkArray reads a member that is an array of links. An empty array is one if its name says so.
func linkArray(name string, value json.RawMessage) (links []link, ok bool) {
	if !bytes.HasPrefix(value, []byte("[")) || json.Unmarshal(value, &links) != nil {
		return nil, false
	}
	isOther := func(l link) bool { return l.Rel == "" || l.Href == "" }
	return links, !slices.ContainsFunc(links, isOther) && (len(links) > 0 || lettersOf(name) == "links")
}

func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// isBoolean reports whether a JSON value is a boolean, or its text.
func isBoolean(value json.RawMessage) bool {
	text := strings.ToLower(strings.Trim(string(value), `" `))
	return text == "true" || text == "false"
}

// isNothing reports whether a JSON value says that there is nothing: null, false, zero, or an empty text.
func isNothing(value json.RawMessage) bool {
	text := strings.ToLower(strings.Trim(string(bytes.TrimSpace(value)), `" `))
	number, err := strconv.ParseFloat(text, 64)
	return text == "" || text == "null" || text == "false" || text == "[]" || err == nil && number <= 0
}

// isAddress reports whether a text is an address, and not a cursor.
func isAddress(text string) bool {
	return strings.HasPrefix(text, "/") || strings.Contains(text, "?") || strings.Contains(text, "://")
}
