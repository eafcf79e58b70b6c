// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// row is a position assessment in the configuration of a life.
type row struct {
	position, assessment string
	packages, tests      []string
	benchmark, profile   string
	reattach, forget     bool
}

func (r row) key() string { return r.position + "/" + r.assessment }

func (r row) String() string {
	text := r.key()
	for _, part := range []string{strings.Join(r.packages, "+"), strings.Join(r.tests, "+"), r.benchmark, r.profile} {
		if part != "" {
			text += " " + part
		}
	}
	if r.reattach {
		text += " reattach"
	}
	if r.forget {
		text += " forget"
	}
	return text
}

// resource returns the resource block.
func (r row) resource(after []string) driver.Resource {
	blocks := driver.Values{}
	if len(r.packages) > 0 {
		blocks["packages"] = driver.Values{"ids": r.packages}
	}
	if len(r.tests) > 0 {
		blocks["tests"] = driver.Values{"ids": r.tests}
	}
	if r.benchmark != "" {
		blocks["benchmark"] = driver.Values{"id": r.benchmark}
	}
	if r.profile != "" {
		profile := driver.Values{"id": r.profile}
		if r.reattach {
			profile["on_supervisor_change"] = "reattach"
		}
		blocks["profile"] = profile
	}
	if r.forget {
		blocks["on_refused_removal"] = "forget"
	}
	resource := attach(r.position, r.assessment, blocks)
	resource.After = after
	return resource
}

// is reports whether the service has what the row configures.
func (r row) is(m sandbox.Metadata) bool {
	same := func(a, b []string) bool {
		return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
	}
	return same(r.packages, m.Packages) && same(r.tests, m.Tests) && r.benchmark == m.Benchmark &&
		(r.profile == m.Profile || m.ProfileStatus == sandbox.SupervisorCompleted)
}

// configure sets random blocks that the assessment accepts.
func (r *row) configure(random *rand.Rand) {
	r.packages, r.tests, r.benchmark, r.profile, r.reattach = nil, nil, "", "", false
	locale := map[string]string{"pos-3": "de-DE"}[r.position]
	benchmark := fmt.Sprintf("-%s-%d", cmp.Or(locale, "en-GB"), 1+random.IntN(2))
	switch r.assessment {
	case asmGames:
		r.packages = []string{"pkg-1", "pkg-2"}[:1+random.IntN(2)]
		if random.IntN(2) == 0 {
			r.benchmark = "bmk-g" + benchmark
		}
	case asmCognitive:
		if random.IntN(3) > 0 {
			r.benchmark = "bmk-c" + benchmark
		}
	case asmValues:
		if random.IntN(3) > 0 {
			r.profile, r.reattach = fmt.Sprintf("prf-%d", 1+random.IntN(2)), random.IntN(4) == 0
		}
	case asmSkills:
		r.tests = []string{"skt-1", "skt-2", "skt-3"}[random.IntN(2):]
	}
}

// life is the life of a workspace: a user changes the configuration and runs plans and applies, while others change the
// service and the network fails.
type life struct {
	*driver.Workspace
	mode      string
	rows      map[string]*row // by address
	adopts    bool
	activates bool // whether the configuration activates skt-3
	names     int

	run       *running        // the present plan and apply
	completed map[string]int  // by ID: the length of the journal when a supervisor completed the profile
	changed   map[string]bool // IDs whose metadata a rival has changed
	removed   map[string]bool // IDs that a rival has removed
	shared    map[string]bool // IDs that two addresses of the state have
	story     []string
	violation *violation
	mu        sync.Mutex // for what hooks do
}

// violation is an invariant that does not hold.
type violation struct{ check, what string }

