// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// shape sends a request to the service, and returns the answer in the form that the
// assumptions describe.
func (s *Service) shape(a *arrival) (response, error) {
	x := s.Assumptions()
	if x == (Assumptions{}) {
		return s.upstream(a)
	}
	if why := x.reject(a); why != nil {
		return s.rejected(x, a, why)
	}
	given, err := s.upstream(x.ask(a))
	if err != nil {
		return response{}, err
	}
	isSuccess := given.status < http.StatusMultipleChoices
	if isSuccess {
		s.shapeSuccess(x, a, &given)
	}
	given = x.shapeError(given)
	if isSuccess && given.status < http.StatusMultipleChoices {
		x.Form.write(&given)
	}
	return given, nil
}

// rejection says why a request gets an error and has no effect.
type rejection struct {
	status  int
	message string
}

// rejected answers a request that must have no effect. The service gets a read instead,
// so that the request is authenticated and counts for the limits.
func (s *Service) rejected(x Assumptions, a *arrival, why *rejection) (response, error) {
	read := *a
	read.method, read.body, read.query = http.MethodGet, nil, ""
	given, err := s.upstream(&read)
	if err != nil {
		return response{}, err
	}
	if given.status != http.StatusUnauthorized && given.status != http.StatusTooManyRequests {
		given = problem(why.status, given.header.Get("Conversation-Id"), "REJECTED", why.message)
	}
	return x.shapeError(given), nil
}

// reject returns why a request is rejected, or nil.
func (x Assumptions) reject(a *arrival) *rejection {
	request := a.method + " " + a.route
	for _, missing := range []struct {
		request string
		status  int
		message string
	}{
		{"GET " + sandbox.RoutePositionAssessments, x.PositionAssessmentList, "there is no list of a position's assessments"},
		{"GET " + sandbox.RouteBenchmarks, x.BenchmarkList, "this service has no list of benchmarks"},
		{"GET " + sandbox.RouteProfiles, x.ProfileList, "this service has no list of profiles"},
	} {
		if request == missing.request && missing.status != 0 {
			return &rejection{status: missing.status, message: missing.message}
		}
	}
	switch {
	case x.RejectLimit && request == "GET "+sandbox.RouteResults && a.parameters().Has("limit"):
		return &rejection{status: http.StatusBadRequest, message: `the query parameter "limit" is not known here`}
	case x.RejectFields != "" && a.route != sandbox.RouteAssessments && a.parameters().Has("fields"):
		return &rejection{status: http.StatusBadRequest, message: `the query parameter "fields" is not known here`}
	}
	return nil
}

// isList reports whether a route returns pages.
func isList(route string) bool {
	return sandbox.FieldsOf(route) != "" || route == sandbox.RouteResults
}

// ask returns the request in the form that the service expects.
func (x Assumptions) ask(a *arrival) *arrival {
	changed, query := *a, a.parameters()
	if a.route == sandbox.RoutePositions && x.TitleFilter != "" && query.Has("title") {
		query.Del("title")
		changed.query = query.Encode()
	}
	whole := x.RejectFields == "whole" && a.route != sandbox.RouteAssessments
	if fields := sandbox.FieldsOf(a.route); a.method == http.MethodGet && whole && fields != "" {
		query.Set("fields", fields)
		changed.query = query.Encode()
	}
	if a.method == http.MethodGet && x.Form != (Form{}) && isList(a.route) {
		x.Form.ask(query)
		changed.query = query.Encode()
	}
	return &changed
}

// shapeSuccess changes an answer that is not an error.
func (s *Service) shapeSuccess(x Assumptions, a *arrival, given *response) {
	switch {
	case a.method == http.MethodGet && a.route == sandbox.RouteResults:
		x.shapeResults(a, given)
	case a.method == http.MethodGet && a.route == sandbox.RoutePositionAssessment:
		given.changeObject(x.shapeMetadata)
	case a.method == http.MethodGet && sandbox.FieldsOf(a.route) != "":
		s.shapeCollection(x, a, given)
	}
}

// changeObject changes a body that is an object.
func (a *response) changeObject(change func(*sandbox.Object)) {
	object := parsed[sandbox.Object](a.body)
	change(&object)
	a.body = encode(object)
}

// parsed reads JSON that the service has written, so it panics if the text is not valid.
func parsed[T any](text []byte) (value T) {
	if err := json.Unmarshal(text, &value); err != nil {
		panic(fmt.Sprintf("sandboxtest: the service has written %q: %v", text, err))
	}
	return value
}

// member reads a member of an object that the service has written. If there is none, it returns the zero value.
func member[T any](o sandbox.Object, name string) (value T) {
	if text, found := o.Get(name); found {
		value = parsed[T](text)
	}
	return value
}

// encode writes JSON without the escapes for HTML.
func encode(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // impossible: all values are JSON
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// rename gives a member another name and keeps its place.
func rename(o sandbox.Object, from, to string) {
	for i := range o {
		if o[i].Name == from && to != "" {
			o[i].Name = to
		}
	}
}

// parsedURL reads an address that the service has written.
func parsedURL(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u
}

// pageLink is an element of _links.
type pageLink struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// parseLinkHeader reads the Link header of the sandbox.
func parseLinkHeader(header string) []pageLink {
	links := []pageLink{}
	for _, part := range strings.Split(header, ", ") {
		href, rel, found := strings.Cut(strings.TrimPrefix(part, "<"), `>; rel="`)
		if found {
			links = append(links, pageLink{strings.TrimSuffix(rel, `"`), href})
		}
	}
	return links
}
