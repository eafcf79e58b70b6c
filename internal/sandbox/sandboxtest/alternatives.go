// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Assumptions are the ways in which a service differs from the sandbox where the specification says nothing (see the
// documentation page "Assumptions about the service"). [Differing] returns them by name.
type Assumptions []Alternative

// Alternative is one behavior that differs from the sandbox. The tests of package assessapi have other forms of
// responses to writes.
type Alternative struct {
	Gap, Name string // the row, such as "A7", and what differs

	service *sandbox.Deviations                   // of the sandbox itself, or nil
	ask     func(route string, query url.Values)  // changes the query of a read before the service gets it, or nil
	change  func(request *Entry, given *response) // changes a response, or nil
}

// Differing returns the alternatives with these names, such as "A7 bare". It panics if there is no such alternative.
func Differing(names ...string) (all Assumptions) {
	known := slices.Concat(alternatives, forms)
	for _, name := range names {
		at := slices.IndexFunc(known, func(a Alternative) bool { return a.Gap+" "+a.Name == name })
		if at < 0 {
			panic("sandboxtest: there is no alternative " + name)
		}
		all = append(all, known[at])
	}
	return all
}

// Alternatives returns the alternatives in what a service returns.
func Alternatives() []Alternative { return slices.Clone(alternatives) }

const (
	positions  = sandbox.RoutePositions
	attached   = sandbox.RoutePositionAssessments
	packages   = sandbox.RoutePackages
	benchmarks = sandbox.RouteBenchmarks
	results    = sandbox.RouteResults

	overallReport = `"reportUrl":("[^"]*","suitability")`
)

// The JSON of the sandbox has no white space, and its members have a fixed order.
var alternatives = []Alternative{
	{Gap: "A1", Name: "object", change: asObject},
	{Gap: "A2", Name: "array", change: resultsAsArray},
	{Gap: "A2", Name: "items", change: in(results, `"candidates":`, `"items":`)},
	{Gap: "A3", Name: "text", change: errorAsText},
	{Gap: "A3", Name: "unsigned", service: &sandbox.Deviations{Unsigned: true}},
	{Gap: "A7", Name: "404", change: rejects(attached, http.StatusNotFound)},
	{Gap: "A7", Name: "no assessment", change: in(attached, `,"organizationAssessment":"[^"]*"`, "")},
	{Gap: "A7", Name: "bare", change: in(attached, `,"(organizationAssessment":"[^"]*"|metadata":\{[^}]*\})`, "")},
	{Gap: "A7", Name: "no empty metadata", change: in(attached, `,"metadata":\{\}`, "")},
	{Gap: "A8", Name: "404", change: rejects(benchmarks, http.StatusNotFound)},
	{Gap: "A9", Name: "501", change: rejects(sandbox.RouteProfiles, http.StatusNotImplemented)},
	{Gap: "A10", Name: "optional", change: in(packages,
		`"mandatory":true`, `"optional":false`, `"mandatory":false`, `"optional":true`)},
	{Gap: "A10", Name: "word", change: in(packages,
		`"mandatory":true`, `"type":"MANDATORY"`, `"mandatory":false`, `"type":"OPTIONAL"`)},
	{Gap: "A10", Name: "none", change: in(packages, `,"mandatory":(true|false)`, "")},
	{Gap: "A11", Name: "no locale", change: in(positions, `,"locale":"[^"]*"`, "")},
	{Gap: "A12", Name: "candidateName", change: in(results, `"name":`, `"candidateName":`)},
	{Gap: "A12", Name: "first and last", change: in(results,
		`"name":"((?:[^"\\ ]|\\.)*) ?((?:[^"\\]|\\.)*)"`, `"firstName":"$1","lastName":"$2"`)},
	{Gap: "A12", Name: "overallReportUrl", change: in(results, overallReport, `"overallReportUrl":$1`)},
	{Gap: "A12", Name: "suitabilityScore", change: in(results, `"suitability":`, `"suitabilityScore":`)},
	{Gap: "A12", Name: "score", change: in(results, `"suitability":([0-9.]+)`, `"suitability":{"score":$1}`)},
	{Gap: "A13", Name: "words", change: in(results, `("(?:classification|validity)":"\w+)"`, `${1}_OTHER"`)},
	{Gap: "A14", Name: "date", change: retryAfter(inTwoSeconds)},
	{Gap: "A14", Name: "none", change: retryAfter(func() string { return "" })},
	{Gap: "A14", Name: "hour", change: retryAfter(func() string { return "3600" })},
	{Gap: "A22", Name: "mute", service: &sandbox.Deviations{Mute: []string{"packages", "benchmark", "tests"}}},
	{Gap: "A23", Name: "400", change: otherKind},
	{Gap: "A24", Name: "fields", change: rejectsParameter("fields")},
	{Gap: "A24", Name: "limit", change: rejectsParameter("limit")},
	{Gap: "A25", Name: "ignored", ask: func(_ string, query url.Values) { query.Del("title") }},
	{Gap: "A26", Name: "positions", change: in(positions, `("locale":"\w+)-`, "${1}_")},
	{Gap: "A26", Name: "benchmarks", change: in(benchmarks, `("locale":"\w+)-`, "${1}_")},
}

// forms are alternatives in how a service, or a gateway in front of it, writes what the sandbox returns.
var forms = []Alternative{
	{Gap: "A1", Name: "charset", change: asLatin1},
	{Gap: "A1", Name: "compressed", change: compressed},
	{Gap: "A1", Name: "host", change: inLinks(regexp.QuoteMeta(sandbox.BaseURL), "https://inner.example:8080/v1")},
	{Gap: "A1", Name: "links", ask: smallPages, change: inLinks("[?]fields=[^&>]*&", "?")},
	{Gap: "A12", Name: "text", change: in(results, `"(suitability|percentile)":([0-9.]+)`, `"$1":"$2"`)},
	{Gap: "A24", Name: "page", ask: smallPages},
}