// newLife starts a life in a mode of the service.
func newLife(t *testing.T, random *rand.Rand) *life {
	t.Helper()
	silent := sandbox.Deviations{Mute: []string{anyOf(random, muteService.Mute)}}
	modes := []struct {
		name string
		service
	}{
		{asDocumented, service{}},
		{asDocumented, service{}},
		{asDocumented, service{}},
		{linksOnly, service{hook: driver.LinksOnly}},
		{linksOnly, service{hook: driver.LinksOnly}},
		{unsigned, unsignedService},
		{unsigned, unsignedService},
		{mute, muteService},
		{mute, service{Deviations: silent}},
	}
	mode := anyOf(random, modes)
	l := lifeIn(t, mode.name, mode.service, anyOf(random, []int{0, 1, 2}), random)
	l.Parallelism = anyOf(random, []int{1, 2, 10})
	l.LosesState = random.IntN(2) == 0
	l.tell("parallelism %d, a killed apply loses its state: %t", l.Parallelism, l.LosesState)
	return l
}

// lifeIn returns a life beside a service with pages of a length, 0 for the longest.
func lifeIn(t *testing.T, name string, mode service, maxPage int, random *rand.Rand) *life {
	t.Helper()
	started := mode.start(t, sandbox.Options{Seed: organization, MaxPage: maxPage})
	l := &life{
		Workspace: driver.NewWorkspace(t, started), mode: name, rows: map[string]*row{},
		completed: map[string]int{}, changed: map[string]bool{}, removed: map[string]bool{}, shared: map[string]bool{},
	}
	l.Seed = random.Uint64()
	started.Hook(l.observe)
	l.tell("a service %s, pages of %d", name, maxPage)
	return l
}

// The modes of the service.
const (
	asDocumented = "as documented"
	linksOnly    = "with lists of links only"
	unsigned     = "without signs and without the list"
	mute         = "that does not show metadata"
)

func (l *life) tell(format string, values ...any) {
	l.story = append(l.story, fmt.Sprintf(format, values...))
}

// violate records the first violated invariant.
func (l *life) violate(check, format string, values ...any) {
	if l.violation == nil {
		l.violation = &violation{check, fmt.Sprintf(format, values...)}
		l.tell("=> %s: %s", check, l.violation.what)
	}
}

// configuration fills the workspace.
func (l *life) configuration() {
	clear(l.Config)
	const activation = "assess_skills_test_activation.three"
	if l.activates {
		l.Config[activation] = driver.Resource{Values: driver.Values{"assessment_id": asmSkills, "test_id": "skt-3"}}
	}
	for address, r := range l.rows {
		var after []string
		if l.activates && slices.Contains(r.tests, "skt-3") {
			after = []string{activation}
		}
		l.Config[address] = r.resource(after)
	}
	delete(l.Provider, "adopt_existing")
	if l.adopts {
		l.Provider["adopt_existing"] = true
	}
}

// addresses returns those of all rows, in order.
func (l *life) addresses() []string { return slices.Sorted(maps.Keys(l.rows)) }

// name returns a new address.
func (l *life) name() string {
	l.names++
	return fmt.Sprintf("%s.%c", resource, 'a'+l.names-1)
}

// has reports whether a row has a key.
func (l *life) has(key string) bool {
	return slices.ContainsFunc(l.addresses(), func(address string) bool { return l.rows[address].key() == key })
}

// placed is a position assessment of the service with its position.
type placed struct {
	sandbox.PositionAssessment
	position *sandbox.Position
}

func (p placed) key() string { return p.position.ID + "/" + p.Assessment }

// invited reports whether a candidate was invited to it.
func (p placed) invited() bool {
	invited := func(c sandbox.Candidate) bool { return c.Result(p.Assessment) != nil }
	return slices.ContainsFunc(p.position.Candidates, invited)
}

// existing returns all position assessments of the service by ID.
func (l *life) existing() map[string]placed {
	all := map[string]placed{}
	st := l.Service.Snapshot()
	for i := range st.Positions {
		for _, a := range st.Positions[i].Assessments {
			all[a.ID] = placed{a, &st.Positions[i]}
		}
	}
	return all
}

// idsOf returns the IDs of the position assessments of a state by address.
func idsOf(state map[string]*driver.Object) map[string]string {
	ids := map[string]string{}
	for address, o := range state {
		if strings.HasPrefix(address, resource+".") {
			ids[address] = o.Text("id")
		}
	}
	return ids
}

// any returns a random element, or the zero value if there is none.
func anyOf[T any](random *rand.Rand, all []T) (one T) {
	if len(all) > 0 {
		one = all[random.IntN(len(all))]
	}
	return one
}
