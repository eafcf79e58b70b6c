// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// continuation is what an answer says about more pages in other ways than those of the contract (assumption A1). The
// provider cannot follow most of them, but it must notice them, because otherwise a list would silently end with its
// first page.
type continuation struct {
	link   string // an address of the next page
	more   string // the member or header that says that there are more pages, or ""
	cursor string // the same, if it may only name the place where this page ends
	stated bool   // whether a member says in so many words whether there are more pages, or that no page is next
	total  float64
	counts string // the member or header with the total, or ""
}

// Names of members, without characters other than letters, in lower case.
var (
	nextNames = regexp.MustCompile(`^(odata|page|paging)?next(page|link|url|uri|href|cursor|token|offset|start|marker|` +
		`key|index|skip|from|after|id|batch|set|number|num|continuation|results|records|query)*$`)
	moreNames   = regexp.MustCompile(`^(has|is)?(more(pages|items|results|data|records)?|next(page)?|truncated)$`)
	lastNames   = regexp.MustCompile(`^(is)?last(page)?$`)
	cursorNames = regexp.MustCompile(`^(endcursor|cursor|continuation|continuationtoken|pagetoken|scrollid|marker)$`)
	totalNames  = regexp.MustCompile(`^total(count|elements|items|records)?$`)
)

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
		c.count(`header "Content-Range"`, []byte(total))
	}
	c.members("", envelope, 1)
	return c
}

func (c *continuation) members(path string, members map[string]json.RawMessage, depth int) {
	for _, name := range (&object{members: members}).names() {
		value := members[name]
		inner, err := parseObject(value)
		if err != nil {
			c.member(fmt.Sprintf("member %q", path+name), name, value)
			continue
		}
		if address, _ := textOf(inner.members["href"]); address != "" && nextNames.MatchString(lettersOf(name)) {
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
	case moreNames.MatchString(letters) && isBoolean(value), lastNames.MatchString(letters) && isBoolean(value):
		c.stated = true
		if says != lastNames.MatchString(letters) {
			c.more = place
		}
	case nextNames.MatchString(letters):
		switch {
		case !says:
			c.stated = c.stated || c.more == ""
		case isText && isAddress(text):
			c.link = text
		default:
			c.more = place
		}
	case says && cursorNames.MatchString(letters):
		c.cursor = place
	case totalNames.MatchString(letters):
		c.count(place, value)
	}
}

func (c *continuation) count(place string, value json.RawMessage) {
	if total, err := strconv.ParseFloat(strings.Trim(string(value), `" `), 64); err == nil {
		c.total, c.counts = total, place
	}
}

// problem returns why a page without a link to the next page cannot be the last one, or nil. A total is compared only
// with the number of elements of a first page.
func (c *continuation) problem(elements int, isFirst bool) error {
	place := c.more
	if place == "" && !c.stated {
		place = c.cursor
	}
	if place == "" && isFirst && c.total > float64(elements) {
		place = c.counts
	}
	if place == "" {
		return nil
	}
	return fmt.Errorf("the %s says that there are more elements than on this page, but there is no link to the next page",
		place)
}

func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// textOf returns the text of a JSON string.
func textOf(value json.RawMessage) (text string, isText bool) {
	err := json.Unmarshal(value, &text)
	return text, err == nil && len(value) > 0 && value[0] == '"'
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
