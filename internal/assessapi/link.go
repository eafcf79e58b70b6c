// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// link is an element of `_links`.
type link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// linksOf reads `_links`, an array of links. It returns an empty result if the member is absent or null.
func linksOf(text json.RawMessage) (links []link, err error) {
	if text == nil || json.Unmarshal(text, &links) == nil {
		return links, nil
	}
	return nil, fmt.Errorf("expected the member %q to be an array of links, got %s", "_links", describeJSON(text))
}

// hrefOf returns the first address with a relation, or "".
func hrefOf(links []link, relation string) string {
	for _, l := range links {
		if slices.Contains(strings.Fields(strings.ToLower(l.Rel)), relation) && l.Href != "" {
			return l.Href
		}
	}
	return ""
}

// A link-value of RFC 8288: an address in angle brackets and its parameters. Quoted values may contain commas and
// semicolons. The patterns are compiled when they are first used, because most starts of the provider read no list.
var linkPatterns = sync.OnceValue(func() [2]*regexp.Regexp {
	return [2]*regexp.Regexp{
		regexp.MustCompile(`<([^<>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]*))?)*)`),
		regexp.MustCompile(`;\s*([^\s=;,]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]*)))?`),
	}
})

// nextOfHeader returns the link with the relation `next` from Link headers, or "".
func nextOfHeader(headers []string) string {
	value, parameter := linkPatterns()[0], linkPatterns()[1]
	var links []link
	for _, header := range headers {
		for _, l := range value.FindAllStringSubmatch(header, -1) {
			for _, p := range parameter.FindAllStringSubmatch(l[2], -1) {
				if strings.EqualFold(p[1], "rel") {
					links = append(links, link{Rel: p[2] + p[3], Href: strings.TrimSpace(l[1])})
					break // RFC 8288: only the first rel parameter counts
				}
			}
		}
	}
	return hrefOf(links, "next")
}

// nextQuery returns the query with which the page behind a link is requested: the query of the link, merged over our
// own query. The rest of the link does not matter, because a request always goes to our own address of the same route.
// So a link works behind a gateway that changes addresses, and nothing is ever sent elsewhere.
//
// Fields and filters stay as they were sent. A gateway may keep only one of several values, or write them in another
// charset, and without them a page would lack fields or contain what a filter excludes.
func nextQuery(own url.Values, link string) url.Values {
	_, query, _ := strings.Cut(link, "?")
	query, _, _ = strings.Cut(query, "#")
	merged := maps.Clone(own)
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, value = unescapeQuery(name), unescapeQuery(value)
		switch {
		case name == "" || own.Has(name) && name != "limit":
		case name == "limit":
			merged.Set(name, value)
		default:
			merged[name] = append(slices.Clip(merged[name]), value)
		}
	}
	return merged
}

// unescapeQuery decodes a part of a query. What cannot be decoded stays as it is, because some services write raw
// characters into links.
func unescapeQuery(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}
