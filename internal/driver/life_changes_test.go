// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// operation is one step of a life.
type operation = func(l *life, random *rand.Rand)

// operations returns what can happen in a life, each as often as its weight.
func operations() (all []operation) {
	for _, kind := range []struct {
		weight int
		do     operation
	}{
		{10, (*life).add},
		{4, (*life).drop},
		{4, (*life).rename},
		{7, (*life).reconfigure},
		{6, (*life).toggle},
		{3, (*life).loseState},
		{4, (*life).rival},
		{5, (*life).invite},
		{3, (*life).duplicate},
		{3, (*life).readopt},
		{4, (*life).supervise},
		{18, (*life).runOnce},
	} {
		all = append(all, slices.Repeat([]operation{kind.do}, kind.weight)...)
	}
	return all
}

// add adds rows.
func (l *life) add(random *rand.Rand) {
	for range 1 + random.IntN(3) {
		r := &row{
			position:   fmt.Sprintf("pos-%d", 1+random.IntN(3)),
			assessment: anyOf(random, []string{asmPlain, asmCognitive, asmGames, asmValues, asmValues, asmSkills}),
		}
		if l.copies(r.key()) > 0 {
			continue
		}
		r.configure(random)
		address := l.name()
		l.rows[address] = r
		l.tell("add %s: %s", address, r)
	}
}

// name returns a new address.
func (l *life) name() string {
	l.names++
	return fmt.Sprintf("%s.%c", resource, 'a'+l.names-1)
}

