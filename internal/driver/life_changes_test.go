// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// operation is one step of a life. Its seed decides everything that is random in it, so that a story can be shortened.
type operation struct {
	kind int
	seed uint64
}

// kinds are what can happen. weight is how often.
var kinds = []struct {
	weight int
	do     func(l *life, random *rand.Rand)
}{
	{10, (*life).add},
	{4, (*life).drop},
	{4, (*life).rename},
	{4, (*life).reconfigure},
	{3, (*life).relocate},
	{2, (*life).toggleAdoption},
	{3, (*life).toggleForget},
	{2, (*life).toggleActivation},
	{2, (*life).loseState},
	{2, (*life).loseInUse},
	{4, func(l *life, random *rand.Rand) { l.rival(random) }},
	{4, func(l *life, random *rand.Rand) { l.invite(random) }},
	{18, (*life).runOnce},
}

// operationsOf returns the operations of a seed.
func operationsOf(seed uint64) (all []operation) {
	random := rand.New(rand.NewPCG(seed, 1))
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	for range 8 + random.IntN(12) {
		kind, n := 0, random.IntN(total)
		for n >= kinds[kind].weight {
			n -= kinds[kind].weight
			kind++
		}
		all = append(all, operation{kind, random.Uint64()})
	}
	return all
}

// add adds rows. Now and then it copies the key of another row.
func (l *life) add(random *rand.Rand) {
	for range 1 + random.IntN(3) {
		r := &row{
			position:   fmt.Sprintf("pos-%d", 1+random.IntN(3)),
			assessment: anyOf(random, []string{asmPlain, asmCognitive, asmGames, asmValues, asmValues, asmSkills}),
		}
		copies := random.IntN(8) == 0
		if l.has(r.key()) && !copies {
			continue
		}
		r.configure(random)
		l.fit(r)
		address := l.name()
		l.rows[address] = r
		l.tell("add %s: %s", address, r)
	}
}

// fit leaves out a test that is not enabled.
func (l *life) fit(r *row) {
	if !l.activates && !l.Service.Snapshot().Assessment(asmSkills).SkillsTest("skt-3").Active() {
		r.tests = slices.DeleteFunc(slices.Clone(r.tests), func(id string) bool { return id == "skt-3" })
	}
}

func (l *life) drop(random *rand.Rand) {
	if address := anyOf(random, l.addresses()); address != "" {
		delete(l.rows, address)
		l.tell("remove %s", address)
	}
}

// rename gives a row another address, with a "moved" block or without one.
func (l *life) rename(random *rand.Rand) {
	from := anyOf(random, l.addresses())
	if from == "" {
		return
	}
	to := l.name()
	l.rows[to] = l.rows[from]
	delete(l.rows, from)
	moved := random.IntN(2) == 0
	if o := l.State[from]; o != nil && moved {
		l.State[to] = o
		delete(l.State, from)
	}
	l.tell("rename %s to %s, moved: %t", from, to, moved)
}

func (l *life) reconfigure(random *rand.Rand) {
	if address := anyOf(random, l.addresses()); address != "" {
		l.rows[address].configure(random)
		l.fit(l.rows[address])
		l.tell("configure %s: %s", address, l.rows[address])
	}
}

// relocate gives a row another position, and so replaces it.
func (l *life) relocate(random *rand.Rand) {
	address := anyOf(random, l.addresses())
	if address == "" {
		return
	}
	r := *l.rows[address]
	r.position = fmt.Sprintf("pos-%d", 1+random.IntN(3))
	if l.has(r.key()) {
		return
	}
	r.configure(random)
	l.fit(&r)
	l.rows[address] = &r
	l.tell("relocate %s: %s", address, r)
}

func (l *life) toggleAdoption(*rand.Rand) {
	l.adopts = !l.adopts
	l.tell("adopt_existing: %t", l.adopts)
}

func (l *life) toggleForget(random *rand.Rand) {
	if address := anyOf(random, l.addresses()); address != "" {
		l.rows[address].forget = !l.rows[address].forget
		l.tell("on_refused_removal of %s: forget %t", address, l.rows[address].forget)
	}
}

// toggleActivation adds or removes the resource that enables skt-3.
func (l *life) toggleActivation(*rand.Rand) {
	l.activates = !l.activates
	for _, address := range l.addresses() {
		l.fit(l.rows[address])
	}
	l.tell("the configuration activates skt-3: %t", l.activates)
}

