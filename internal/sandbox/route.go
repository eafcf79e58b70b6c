// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"net/url"
	"slices"
	"strings"
	"sync"
)

// basePath is the prefix of the path of every route.
const basePath = "/v1"

// IsBelowBase reports whether an escaped path belongs to the service, not to its pages.
func IsBelowBase(path string) bool { return path == basePath || strings.HasPrefix(path, basePath+"/") }

// handler handles a request after the credentials and the limits were checked. If it returns an error, it must not have
// changed the state, because the transaction succeeds nevertheless.
type handler func(*incomingCall) (response, error)

// route is a method and the template of a path, in which {name} matches one segment. The route of a list also has the
// optional fields of the list's elements, separated by commas. It comes before the other routes with the same template,
// because [patterns] uses the fields of the first route.
type route struct {
	method, template, fields string
	handle                   handler
}

// JoinPath returns an absolute path that consists of the segments. It escapes them, so a segment may contain a slash.
func JoinPath(segments ...string) string {
	path := ""
	for _, segment := range segments {
		path += "/" + url.PathEscape(segment)
	}
	return path
}

// elementURL returns the address of the element with an id. The path of the request names the collection of this
// element, or an element of this collection.
func (c *incomingCall) elementURL(id string) string {
	segments := strings.Split(strings.TrimSuffix(c.template, "/{id}")[1:], "/")
	for i, segment := range segments {
		if name, isID := idName(segment); isID {
			segments[i] = c.ids[name]
		}
	}
	return c.origin + basePath + JoinPath(append(segments, id)...)
}

// idName returns the name of the id that a segment of a template matches, such as "position" for "{position}". isID is
// false if the segment is plain text.
func idName(segment string) (name string, isID bool) {
	name, isID = strings.CutPrefix(segment, "{")
	return strings.TrimSuffix(name, "}"), isID
}

// pattern is a template with its handlers by method.
type pattern struct {
	template string // "" for an unknown path
	segments []string
	fields   string // the optional fields of a collection's elements, separated by commas
	methods  map[string]handler
}

// target is the route of a request.
type target struct {
	pattern
	ids map[string]string // the ids in the path, by their names in the template
}

// patterns returns the patterns of all routes, by template.
var patterns = sync.OnceValue(func() map[string]pattern {
	all := map[string]pattern{}
	for _, r := range slices.Concat(assessmentRoutes, positionRoutes) {
		if _, ok := all[r.template]; !ok {
			all[r.template] = pattern{r.template, strings.Split(r.template, "/"), r.fields, map[string]handler{}}
		}
		all[r.template].methods[r.method] = r.handle
	}
	return all
})

// FieldsOf returns the optional fields of the elements of a collection, separated by commas. The parameter route
// is a template, such as [RoutePositions]. If a route has no optional fields, FieldsOf returns "".
func FieldsOf(route string) string { return patterns()[route].fields }

// RouteOf returns the template of the route for an escaped request path, such as
// [RoutePositions] for "/v1/positions". It returns "" for an unknown path.
func RouteOf(path string) string { return findTarget(path).template }

// findTarget returns the route of an escaped path, or the zero target if no template matches the path.
func findTarget(path string) target {
	if below, ok := strings.CutPrefix(path, basePath); ok {
		segments := strings.Split(below, "/")
		for _, p := range patterns() {
			if ids, ok := matchSegments(p.segments, segments); ok {
				return target{p, ids}
			}
		}
	}
	return target{}
}

// matchSegments compares the segments of an escaped path with a template's segments. If they match, it returns the ids
// in the path by their names in the template. A slash in an id arrives as %2F and remains part of the id. A path that
// has an empty id, or that cannot be unescaped, does not match.
func matchSegments(template, path []string) (ids map[string]string, ok bool) {
	if len(template) != len(path) {
		return nil, false
	}
	ids = map[string]string{}
	for i, expected := range template {
		segment, err := url.PathUnescape(path[i])
		if err != nil {
			return nil, false
		}
		name, isID := idName(expected)
		switch {
		case isID && segment == "", !isID && segment != expected:
			return nil, false
		case isID:
			ids[name] = segment
		}
	}
	return ids, true
}
