// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
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
	name     string
	change   func(l *life)
	between  func(l *life) // between the plan and the apply
	destroys bool
	loses    bool // whether the response of the first creation is lost
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
		l.rows[withPackages].benchmark = "bmk-g-en-GB-2"
		l.rows[created] = &row{position: "pos-3", assessment: asmCognitive, benchmark: "bmk-c-de-DE-1"}
		delete(l.rows, withTests)
	}},
	{name: "replace", change: func(l *life) { l.rows[withTests].position = "pos-3" }},
	{name: "replace what a supervisor has completed", change: func(l *life) {
		l.complete(openProfile)
		l.rows[openProfile].position = "pos-3"
	}},
	{name: "remove what a supervisor has completed", change: func(l *life) {
		l.complete(attachedProfile)
		l.complete(openProfile)
		delete(l.rows, attachedProfile)
		delete(l.rows, openProfile)
	}},
	{name: "remove what a supervisor completes after the plan", change: func(l *life) {
		delete(l.rows, attachedProfile)
		delete(l.rows, openProfile)
	}, between: func(l *life) {
		l.complete(attachedProfile)
		l.complete(openProfile)
	}},
	{name: "attach another profile than a supervisor completes after the plan", change: func(l *life) {
		l.rows[attachedProfile].profile = "prf-2"
	}, between: func(l *life) { l.complete(attachedProfile) }},
	{name: "create what exists", change: func(l *life) {
		delete(l.State, invitedPlain)
		delete(l.State, withPackages)
	}},
	{name: "adopt", change: func(l *life) {
		l.adopts = true
		delete(l.State, invitedPlain)
		delete(l.State, withPackages)
		delete(l.State, attachedProfile)
		l.rows[withPackages].benchmark = ""
	}},
	{name: "adopt what must not be overwritten", change: func(l *life) {
		l.adopts = true
		l.complete(openProfile)
		l.invited(withPackages)
		delete(l.State, openProfile)
		delete(l.State, withPackages)
		l.rows[openProfile].profile = "prf-1"
		l.rows[withPackages].benchmark = ""
	}},
	{name: "create, and lose the response", loses: true, change: func(l *life) {
		l.rows[created] = &row{position: "pos-1", assessment: asmCognitive, benchmark: "bmk-c-en-GB-1"}
	}},
	{name: "rename without a moved block", change: func(l *life) {
		l.rows[created] = l.rows[withPackages]
		delete(l.rows, withPackages)
	}},
	{name: "import", change: func(l *life) {
		l.Imports[withPackages] = "pos-1/" + asmGames
		if l.mode == unsigned {
			l.Imports[withPackages] = "pos-1/" + l.State[withPackages].Text("id")
		}
		delete(l.State, withPackages)
	}},
	{name: "destroy", destroys: true, change: func(l *life) { l.complete(openProfile) }},
}

// complete lets a supervisor complete the profile of an address.
func (l *life) complete(address string) {
	o := l.State[address]
	if o == nil {
		o = l.run.plan.Changes[address].Prior
	}
	l.completed[o.Text("id")] = len(l.Service.Journal())
	l.Service.Change(func(st *sandbox.State) { _ = st.CompleteProfile(o.Text("position_id"), o.Text("id")) }) // it has one
	l.tell("a supervisor completes the profile of %s", address)
}

// invited invites a candidate to what an address has.
func (l *life) invited(address string) {
	l.invitedTo(l.State[address].Text("position_id"), l.State[address].Text("assessment_id"))
}

// invitedTo invites a candidate to an assessment of a position.
func (l *life) invitedTo(position, assessment string) {
	l.Service.Change(func(st *sandbox.State) {
		p := st.Position(position)
		p.Candidates = append(p.Candidates, sandbox.Candidate{
			ID: fmt.Sprintf("cnd-%s-%d", position, len(p.Candidates)+1), Name: "Ada",
			Results: []sandbox.Result{invitation(assessment)},
		})
	})
}