// in returns a change of the successful responses to GET requests of a route: patterns and replacements in turn.
func in(route string, replacements ...string) func(*Entry, *response) {
	patterns := make([]*regexp.Regexp, len(replacements))
	for i := 0; i < len(patterns); i += 2 {
		patterns[i] = regexp.MustCompile(replacements[i])
	}
	return func(request *Entry, given *response) {
		if request.Method != http.MethodGet || request.Route != route || given.status != http.StatusOK {
			return
		}
		for i := 0; i < len(patterns); i += 2 {
			given.body = patterns[i].ReplaceAll(given.body, []byte(replacements[i+1]))
		}
	}
}

// inLinks returns a change of the links to other pages.
func inLinks(pattern, replacement string) func(*Entry, *response) {
	compiled := regexp.MustCompile(pattern)
	return func(_ *Entry, given *response) {
		if link := given.header.Get("Link"); link != "" {
			given.header.Set("Link", compiled.ReplaceAllString(link, replacement))
		}
	}
}

// smallPages asks for pages of two elements.
func smallPages(route string, query url.Values) {
	if sandbox.FieldsOf(route) != "" || route == sandbox.RouteResults {
		query.Set("limit", "2")
	}
}

// reject replaces a successful response to a read, which has no effect.
func reject(given *response, status int) {
	if given.status == http.StatusOK {
		*given = problem(status, given.header.Get("Conversation-Id"), "REJECTED", "this service does not offer that")
	}
}

func rejects(route string, status int) func(*Entry, *response) {
	return func(request *Entry, given *response) {
		if request.Method == http.MethodGet && request.Route == route {
			reject(given, status)
		}
	}
}

// rejectsParameter rejects a parameter, except for assessments, whose fields the specification names.
func rejectsParameter(name string) func(*Entry, *response) {
	return func(request *Entry, given *response) {
		isLimit := name == "limit" && request.Route == sandbox.RouteResults
		isFields := name == "fields" && request.Route != sandbox.RouteAssessments
		if request.Query.Has(name) && (isLimit || isFields) {
			reject(given, http.StatusBadRequest)
		}
	}
}

// otherKind rejects the lists of packages and skills tests of an assessment of another kind, which are empty.
func otherKind(request *Entry, given *response) {
	isOfOneKind := request.Route == sandbox.RoutePackages || request.Route == sandbox.RouteSkillsTests
	if isOfOneKind && string(given.body) == "[]" {
		reject(given, http.StatusBadRequest)
	}
}

// pageLink is an element of _links.
type pageLink struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// asObject writes a list as an object with _links and one array.
func asObject(request *Entry, given *response) {
	if request.Method == http.MethodGet && sandbox.FieldsOf(request.Route) != "" && given.status == http.StatusOK {
		links, _ := json.Marshal(parseLinkHeader(given.header.Get("Link")))
		given.header.Del("Link")
		given.body = fmt.Appendf(nil, `{"_links":%s,"items":%s}`, links, given.body)
	}
}

// resultsAsArray writes a page of results as an array, with a Link header.
func resultsAsArray(request *Entry, given *response) {
	if request.Route != sandbox.RouteResults || given.status != http.StatusOK {
		return
	}
	var page struct {
		Links      []pageLink `json:"_links"`
		Candidates json.RawMessage
	}
	_ = json.Unmarshal(given.body, &page) // the sandbox has written it
	given.body = page.Candidates
	for _, link := range page.Links {
		given.header.Add("Link", fmt.Sprintf("<%s>; rel=%q", link.Href, link.Rel))
	}
}

// parseLinkHeader reads the Link header of the sandbox.
func parseLinkHeader(header string) []pageLink {
	links := []pageLink{}
	for _, link := range regexp.MustCompile(`<([^>]*)>; rel="(\w+)"`).FindAllStringSubmatch(header, -1) {
		links = append(links, pageLink{Rel: link[2], Href: link[1]})
	}
	return links
}

// errorAsText writes an error as text.
func errorAsText(_ *Entry, given *response) {
	if given.status >= http.StatusBadRequest {
		given.header.Set("Content-Type", "text/plain; charset=utf-8")
		given.body = []byte(http.StatusText(given.status))
	}
}

// retryAfter sets the header of a 429, or removes it.
func retryAfter(value func() string) func(*Entry, *response) {
	return func(_ *Entry, given *response) {
		if given.status == http.StatusTooManyRequests {
			given.header.Del("Retry-After")
			if text := value(); text != "" {
				given.header.Set("Retry-After", text)
			}
		}
	}
}

func inTwoSeconds() string { return time.Now().Add(2 * time.Second).UTC().Format(http.TimeFormat) }

// asLatin1 writes a body in Latin1. Other characters are escaped.
func asLatin1(_ *Entry, given *response) {
	given.header.Set("Content-Type", "application/json; charset=ISO-8859-1")
	text := string(given.body)
	given.body = nil
	for _, r := range text {
		if r > 0xFF {
			given.body = fmt.Appendf(given.body, `\u%04x`, r)
		} else {
			given.body = append(given.body, byte(r))
		}
	}
}

// compressed compresses a body without saying so.
func compressed(_ *Entry, given *response) {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, _ = writer.Write(given.body) // a buffer returns no errors
	_ = writer.Close()
	given.body = out.Bytes()
}
