// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
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

// live lives a life in virtual time.
func live(t *testing.T, seed uint64, operations []operation) (l *life) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l = newLife(t, rand.New(rand.NewPCG(seed, 2)))
		for _, o := range operations {
			if l.violation == nil {
				kinds[o.kind].do(l, rand.New(rand.NewPCG(o.seed, 3)))
			}
		}
		if l.violation == nil {
			l.settle()
		}
		if l.violation == nil {
			l.destroy()
		}
		time.Sleep(time.Hour) // all requests have ended
	})
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
	for round := 0; ; round++ {
		if round == 6 {
			l.violate(settles, "after %d rounds", round)
		}
		r := l.begin()
		planned := l.plan(r)
		if l.violation != nil || planned && len(r.plan.Actions()) == 0 {
			break
		}
		if planned {
			l.apply(r)
		}
		if l.violation != nil {
			return
		}
		l.follow(r)
	}
}

// follow resolves what keeps a plan or an apply from succeeding.
func (l *life) follow(r *running) {
	existing := l.existing()
	ids := idsOf(l.State)
	for _, address := range l.addresses() {
		row := l.rows[address]
		for _, other := range l.addresses() {
			if row != nil && other > address && l.rows[other].key() == row.key() {
				delete(l.rows, other)
				if l.State[address] == nil && l.State[other] != nil {
					l.State[address] = l.State[other]
				}
				delete(l.State, other)
				l.tell("keep one of two resources with %s", row.key())
			}
		}
	}
	for address, id := range ids {
		a, exists := existing[id]
		switch {
		case exists && a.invited() && (l.rows[address] == nil || l.rows[address].key() != a.key()):
			delete(l.State, address)
			l.tell("state rm %s, to which candidates were invited", address)
		case !exists && len(r.plan.Errors().Of(address)) > 0:
			delete(l.State, address)
			l.tell("state rm %s, which does not exist", address)
		}
	}
	for _, address := range l.addresses() {
		row := l.rows[address]
		for id, a := range existing {
			if a.key() != row.key() {
				continue
			}
			rejected := l.State[address] == nil || len(r.plan.Errors().Of(address)) > 0
			if a.Metadata.ProfileStatus == sandbox.SupervisorCompleted && row.profile != "" && rejected {
				row.profile, row.reattach = "", false
				l.tell("omit the profile of %s", address)
			}
			held := slices.Contains(slices.Collect(maps.Values(idsOf(l.State))), id)
			if l.State[address] == nil && !held && l.mode != unsigned {
				l.Imports[address] = a.position.ID + "/" + id
				l.changed[id] = l.changed[id] || l.mode == mute // it may have what the service does not show
				l.tell("import %s to %s", id, address)
			}
		}
	}
}

// destroy removes everything, and what candidates were invited to from the state only.
func (l *life) destroy() {
	existing := l.existing()
	for address, id := range idsOf(l.State) {
		if a, exists := existing[id]; exists && a.invited() {
			delete(l.State, address)
		}
	}
	for address := range l.rows {
		if l.State[address] == nil {
			delete(l.rows, address)
		}
	}
	held := idsOf(l.State)
	r := l.begin()
	first := l.Plan()
	for address, id := range held { // what is left may not suffice to show that something is gone
		if _, exists := existing[id]; !exists && len(first.Errors().Of(address)) > 0 {
			delete(l.State, address)
			delete(l.rows, address)
			l.tell("state rm %s, which does not exist", address)
			first = l.Plan()
		}
	}
	time.Sleep(2 * time.Minute) // the requests of this plan count no longer
	r.plan = l.PlanDestroy(first)
	l.tell("destroy: %v%s", actions(r.plan), summaries(r.plan.Diagnostics))
	if r.plan.Failed() {
		l.violate(settles, "the plan to destroy fails")
		return
	}
	applied := l.applies(r)
	if applied.Failed() || len(l.State) > 0 {
		l.violate(settles, "the destroy leaves %d objects in the state", len(l.State))
	}
	existing = l.existing()
	for address, id := range held {
		if _, exists := existing[id]; exists {
			l.violate(stateKeeps, "the destroy drops %s, which exists", address)
		}
	}
}