func invitation(assessment string) sandbox.Result {
	return sandbox.Result{Assessment: assessment, Invitations: []sandbox.Invitation{{
		ID: "inv-" + assessment, Type: sandbox.Remote, Status: sandbox.Invited, Expiry: "2030-01-01", Created: time.Now(),
	}}}
}

// circumstances are the service in which a scenario takes place.
type circumstances struct {
	scenario int
	mode     string
	maxPage  int
}

// received is a response that a scenario causes.
type received struct {
	key  string // of the request
	n    int    // how many equal requests preceded it
	kind string // method and route
	body any
}

// silence is what the service does not say: a member or an element of one response, or of all responses of a kind.
type silence struct {
	received
	path   []any
	always bool
}

func (s silence) String() string {
	if s.always {
		return fmt.Sprintf("no response to %s contains %v", s.kind, pattern(s.path))
	}
	return fmt.Sprintf("response %d to %s does not contain %v", s.n, s.key, s.path)
}

// keyOf returns what equal requests have in common.
func keyOf(r *driver.Request) string {
	return fmt.Sprintf("%s %s %v active=%s offset=%s", r.Method, r.Route, r.IDs, r.Query.Get("active"), r.Query.Get("offset"))
}

// play plays a scenario. It calls hear with each response during the plan and the apply, which may change it.
func play(t *testing.T, c circumstances, hear func(*life, received) (any, bool)) (l *life) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 1))
		l = lifeIn(t, c.mode, map[string]service{
			linksOnly: {hook: driver.LinksOnly}, unsigned: unsignedService,
		}[c.mode], c.maxPage, random)
		l.furnish()
		if l.violation != nil {
			t.Errorf("the workspace cannot be prepared: %v", l.story)
			return
		}
		s := scenarios[c.scenario]
		l.tell("%s", s.name)
		s.change(l)
		if l.disturbed(s, hear) && l.violation == nil {
			l.settle()
		}
		time.Sleep(time.Hour) // all requests have ended
	})
	return l
}

// furnish applies the workspace of all scenarios.
func (l *life) furnish() {
	l.Parallelism = 10
	l.rows = map[string]*row{
		attachedProfile: {position: "pos-1", assessment: asmValues, profile: "prf-1"},
		openProfile:     {position: "pos-2", assessment: asmValues},
		withPackages:    {position: "pos-1", assessment: asmGames, packages: []string{"pkg-1"}, benchmark: "bmk-g-en-GB-1"},
		withTests:       {position: "pos-1", assessment: asmSkills, tests: []string{"skt-1", "skt-3"}},
		invitedPlain:    {position: "pos-2", assessment: asmPlain, forget: true},
	}
	l.activates = true
	if r := l.begin(); !l.plan(r) || !l.apply(r) { // which plans once more
		l.violate(settles, "the first apply")
		return
	}
	l.invited(invitedPlain)
	l.story = l.story[:1]
}

// disturbed plans and applies while hear changes responses. It reports whether one was changed.
func (l *life) disturbed(s scenario, hear func(*life, received) (any, bool)) (changed bool) {
	r := l.begin()
	if s.loses {
		r.happened = true
		defer l.Service.Hook(driver.At(0, driver.Methods(http.MethodPost), driver.LoseResponse))()
	}
	var mu sync.Mutex
	seen := map[string]int{}
	remove := l.Service.Hook(func(q *driver.Request, next func() driver.Response) (driver.Response, error) {
		response := next()
		if l.run != r {
			return response, nil
		}
		mu.Lock()
		defer mu.Unlock()
		var body any
		_ = json.Unmarshal(response.Body, &body) // what is not JSON has no members
		left, isChanged := hear(l, received{keyOf(q), seen[keyOf(q)], q.Method + " " + q.Route, body})
		seen[keyOf(q)]++
		if isChanged {
			changed = true
			response.Body, _ = json.Marshal(left) // it was JSON
		}
		return response, nil
	})
	defer remove()
	planned := l.plan(r)
	if planned && s.destroys {
		time.Sleep(2 * time.Minute) // the requests of the plan count no longer
		first := r.plan
		r.plan = l.PlanDestroy(first)
		l.tell("destroy: %v%s", actions(r.plan), summaries(r.plan.Diagnostics))
		l.rows, l.activates = map[string]*row{}, false
		planned = !r.plan.Failed()
	}
	if !planned || l.violation != nil {
		return changed
	}
	if s.between != nil {
		s.between(l)
		r.rivals = true
	}
	l.apply(r)
	return changed
}

