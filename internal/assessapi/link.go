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

// linkValue matches a link-value of RFC 8288: an address in angle brackets and its parameters. linkParameter matches
// one parameter. Quoted values may contain commas and semicolons.
var (
	linkValue     = regexp.MustCompile(`<([^<>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]*))?)*)`)
	linkParameter = regexp.MustCompile(`;\s*([^\s=;,]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]*)))?`)
)

// nextOfHeader returns the link with the relation `next` from Link headers, or "".
func nextOfHeader(headers []string) string {
	var links []link
	for _, header := range headers {
		for _, l := range linkValue.FindAllStringSubmatch(header, -1) {
			links = append(links, link{Rel: relationOf(l[2]), Href: strings.TrimSpace(l[1])})
		}
	}
	return hrefOf(links, "next")
}

// relationOf returns the relation from the parameters of a link, or "". RFC 8288: only the first rel parameter counts.
func relationOf(parameters string) string {
	for _, p := range linkParameter.FindAllStringSubmatch(parameters, -1) {
		if strings.EqualFold(p[1], "rel") {
			return p[2] + p[3]
		}
	}
	return ""
}

// nextQuery returns the query of the request for the page that a link points to: our own query, with the link's limit,
// and with the parameters that only the link has, such as a cursor. Nothing else of the link has an effect, because a
// gateway may drop or garble our fields and filters in it, and its address may be another host.
func nextQuery(own url.Values, link string) url.Values {
	_, query, _ := strings.Cut(link, "?") // before "#", because a path may contain a raw "#"
	query, _, _ = strings.Cut(query, "#")
	merged := maps.Clone(own)
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, value = unescapeQuery(name), unescapeQuery(value)
		switch {
		case name == "limit": // the link may count in pages of this size
			merged.Set(name, value)
		case name != "" && !own.Has(name):
			merged.Add(name, value)
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
