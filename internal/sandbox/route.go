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

// noSuchPage is the entry in the log for a path that has no template.
const noSuchPage = "(no such page)"

// IsBelowBase reports whether an escaped path belongs to the service, not to its pages.
func IsBelowBase(path string) bool { return path == basePath || strings.HasPrefix(path, basePath+"/") }

// handler handles a request after the credentials and the limits were checked.
type handler func(*incomingCall) (response, error)

// route is a template, in which {name} matches one path segment, and a method. A list also has the optional fields of
// its elements, and comes before the other routes with its template.
type route struct {
	method, template, fields string
	handle                   handler
}

// JoinPath returns an absolute path in which each id is one segment, also if it contains a slash.
func JoinPath(segments ...string) string {
	path := ""
	for _, segment := range segments {
		path += "/" + url.PathEscape(segment)
	}
	return path
}

// elementURL returns the address of an element of the collection to which the path belongs.
func (c *incomingCall) elementURL(id string) string {
	segments := strings.Split(strings.TrimSuffix(c.template, "/{id}")[1:], "/")
	for i, segment := range segments {
		if name, isID := idName(segment); isID {
			segments[i] = c.ids[name]
		}
	}
	return c.origin + basePath + JoinPath(append(segments, id)...)
}

// idName returns the name in a segment of a template that matches an id, such as "position" in "{position}".
func idName(segment string) (name string, isID bool) {
	name, isID = strings.CutPrefix(segment, "{")
	return strings.TrimSuffix(name, "}"), isID
}

// pattern is a template with its handlers by method.
type pattern struct {
	template string // "" for an unknown path
	segments []string
	fields   string // of the elements of a collection
	methods  map[string]handler
}

// target is the route of a request.
type target struct {
	pattern
	ids map[string]string // the path segments that the template names
}

// patterns are the routes by template.
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

// FieldsOf returns the optional fields of the elements of a collection, or "" for another route.
func FieldsOf(route string) string { return patterns()[route].fields }

// RouteOf returns the template of the route for an escaped request path, such as
// [RoutePositions] for "/v1/positions". It returns "" for an unknown path.
func RouteOf(path string) string { return findTarget(path).template }

// findTarget returns the route of an escaped path.
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
		case isID && segment != "":
			ids[name] = segment
		case isID, segment != expected: // an empty id, or another segment
			return nil, false
		}
	}
	return ids, true
}