// responses returns the responses that a scenario causes in an undisturbed network, by kind.
var responses = struct {
	sync.Mutex
	known map[circumstances]map[string][]received
}{known: map[circumstances]map[string][]received{}}

func responsesOf(t *testing.T, c circumstances) map[string][]received {
	t.Helper()
	responses.Lock()
	defer responses.Unlock()
	if responses.known[c] == nil {
		byKind := map[string][]received{}
		l := play(t, c, func(_ *life, r received) (any, bool) {
			byKind[r.kind] = append(byKind[r.kind], r)
			return nil, false
		})
		if l.violation != nil {
			t.Errorf("without a silence:\n%s", strings.Join(l.story, "\n"))
		}
		responses.known[c] = byKind
	}
	return responses.known[c]
}

// silencesOf returns what one response can leave out: each member, and the first element of a page after another one.
func silencesOf(r received) (all [][]any) {
	all = memberPaths(r.body, nil)
	if list, isList := r.body.([]any); isList && len(list) > 0 && !strings.HasSuffix(r.key, "offset=") {
		all = append(all, []any{0})
	}
	return all
}

// TestSilence plays scenarios in which the service leaves out one member, or one element between two pages. The
// provider must ask once more, or report it. It must not act on it: the invariants of lives hold.
func TestSilence(t *testing.T) {
	t.Parallel()
	sandboxtest.EachSeed(t, 5000, 300, func(t *testing.T, seed uint64) string {
		random := rand.New(rand.NewPCG(seed, 5))
		c := circumstances{
			random.IntN(len(scenarios)), anyOf(random, []string{asDocumented, asDocumented, linksOnly, unsigned}),
			anyOf(random, []int{0, 1}),
		}
		byKind := responsesOf(t, c)
		kind := anyOf(random, sortedKeys(byKind))
		s := silence{received: anyOf(random, byKind[kind]), always: random.IntN(2) == 0}
		s.path = anyOf(random, silencesOf(s.received))
		if len(s.path) == 0 {
			return "" // a response without members
		}
		_, ofElement := s.path[len(s.path)-1].(int)
		s.always = s.always && !ofElement
		l := play(t, c, s.keep)
		if l.violation == nil {
			return ""
		}
		return fmt.Sprintf("\n%s\n%s", s, strings.Join(l.story, "\n"))
	})
}

// keep leaves out what the silence names.
func (s silence) keep(l *life, r received) (any, bool) {
	path := s.path
	switch {
	case s.always && s.kind == r.kind:
		path = pattern(path)
	case s.always, s.key != r.key, s.n != r.n:
		return nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.run.happened {
		l.tell("  silence: %s", s)
	}
	l.run.happened = true
	l.run.halfShown = l.run.halfShown || isKeyOfMetadata(path)
	last := path[len(path)-1]
	l.run.silentResults = s.kind == "GET "+sandbox.RouteResults
	if s.kind == "GET "+sandbox.RoutePositionAssessment && (last == "metadata" || last == "profileStatus") {
		l.run.statusless, l.run.onceStatusless = s.always, true
	}
	if id, isElement := path[len(path)-1].(int); isElement {
		l.hide(r.body, id)
	}
	return without(r.body, path), true
}

// hide remembers which keys a list does not show.
func (l *life) hide(body any, i int) {
	list, _ := body.([]any)
	if i < len(list) {
		element, _ := list[i].(map[string]any)
		for id, a := range l.existing() {
			if id == element["id"] || a.position.ID == element["id"] {
				l.run.hidden[a.key()] = true
			}
		}
	}
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
