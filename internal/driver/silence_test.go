// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// scenario is a plan and an apply in a workspace whose state is up to date. It begins with a change by the user or by
// others.
type scenario struct {
	name    string
	change  func(l *life)
	between func(l *life) // between the plan and the apply
	loses   bool          // whether the response of the first creation is lost
}

// Addresses of the workspace of all scenarios.
const (
	attachedProfile = resource + ".attached_profile" // PROFILE_ATTACHED
	openProfile     = resource + ".open_profile"     // SUPERVISOR_TO_COMPLETE
	withPackages    = resource + ".packages"
	withTests       = resource + ".tests"
	invitedPlain    = resource + ".invited"
	created         = resource + ".created"
)

var scenarios = []scenario{
	{name: "nothing changes", change: func(*life) {}},
	{name: "update, create and remove", change: func(l *life) {
		l.rows[withPackages].Benchmark = "bmk-g-en-GB-2"
		l.rows[created] = &row{position: "pos-3", assessment: asmCognitive}
		l.rows[created].Benchmark = "bmk-c-de-DE-1"
		delete(l.rows, withTests)
	}},
	{name: "replace", change: func(l *life) { l.rows[withTests].position = "pos-3" }},
	{name: "replace what a supervisor has completed", change: func(l *life) {
		l.completeAt(openProfile)
		l.rows[openProfile].position = "pos-3"
	}},
	{name: "remove what a supervisor has completed", change: func(l *life) {
		l.completeAt(attachedProfile, openProfile)
		delete(l.rows, attachedProfile)
		delete(l.rows, openProfile)
	}},
	{name: "remove what a supervisor completes after the plan", change: func(l *life) {
		delete(l.rows, attachedProfile)
		delete(l.rows, openProfile)
	}, between: func(l *life) { l.completeAt(attachedProfile, openProfile) }},
	{name: "attach another profile than a supervisor completes after the plan", change: func(l *life) {
		l.rows[attachedProfile].Profile = "prf-2"
	}, between: func(l *life) { l.completeAt(attachedProfile) }},
	{name: "create what exists", change: func(l *life) {
		delete(l.State, invitedPlain)
		delete(l.State, withPackages)
	}},
	{name: "adopt", change: func(l *life) {
		l.adopts = true
		delete(l.State, invitedPlain)
		delete(l.State, withPackages)
		delete(l.State, attachedProfile)
		l.rows[withPackages].Benchmark = ""
	}},
	{name: "adopt what must not be overwritten", change: func(l *life) {
		l.adopts = true
		l.completeAt(openProfile)
		l.invited("pos-1", asmGames)
		delete(l.State, openProfile)
		delete(l.State, withPackages)
		l.rows[openProfile].Profile = "prf-1"
		l.rows[withPackages].Benchmark = ""
	}},
	{name: "create, and lose the response", loses: true, change: func(l *life) {
		l.rows[created] = &row{position: "pos-1", assessment: asmCognitive}
		l.rows[created].Benchmark = "bmk-c-en-GB-1"
	}},
	{name: "rename without a moved block", change: func(l *life) {
		l.rows[created] = l.rows[withPackages]
		delete(l.rows, withPackages)
	}},
	{name: "remove everything", change: func(l *life) {
		l.completeAt(openProfile)
		l.rows, l.activates = map[string]*row{}, false
	}},
}

// completeAt lets a supervisor complete the profiles of addresses.
func (l *life) completeAt(addresses ...string) {
	existing := l.existing()
	for _, address := range addresses {
		l.complete(existing[l.State[address].Text("id")])
	}
}

// furnish applies the workspace of all scenarios.
func (l *life) furnish() {
	l.rows = map[string]*row{
		attachedProfile: {position: "pos-1", assessment: asmValues, Metadata: sandbox.Metadata{Profile: "prf-1"}},
		openProfile:     {position: "pos-2", assessment: asmValues},
		withPackages: {position: "pos-1", assessment: asmGames, Metadata: sandbox.Metadata{
			Packages: []string{"pkg-1"}, Benchmark: "bmk-g-en-GB-1",
		}},
		withTests:    {position: "pos-1", assessment: asmSkills, Metadata: sandbox.Metadata{Tests: []string{"skt-1", "skt-3"}}},
		invitedPlain: {position: "pos-2", assessment: asmPlain, forget: true},
	}
	l.activates = true
	if r := l.begin(); !l.plan(r) || !l.apply(r) { // which plans once more
		l.violate(settles, "the first apply")
		return
	}
	l.invited("pos-2", asmPlain)
	l.story = l.story[:1]
}

