// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// basePath is the prefix of the path of every route.
const basePath = "/v1"

// noSuchPage is what the log shows for a path that has no template.
const noSuchPage = "(no such page)"

// isBelowBase reports whether an escaped path belongs to the service, not to its pages.
func isBelowBase(path string) bool { return path == basePath || strings.HasPrefix(path, basePath+"/") }

// The templates of the routes. {name} matches one path segment.
const (
	RouteAssessments         = "/assessments"
	RouteAssessment          = "/assessments/{id}"
	RoutePackages            = "/assessments/{assessment}/packages"
	RoutePackage             = "/assessments/{assessment}/packages/{id}"
	RouteBenchmarks          = "/assessments/{assessment}/benchmarks"
	RouteBenchmark           = "/assessments/{assessment}/benchmarks/{id}"
	RouteProfiles            = "/assessments/{assessment}/profiles"
	RouteProfile             = "/assessments/{assessment}/profiles/{id}"
	RouteSkillsTests         = "/assessments/{assessment}/skills"
	RouteSkillsTest          = "/assessments/{assessment}/skills/{id}"
	RoutePositions           = "/positions"
	RoutePosition            = "/positions/{id}"
	RoutePositionAssessments = "/positions/{position}/assessments"
	RoutePositionAssessment  = "/positions/{position}/assessments/{id}"
	RouteResults             = "/positions/{position}/results"
)

// handler answers a request after the credentials and the limits were checked.
type handler func(*call) (response, error)

type route struct {
	method   string
	template string
	handle   handler
}

// routes are all routes of the service. The handler of a list also answers requests for
// the self links of its elements.
var routes = []route{
	{http.MethodGet, RouteAssessments, listAssessments},
	{http.MethodGet, RouteAssessment, listAssessments},
	{http.MethodGet, RoutePackages, listPackages},
	{http.MethodGet, RoutePackage, listPackages},
	{http.MethodGet, RouteBenchmarks, listBenchmarks},
	{http.MethodGet, RouteBenchmark, listBenchmarks},
	{http.MethodGet, RouteProfiles, listProfiles},
	{http.MethodGet, RouteProfile, listProfiles},
	{http.MethodGet, RouteSkillsTests, listSkillsTests},
	{http.MethodGet, RouteSkillsTest, listSkillsTests},
	{http.MethodPut, RouteSkillsTest, updateSkillsTest},
	{http.MethodGet, RoutePositions, listPositions},
	{http.MethodGet, RoutePosition, listPositions},
	{http.MethodGet, RoutePositionAssessments, listPositionAssessments},
	{http.MethodPost, RoutePositionAssessments, attachPositionAssessment},
	{http.MethodGet, RoutePositionAssessment, fetchPositionAssessment},
	{http.MethodPut, RoutePositionAssessment, updatePositionAssessment},
	{http.MethodDelete, RoutePositionAssessment, removePositionAssessment},
	{http.MethodGet, RouteResults, listResults},
}

// call is a request within its transaction.
type call struct {
	*request
	state   *State
	options *Options
	ids     map[string]string // the path segments that the template names
}

// url returns the absolute address of a path below the base path.
func (c *call) url(segments ...string) string {
	return c.origin + basePath + joinPath(segments...)
}

// joinPath escapes each segment, so that any id is one segment.
func joinPath(segments ...string) string {
	var path strings.Builder
	for _, segment := range segments {
		path.WriteByte('/')
		path.WriteString(url.PathEscape(segment))
	}
	return path.String()
}

// target is the route of a request.
type target struct {
	template string // "" for an unknown path
	ids      map[string]string
	methods  map[string]handler
}

// allowed lists the methods of the target.
func (t target) allowed() string {
	return strings.Join(slices.Sorted(maps.Keys(t.methods)), ", ")
}

// pattern is a template with the methods of its routes.
type pattern struct {
	template string
	segments []string
	methods  map[string]handler
}

// patterns are the routes by template.
var patterns = sync.OnceValue(func() []*pattern {
	all := []*pattern{}
	for _, route := range routes {
		i := slices.IndexFunc(all, func(p *pattern) bool { return p.template == route.template })
		if i < 0 {
			i = len(all)
			all = append(all, &pattern{route.template, strings.Split(route.template, "/"), map[string]handler{}})
		}
		all[i].methods[route.method] = route.handle
	}
	return all
})

// RouteOf returns the template of the route for an escaped request path, such as
// [RoutePositions] for "/v1/positions". It returns "" if there is none.
func RouteOf(path string) string { return findTarget(path).template }

// findTarget returns the route of an escaped path.
func findTarget(path string) target {
	if below, ok := strings.CutPrefix(path, basePath); ok {
		segments := strings.Split(below, "/")
		for _, p := range patterns() {
			if ids, ok := matchSegments(p.segments, segments); ok {
				return target{p.template, ids, p.methods}
			}
		}
	}
	return target{}
}

// match compares an escaped path with a template.
func match(template, path string) (ids map[string]string, ok bool) {
	return matchSegments(strings.Split(template, "/"), strings.Split(path, "/"))
}

// matchSegments compares the segments of an escaped path with those of a template. A
// slash in an id arrives as %2F and remains part of the id.
func matchSegments(pattern, segments []string) (ids map[string]string, ok bool) {
	if len(pattern) != len(segments) {
		return nil, false
	}
	for i, segment := range segments {
		segment, err := url.PathUnescape(segment)
		if err != nil {
			return nil, false
		}
		name, isID := strings.CutPrefix(pattern[i], "{")
		switch {
		case isID && segment != "":
			if ids == nil {
				ids = map[string]string{}
			}
			ids[strings.TrimSuffix(name, "}")] = segment
		case isID || segment != pattern[i]:
			return nil, false
		}
	}
	return ids, true
}