func (l *life) drop(random *rand.Rand) {
	address := anyOf(random, l.addresses())
	delete(l.rows, address)
	l.tell("remove %s", address)
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

// reconfigure gives a row other blocks, and now and then another position, which replaces it.
func (l *life) reconfigure(random *rand.Rand) {
	if address := anyOf(random, l.addresses()); address != "" {
		l.reconfigureAt(address, random)
	}
}

func (l *life) reconfigureAt(address string, random *rand.Rand) {
	r := *l.rows[address]
	if random.IntN(2) == 0 {
		r.position = fmt.Sprintf("pos-%d", 1+random.IntN(3))
	}
	if r.key() != l.rows[address].key() && l.copies(r.key()) > 0 {
		return
	}
	r.configure(random)
	l.rows[address] = &r
	l.tell("configure %s: %s", address, r)
}

// toggle changes a setting: adopt_existing, or on_refused_removal of a row.
func (l *life) toggle(random *rand.Rand) {
	address := anyOf(random, l.addresses())
	if address == "" || random.IntN(2) == 0 {
		l.adopts = !l.adopts
	} else {
		l.rows[address].forget = !l.rows[address].forget
	}
	l.tell("adopt_existing: %t, %s: %v", l.adopts, address, l.rows[address])
}

// loseState removes an object from the state, or all.
func (l *life) loseState(random *rand.Rand) {
	all := sortedKeys(l.State)
	if len(all) > 0 && random.IntN(3) > 0 {
		all = []string{anyOf(random, all)}
	}
	for _, address := range all {
		delete(l.State, address)
	}
	l.tell("state rm %v", all)
}

// invite invites a candidate to an assessment of a position.
func (l *life) invite(random *rand.Rand) {
	a, ok := l.anyPlaced(random, func(placed) bool { return true })
	if !ok {
		return
	}
	l.Service.Change(func(st *sandbox.State) { invite(st, a.position.ID, a.Assessment) })
	l.tell("a candidate is invited to %s", a.key())
}

// invite invites a new candidate.
func invite(st *sandbox.State, position, assessment string) {
	p, candidate := st.Position(position), sandbox.Candidate{ID: st.NextID("cnd"), Name: "Ada"}
	p.Candidates = append(p.Candidates, candidate)
	_, _ = st.Invite(position, candidate.ID, assessment, sandbox.Remote) // both exist
}

// duplicate configures a new key in two resources, runs, and keeps one of them.
func (l *life) duplicate(random *rand.Rand) {
	l.add(random)
	isNew := func(address string) bool { return l.State[address] == nil }
	address := anyOf(random, l.addressesWhere(isNew))
	if address == "" {
		return
	}
	other := l.name()
	l.rows[other] = l.rows[address]
	l.tell("%s has the key of %s", other, address)
	l.runOnce(random)
	if l.State[address] == nil && l.State[other] != nil {
		l.State[address] = l.State[other]
	}
	delete(l.State, other)
	delete(l.rows, other)
	l.tell("keep %s", address)
}

// readopt lets a resource adopt its object after its state was lost and its configuration has changed.
func (l *life) readopt(random *rand.Rand) {
	address := anyOf(random, l.addressesWhere(func(address string) bool { return l.State[address] != nil }))
	if address == "" {
		return
	}
	l.adopts = random.IntN(4) > 0
	delete(l.State, address)
	l.rows[address].configure(random)
	l.tell("state rm %s, adopt_existing: %t: %s", address, l.adopts, l.rows[address])
	if random.IntN(2) == 0 {
		l.invite(random)
	}
	l.runOnce(random)
}

// supervise lets a supervisor complete a profile, before or after the plan of its removal, replacement or update.
func (l *life) supervise(random *rand.Rand) {
	existing := l.existing()
	address := anyOf(random, l.addressesWhere(func(address string) bool {
		o := l.State[address]
		return o != nil && existing[o.Text("id")].isOpen()
	}))
	if address == "" {
		return
	}
	a, complete := existing[l.State[address].Text("id")], func() {}
	if random.IntN(3) == 0 {
		l.complete(a)
	} else {
		complete = func() { l.complete(a) }
	}
	if random.IntN(3) == 0 {
		delete(l.rows, address)
		l.tell("remove %s", address)
	} else {
		l.reconfigureAt(address, random)
	}
	l.runWith(random, complete)
}

// addressesWhere returns the addresses of the rows that suit, in order.
func (l *life) addressesWhere(suits func(address string) bool) []string {
	return slices.DeleteFunc(l.addresses(), func(address string) bool { return !suits(address) })
}

// anyPlaced returns a random position assessment of the service.
func (l *life) anyPlaced(random *rand.Rand, suits func(placed) bool) (found placed, ok bool) {
	all := l.existing()
	ids := slices.DeleteFunc(sortedKeys(all), func(id string) bool { return !suits(all[id]) })
	id := anyOf(random, ids)
	return all[id], id != ""
}

// rival changes the service: a supervisor completes a profile, or a colleague attaches or removes something.
func (l *life) rival(random *rand.Rand) {
	l.run.rivals = true
	switch random.IntN(5) {
	case 0, 1, 2:
		if a, ok := l.anyPlaced(random, placed.isOpen); ok {
			l.complete(a)
		}
	case 3:
		r := row{position: fmt.Sprintf("pos-%d", 1+random.IntN(3)), assessment: asmPlain}
		isIt := func(p placed) bool { return p.key() == r.key() }
		if _, exists := l.anyPlaced(random, isIt); !exists {
			l.Service.Change(func(st *sandbox.State) { _, _ = st.Attach(r.position, r.assessment, r.Metadata) }) // both exist
			l.tell("a rival attaches %s", r)
		}
	default:
		if a, ok := l.anyPlaced(random, func(p placed) bool { return !p.invited() }); ok {
			l.removed[a.ID] = true
			l.Service.Change(func(st *sandbox.State) {
				p := st.Position(a.position.ID)
				p.Assessments = slices.DeleteFunc(p.Assessments, func(b sandbox.PositionAssessment) bool { return a.ID == b.ID })
			})
			l.tell("a rival removes %s of %s", a.ID, a.key())
		}
	}
}

// complete lets a supervisor complete a profile.
func (l *life) complete(a placed) {
	l.run.rivals = true
	l.completed[a.ID] = len(l.Service.Journal())
	l.Service.Change(func(st *sandbox.State) { _ = st.CompleteProfile(a.position.ID, a.ID) }) // it has a profile
	l.tell("a supervisor completes %s of %s", a.ID, a.key())
}
