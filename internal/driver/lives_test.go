// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// TestLives lives the lives of SEEDS seeds, starting with seed FIRST, and checks the invariants in each.
func TestLives(t *testing.T) {
	t.Parallel()
	sandboxtest.EachSeed(t, 3000, 60, func(t *testing.T, seed uint64) string {
		l := live(t, seed, operationsOf(seed))
		if l.violation == nil {
			return ""
		}
		return "\n" + strings.Join(shortest(t, seed, l).story, "\n")
	})
}

// live lives a life in virtual time. In the end, everything is removed.
func live(t *testing.T, seed uint64, operations []operation) (l *life) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l = randomLife(t, rand.New(rand.NewPCG(seed, 2)))
		for _, o := range operations {
			if l.violation == nil {
				o.do(l, rand.New(rand.NewPCG(o.seed, 3)))
			}
		}
		l.settle()
		l.rows, l.activates = map[string]*row{}, false
		l.settle()
		if l.violation == nil && len(l.State) > 0 {
			l.violate(settles, "the destroy leaves %d objects in the state", len(l.State))
		}
		time.Sleep(time.Hour) // all requests have ended
	})
	return l
}

// randomLife starts a life beside a random service.
func randomLife(t *testing.T, random *rand.Rand) *life {
	t.Helper()
	service := anyOf(random, []string{
		asDocumented, asDocumented, asDocumented, linksOnly, linksOnly, unsigned, unsigned, mute, mute,
	})
	differs := services[service]
	if service == mute && random.IntN(2) == 0 {
		differs.Mute = []string{anyOf(random, differs.Mute)}
	}
	l := newLife(t, service, differs, random.IntN(3), random)
	l.Parallelism = anyOf(random, []int{1, 2, 10})
	l.LosesState = random.IntN(2) == 0
	l.tell("parallelism %d, a killed apply loses its state: %t", l.Parallelism, l.LosesState)
	return l
}

// shortest leaves out operations as long as the same invariant is violated.
func shortest(t *testing.T, seed uint64, l *life) *life {
	t.Helper()
	operations := operationsOf(seed)
	for i := 0; i < len(operations); {
		fewer := slices.Delete(slices.Clone(operations), i, i+1)
		if again := live(t, seed, fewer); again.violation != nil && again.violation.check == l.violation.check {
			operations, l = fewer, again
		} else {
			i++
		}
	}
	return l
}

// settle does what the messages advise, without faults and rivals, until nothing is left to do.
func (l *life) settle() {
	l.tell("settle")
	for round := 0; l.violation == nil; round++ {
		if round == 6 {
			l.violate(settles, "after %d rounds", round)
		}
		r := l.begin()
		planned := l.plan(r)
		if planned && len(r.plan.Actions()) == 0 {
			return
		}
		if planned {
			l.apply(r)
		}
		l.follow(r)
	}
}

// follow resolves what keeps a plan or an apply from succeeding.
func (l *life) follow(r *running) {
	for _, address := range l.addresses() {
		for _, other := range l.addresses() {
			if l.rows[address] != nil && other > address && l.rows[other].key() == l.rows[address].key() {
				l.keepOne(address, other)
			}
		}
	}
	existing := l.existing()
	for address, id := range idsOf(l.State) {
		a, exists := existing[id]
		wanted := exists && l.rows[address] != nil && l.rows[address].key() == a.key()
		if exists && a.invited() && !wanted || !exists && len(r.plan.Errors().Of(address)) > 0 {
			delete(l.State, address)
			l.tell("state rm %s: it exists: %t", address, exists)
		}
	}
	for _, address := range l.addresses() {
		for id, a := range existing {
			if row := l.rows[address]; row != nil && a.key() == row.key() {
				l.reconcile(r, address, id, a)
			}
		}
	}
}

// keepOne removes the second of two rows with one key.
func (l *life) keepOne(address, other string) {
	delete(l.rows, other)
	if l.State[address] == nil && l.State[other] != nil {
		l.State[address] = l.State[other]
	}
	delete(l.State, other)
	l.tell("keep %s of two resources with %s", address, l.rows[address].key())
}

// reconcile brings a row and what the service has of its key together.
func (l *life) reconcile(r *running, address, id string, a placed) {
	row := l.rows[address]
	isNew := l.State[address] == nil
	if a.supervised() && row.Profile != "" && (isNew || len(r.plan.Errors().Of(address)) > 0) {
		row.Profile, row.reattach = "", false
		l.tell("omit the profile of %s", address)
	}
	switch {
	case !isNew || hasValue(idsOf(l.State), id):
	case a.invited() && l.adopts && row.is(a.Metadata): // nothing shows that it is as configured
		delete(l.rows, address)
		l.tell("do not manage %s", id)
	default:
		l.adopts, row.Metadata, row.reattach = true, a.configuration(), false
		l.tell("adopt %s as it is", id)
	}
}
