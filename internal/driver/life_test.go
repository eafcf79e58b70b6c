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
	forget bool // on_refused_removal = "forget"
}

func (r row) key() string { return r.position + "/" + r.assessment }

func (r row) String() string {
	return fmt.Sprintf("%s %v%v%s%s forget %t", r.key(), r.Packages, r.Tests, r.Benchmark, r.Profile, r.forget)
}

// block returns the resource block.
func (r row) block() driver.Values {
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
		blocks["profile"] = driver.Values{"id": r.Profile}
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
	r.Metadata = sandbox.Metadata{}
	benchmark := anyOf(random, []string{"-graduates-", "-engineers-"}) + "en-gb"
	if r.position == "pos-3" {
		benchmark = strings.Replace(benchmark, "en-gb", "de-de", 1)
	}
	switch r.assessment {
	case asmGames:
		r.Packages = []string{"pkg-problem-solving", "pkg-numerical-reasoning", "pkg-verbal-knowledge"}[:2+random.IntN(2)]
		if random.IntN(2) == 0 {
			r.Benchmark = "bmk-quartet" + benchmark
		}
	case asmCognitive:
		if random.IntN(3) > 0 {
			r.Benchmark = "bmk-lumen" + benchmark
		}
	case asmValues:
		if random.IntN(3) > 0 {
			r.Profile = anyOf(random, []string{"prf-shift-work", "prf-field-service"})
		}
	case asmSkills:
		r.Tests = []string{"skt-sql", "skt-python"}[random.IntN(2):]
	}
}

// life is the life of a workspace: a user changes the configuration and runs plans and applies, while others change the
// service and the network fails.
type life struct {
	*driver.Workspace
	service string          // one of services
	rows    map[string]*row // by address
	adopts  bool
	names   int
	disturb func(l *life, r *running, random *rand.Rand) (end func()) // what happens to the network in a run

	run       *running        // the present plan and apply
	completed map[string]int  // by ID: the length of the journal when a supervisor completed the profile
	removed   map[string]bool // IDs that a rival has removed
	story     []string
	violated  bool       // whether an invariant does not hold
	mu        sync.Mutex // for what hooks do
}

// newLife starts a life beside a random service.
func newLife(t *testing.T, random *rand.Rand) *life {
	t.Helper()
	service := anyOf(random, []string{
		asDocumented, asDocumented, asDocumented, linksOnly, linksOnly, unsigned, unsigned, mute, mute,
	})
	options := sandbox.Options{Seed: organization, Deviations: services[service], MaxPage: random.IntN(3)}
	if service == mute && random.IntN(2) == 0 {
		options.Mute = []string{anyOf(random, options.Mute)}
	}
	started := driver.NewService(t, options)
	l := &life{
		Workspace: driver.NewWorkspace(t, started), service: service, rows: map[string]*row{},
		completed: map[string]int{}, removed: map[string]bool{}, run: &running{},
	}
	l.Seed, l.Parallelism, l.LosesState = random.Uint64(), anyOf(random, []int{1, 2, 10}), random.IntN(2) == 0
	started.Hook(l.observe)
	l.tell("a service %s, pages of %d, parallelism %d, a killed apply loses its state: %t",
		service, options.MaxPage, l.Parallelism, l.LosesState)
	return l
}

func (l *life) tell(format string, values ...any) {
	if !l.violated {
		l.story = append(l.story, fmt.Sprintf(format, values...))
	}
}

// violate records the first violated invariant.
func (l *life) violate(check, format string, values ...any) {
	l.tell("=> %s: %s", check, fmt.Sprintf(format, values...))
	l.violated = true
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

// isOpen reports whether it has a profile that a supervisor can complete.
func (p placed) isOpen() bool { return p.Metadata.ProfileStatus != "" && !p.supervised() }

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
		ids[address] = o.Text("id")
	}
	return ids
}

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
