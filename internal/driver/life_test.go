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
	sandbox.Metadata
	reattach bool // on_supervisor_change = "reattach"
	forget   bool // on_refused_removal = "forget"
}

func (r row) key() string { return r.position + "/" + r.assessment }

func (r row) String() string {
	return fmt.Sprintf("%s %v%v%s%s reattach %t, forget %t",
		r.key(), r.Packages, r.Tests, r.Benchmark, r.Profile, r.reattach, r.forget)
}

// resource returns the resource block.
func (r row) resource() driver.Resource {
	blocks := driver.Values{}
	if len(r.Packages) > 0 {
		blocks["packages"] = driver.Values{"ids": r.Packages}
	}
	if len(r.Tests) > 0 {
		blocks["tests"] = driver.Values{"ids": r.Tests}
	}
	if r.Benchmark != "" {
		blocks["benchmark"] = driver.Values{"id": r.Benchmark}
	}
	if r.Profile != "" {
		profile := driver.Values{"id": r.Profile}
		if r.reattach {
			profile["on_supervisor_change"] = "reattach"
		}
		blocks["profile"] = profile
	}
	if r.forget {
		blocks["on_refused_removal"] = "forget"
	}
	return attach(r.position, r.assessment, blocks)
}

// is reports whether the service has what the row configures.
func (r row) is(m sandbox.Metadata) bool {
	same := func(a, b []string) bool {
		return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
	}
	return same(r.Packages, m.Packages) && same(r.Tests, m.Tests) && r.Benchmark == m.Benchmark &&
		(r.Profile == m.Profile || m.ProfileStatus == sandbox.SupervisorCompleted)
}

// configure sets random blocks that the assessment accepts.
func (r *row) configure(random *rand.Rand) {
	r.Metadata, r.reattach = sandbox.Metadata{}, false
	locale := map[string]string{"pos-3": "de-DE"}[r.position]
	benchmark := fmt.Sprintf("-%s-%d", cmp.Or(locale, "en-GB"), 1+random.IntN(2))
	switch r.assessment {
	case asmGames:
		r.Packages = []string{"pkg-1", "pkg-2"}[:1+random.IntN(2)]
		if random.IntN(2) == 0 {
			r.Benchmark = "bmk-g" + benchmark
		}
	case asmCognitive:
		if random.IntN(3) > 0 {
			r.Benchmark = "bmk-c" + benchmark
		}
	case asmValues:
		if random.IntN(3) > 0 {
			r.Profile, r.reattach = fmt.Sprintf("prf-%d", 1+random.IntN(2)), random.IntN(4) == 0
		}
	case asmSkills:
		r.Tests = []string{"skt-1", "skt-2", "skt-3"}[random.IntN(2):]
	}
}

// life is the life of a workspace: a user changes the configuration and runs plans and applies, while others change the
// service and the network fails.
type life struct {
	*driver.Workspace
	service   string          // one of services
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

// newLife starts a life beside a service with deviations and pages of a length, 0 for the longest.
func newLife(t *testing.T, service string, differs sandbox.Deviations, maxPage int, random *rand.Rand) *life {
	t.Helper()
	started := start(t, service, sandbox.Options{Seed: organization, Deviations: differs, MaxPage: maxPage})
	l := &life{
		Workspace: driver.NewWorkspace(t, started), service: service, rows: map[string]*row{},
		completed: map[string]int{}, changed: map[string]bool{}, removed: map[string]bool{}, shared: map[string]bool{},
	}
	l.Seed = random.Uint64()
	started.Hook(l.observe)
	l.tell("a service %s, pages of %d", service, maxPage)
	return l
}

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
		block := r.resource()
		if l.activates && slices.Contains(r.Tests, "skt-3") {
			block.After = []string{activation}
		}
		l.Config[address] = block
	}
	l.Provider["adopt_existing"] = l.adopts
}

// addresses returns those of all rows, in order.
func (l *life) addresses() []string { return sortedKeys(l.rows) }

// copies returns how many rows have a key.
func (l *life) copies(key string) (n int) {
	for _, r := range l.rows {
		if r.key() == key {
			n++
		}
	}
	return n
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

// supervised reports whether a supervisor has completed its profile.
func (p placed) supervised() bool { return p.Metadata.ProfileStatus == sandbox.SupervisorCompleted }

// configuration returns what a row contains that changes nothing.
func (p placed) configuration() sandbox.Metadata {
	m := p.Metadata
	m.ProfileStatus = ""
	return m
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
		if isPositionAssessment(address) {
			ids[address] = o.Text("id")
		}
	}
	return ids
}

func isPositionAssessment(address string) bool { return strings.HasPrefix(address, resource+".") }

// hasValue reports whether a map has a value.
func hasValue(m map[string]string, value string) bool {
	return slices.Contains(slices.Collect(maps.Values(m)), value)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// anyOf returns a random element, or the zero value if there is none.
func anyOf[T any](random *rand.Rand, all []T) (one T) {
	if len(all) > 0 {
		one = all[random.IntN(len(all))]
	}
	return one
}
