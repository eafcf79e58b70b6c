// SPDX-License-Identifier: MPL-2.0

package sandbox

import "net/http"

// Assessment is an assessment of the organization (listAssessments) with everything
// that its position assessments can use.
type Assessment struct {
	ID          string         `json:"id"`
	Kind        AssessmentKind `json:"kind"`
	Code        string         `json:"code"`
	Name        string         `json:"name"`
	Packages    []Package      `json:"packages,omitempty"`
	Benchmarks  []Benchmark    `json:"benchmarks,omitempty"`
	Profiles    []Profile      `json:"profiles,omitempty"`
	SkillsTests []SkillsTest   `json:"skillsTests,omitempty"`
	Extra       Object         `json:"extra,omitempty"` // members that the specification does not name
}

// Package is a part of a multi-game cognitive assessment (listPackages).
type Package struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Mandatory bool   `json:"mandatory"`
	Extra     Object `json:"extra,omitempty"`
}

// Benchmark is a client-specific benchmark (listBenchmarks).
type Benchmark struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Locale string `json:"locale"`
	Extra  Object `json:"extra,omitempty"`
}

// Profile is a profile that a two-sided assessment compares candidates with (section 2.6).
type Profile struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Extra Object `json:"extra,omitempty"`
}

// SkillsTest is a skills test (listSkillsTests). It keeps the spelling of all members,
// because a client must send them back unchanged (enableSkillsTest).
type SkillsTest struct{ Object }

// ID returns the test's identifier.
func (t SkillsTest) ID() string { return t.Text("id") }

// Active reports whether the test is enabled for the organization.
func (t SkillsTest) Active() bool {
	value, _ := t.Get("active")
	return string(value) == "true"
}

// The routes of assessments, and of their options.
const (
	RouteAssessments = "/assessments"
	RoutePackages    = "/assessments/{assessment}/packages"
	RouteBenchmarks  = "/assessments/{assessment}/benchmarks"
	RouteProfiles    = "/assessments/{assessment}/profiles"
	RouteSkillsTests = "/assessments/{assessment}/skills"
	RouteSkillsTest  = "/assessments/{assessment}/skills/{id}"
)

var assessmentRoutes = []route{
	{http.MethodGet, RouteAssessments, "code,name", listAssessments},
	{http.MethodGet, RoutePackages, "name,mandatory", listPackages},
	{http.MethodGet, RouteBenchmarks, "name,locale", listBenchmarks},
	{http.MethodGet, RouteProfiles, "name", listProfiles},
	{
		http.MethodGet, RouteSkillsTests, "title,description,category,timeToComplete,numberOfQuestions,active",
		ofAssessment(listSkillsTests),
	},
	{http.MethodPut, RouteSkillsTest, "", ofAssessment(updateSkillsTest)},
}

func listAssessments(c *incomingCall) (response, error) {
	return listAll(c, c.state.Assessments, func(a Assessment) Object {
		return objectOf(a.Extra, "id", a.ID, "code", present(a.Code), "name", present(a.Name))
	})
}

// listPackages implements the operation of this name. Only an assessment of the kind [MultiGameCognitive] has packages.
var listPackages = listOf(func(a *Assessment) []Package { return a.Packages },
	func(p Package) Object {
		return objectOf(p.Extra, "id", p.ID, "name", present(p.Name), "mandatory", p.Mandatory)
	})

var listBenchmarks = listOf(func(a *Assessment) []Benchmark { return a.Benchmarks },
	func(b Benchmark) Object {
		return objectOf(b.Extra, "id", b.ID, "name", present(b.Name), "locale", present(b.Locale))
	})

var listProfiles = listOf(func(a *Assessment) []Profile { return a.Profiles },
	func(p Profile) Object { return objectOf(p.Extra, "id", p.ID, "name", present(p.Name)) })

// listOf returns a handler that lists one kind of options, such as packages, of the assessment that the path names. The
// function elements returns the options. The function write returns the resource of one option.
func listOf[T any](elements func(*Assessment) []T, write func(T) Object) handler {
	return ofAssessment(func(c *incomingCall, assessment *Assessment) (response, error) {
		return listAll(c, elements(assessment), write)
	})
}

// ofAssessment returns a handler for requests about the assessment that the path names.
func ofAssessment(handle func(*incomingCall, *Assessment) (response, error)) handler {
	return ofOwner("assessment", (*State).Assessment, handle)
}

// ofOwner returns a handler for requests about the owner (a position or an assessment) that the path names. If the
// owner does not exist, the handler responds with 404.
func ofOwner[T any](
	owner string, find func(*State, string) *T, handle func(*incomingCall, *T) (response, error),
) handler {
	return func(c *incomingCall) (response, error) {
		if found := find(c.state, c.ids[owner]); found != nil {
			return handle(c, found)
		}
		return response{}, notFound(owner, c.ids[owner])
	}
}