// TestSilence plays scenarios in which the service leaves out one member, or one element between two pages. The
// provider must ask once more, or report it. It must not act on it: the invariants of lives hold.
func TestSilence(t *testing.T) {
	t.Parallel()
	sandboxtest.EachSeed(t, 5000, 300, func(t *testing.T, seed uint64) string {
		random := rand.New(rand.NewPCG(seed, 5))
		var l *life
		synctest.Test(t, func(t *testing.T) {
			service := anyOf(random, []string{asDocumented, asDocumented, linksOnly, unsigned})
			l = newLife(t, service, services[service], random.IntN(2), random)
			l.furnish()
			if l.violation == nil {
				l.play(anyOf(random, scenarios), random)
			}
			time.Sleep(time.Hour) // all requests have ended
		})
		if l.violation == nil {
			return ""
		}
		return "\n" + strings.Join(l.story, "\n")
	})
}

// play plays a scenario while the service leaves something out, and then does what the messages advise.
func (l *life) play(s scenario, random *rand.Rand) {
	l.tell("%s", s.name)
	s.change(l)
	r := l.begin()
	ends := []func(){l.silence(r, random)}
	if s.loses {
		isPost := func(q *driver.Request) bool { return q.Method == http.MethodPost }
		r.happened = true
		ends = append(ends, l.Service.HookAt(0, isPost, driver.LoseResponse))
	}
	if l.plan(r) {
		if s.between != nil {
			s.between(l)
			r.rivals = true
		}
		l.apply(r)
	}
	for _, end := range ends {
		end()
	}
	l.settle()
}

// silence lets the service leave something out of a response to a run: of one response, or of it and all later ones of
// its kind. The returned function ends that.
func (l *life) silence(r *running, random *rand.Rand) (end func()) {
	kind := anyOf(random, []string{
		"GET " + sandbox.RoutePositions, "GET " + sandbox.RouteResults, "GET " + sandbox.RouteAssessments,
		"GET " + sandbox.RoutePackages, "GET " + sandbox.RouteBenchmarks, "GET " + sandbox.RouteProfiles,
		"GET " + sandbox.RouteSkillsTests, "GET " + sandbox.RoutePositionAssessments,
		"GET " + sandbox.RoutePositionAssessment, "PUT " + sandbox.RoutePositionAssessment,
		"POST " + sandbox.RoutePositionAssessments,
	})
	skipped, always := random.IntN(4), random.IntN(2) == 0
	var path []any
	return l.Service.Hook(func(q *driver.Request, next func() driver.Response) driver.Response {
		if l.run != r || q.Method+" "+q.Route != kind {
			return next()
		}
		return l.omitting(func(body any) any {
			switch {
			case path != nil && always:
			case path != nil, skipped > 0:
				skipped--
				return body
			default:
				if path = anyOf(random, silences(q, body)); len(path) == 0 {
					return body // it has no members
				}
				_, ofElement := path[len(path)-1].(int)
				if always = always && !ofElement; always {
					path = pattern(path)
				}
				l.note(r, kind, path, always)
				if list, isList := body.([]any); isList && path[0] == 0 && len(path) == 1 {
					l.hide(list[0])
				}
			}
			return without(body, path)
		})(q, next)
	})
}

// note notes what a service does not say.
func (l *life) note(r *running, kind string, path []any, always bool) {
	l.tell("  the response to %s does not contain %v, always: %t", kind, path, always)
	r.happened = true
	r.halfShown = isKeyOfMetadata(path)
	r.silentResults = kind == "GET "+sandbox.RouteResults
	last := path[len(path)-1]
	if kind == "GET "+sandbox.RoutePositionAssessment && (last == "metadata" || last == "profileStatus") {
		r.statusless, r.onceStatusless = always, true
	}
}

// silences returns what one response can leave out: each member, and the first element of a page after another one.
func silences(q *driver.Request, body any) (all [][]any) {
	all = memberPaths(body, nil)
	if list, isList := body.([]any); isList && len(list) > 0 && q.Query.Has("offset") {
		all = append(all, []any{0})
	}
	return all
}

// pattern returns a path that means each element of an array.
func pattern(path []any) []any {
	each := slices.Clone(path)
	for i := range each {
		if _, isIndex := each[i].(int); isIndex {
			each[i] = everyElement
		}
	}
	return each
}