// loseState removes an object from the state, or all.
func (l *life) loseState(random *rand.Rand) {
	all := slices.Sorted(maps.Keys(l.State))
	if len(all) > 0 && random.IntN(3) > 0 {
		all = []string{anyOf(random, all)}
	}
	for _, address := range all {
		delete(l.State, address)
	}
	l.tell("state rm %v", all)
}

// loseInUse removes an object from the state to which a candidate is invited, and lets the next apply adopt it.
func (l *life) loseInUse(random *rand.Rand) {
	ids := idsOf(l.State)
	address := anyOf(random, sortedKeys(ids))
	a, exists := l.existing()[ids[address]]
	if !exists || l.rows[address] == nil {
		return
	}
	l.invitedTo(a.position.ID, a.Assessment)
	delete(l.State, address)
	l.adopts = true
	l.tell("a candidate is invited to %s, state rm %s, and adopt_existing", a.key(), address)
	l.rows[address].configure(random)
	l.fit(l.rows[address])
	l.tell("configure %s: %s", address, l.rows[address])
}

// invite invites a candidate to an assessment of a position.
func (l *life) invite(random *rand.Rand) {
	a, ok := l.anyPlaced(random, func(placed) bool { return true })
	if !ok {
		return
	}
	l.invitedTo(a.position.ID, a.Assessment)
	l.tell("a candidate is invited to %s", a.key())
}

// anyPlaced returns a random position assessment of the service.
func (l *life) anyPlaced(random *rand.Rand, suits func(placed) bool) (found placed, ok bool) {
	all := l.existing()
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if suits(all[id]) {
			ids = append(ids, id)
		}
	}
	id := anyOf(random, ids)
	return all[id], id != ""
}

// rival changes the service: a supervisor completes a profile, or a colleague attaches, removes or changes something. It
// returns what happened, "" if nothing.
func (l *life) rival(random *rand.Rand) string {
	what := ""
	switch random.IntN(6) {
	case 0, 1, 2:
		a, ok := l.anyPlaced(random, func(p placed) bool {
			return p.Metadata.ProfileStatus != "" && p.Metadata.ProfileStatus != sandbox.SupervisorCompleted
		})
		if !ok {
			break
		}
		l.completed[a.ID] = len(l.Service.Journal())
		l.Service.Change(func(st *sandbox.State) { _ = st.CompleteProfile(a.position.ID, a.ID) }) // it has a profile
		what = fmt.Sprintf("a supervisor completes %s of %s", a.ID, a.key())
	case 3:
		what = l.rivalAttaches(random)
	case 4:
		if a, ok := l.anyPlaced(random, func(p placed) bool { return !p.invited() }); ok {
			l.removed[a.ID] = true
			l.Service.Change(func(st *sandbox.State) {
				p := st.Position(a.position.ID)
				p.Assessments = slices.DeleteFunc(p.Assessments, func(b sandbox.PositionAssessment) bool { return a.ID == b.ID })
			})
			what = fmt.Sprintf("a rival removes %s of %s", a.ID, a.key())
		}
	default:
		if a, ok := l.anyPlaced(random, func(p placed) bool { return p.Assessment == asmCognitive }); ok {
			l.changed[a.ID] = true
			l.Service.Change(func(st *sandbox.State) {
				st.Position(a.position.ID).Assessment(a.ID).Metadata.Benchmark = ""
			})
			what = fmt.Sprintf("a rival removes the benchmark of %s of %s", a.ID, a.key())
		}
	}
	if what != "" {
		l.tell("%s", what)
	}
	return what
}

// rivalAttaches attaches an assessment that the position does not have.
func (l *life) rivalAttaches(random *rand.Rand) string {
	r := row{position: fmt.Sprintf("pos-%d", 1+random.IntN(3)), assessment: anyOf(random, []string{asmPlain, asmValues})}
	r.configure(random)
	for _, a := range l.existing() {
		if a.key() == r.key() {
			return ""
		}
	}
	var id string
	l.Service.Change(func(st *sandbox.State) {
		id, _ = st.Attach(r.position, r.assessment, sandbox.Metadata{Profile: r.profile}) // both exist
	})
	return fmt.Sprintf("a rival attaches %s: %s", id, r)
}
