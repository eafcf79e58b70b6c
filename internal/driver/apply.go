// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"maps"
	"sync"
)

// Applied is the result of an apply.
type Applied struct {
	Diagnostics
	Killed bool
}

// Failed reports whether there is an error, or the apply was killed.
func (a *Applied) Failed() bool { return a.Killed || len(a.Errors()) > 0 }

// applying applies a plan.
type applying struct {
	*Workspace
	session *Session
	run     *run
	plan    *Plan
	lock    sync.Mutex
	state   map[string]*Object
}

// Apply applies a plan with a new provider. Creations, updates and removals run at the same time.
func (w *Workspace) Apply(plan *Plan) *Applied {
	if plan.Failed() {
		panic("driver: the plan has failed")
	}
	r, s := w.begin("apply", true)
	defer r.cancel()
	a := &applying{Workspace: w, session: s, run: r, plan: plan, state: maps.Clone(plan.Refreshed)}
	if s != nil {
		w.walk(r, a.steps())
	}
	killed := r.killed.Load()
	if !killed || !w.LosesState {
		w.State = a.state
	}
	return &Applied{r.all, killed}
}

func removal(address string) string { return address + " (remove)" }

// steps returns one step for each change, and two for a replacement. A creation waits for the removal that it replaces
// and for what it refers to, and a removal for the removals of what referred to it.
func (a *applying) steps() (steps []step) {
	for address, c := range a.plan.Changes {
		if c.Action == Delete || c.Action == Replace {
			s := step{name: removal(address), do: func() bool { return a.remove(c) }}
			for other, o := range a.plan.Refreshed {
				for _, of := range o.after {
					if of == address {
						s.after = append(s.after, removal(other))
					}
				}
			}
			steps = append(steps, s)
		}
		if c.Action == Create || c.Action == Update || c.Action == Replace {
			s := step{name: address, do: func() bool { return a.change(c) }}
			s.after = append(append(s.after, a.plan.config[address].After...), removal(address))
			steps = append(steps, s)
		}
	}
	return steps
}

// save stores the result for an address, unless the run was killed before the provider returned it.
func (a *applying) save(address string, o *Object) {
	a.lock.Lock()
	defer a.lock.Unlock()
	switch {
	case a.run.killed.Load():
	case o == nil:
		delete(a.state, address)
	default:
		a.state[address] = o
	}
}

func (a *applying) present(address string) *Object {
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.state[address]
}

// remove applies a removal, or the first half of a replacement.
func (a *applying) remove(c *Change) bool {
	o, ok := a.session.upgrade(c.Address, c.Prior)
	if !ok {
		return false
	}
	none := null(o.Value.Type())
	change := &Change{Address: c.Address, Action: Delete, after: none, private: c.private}
	if c.Action == Delete {
		change.identity = c.identity
	}
	left, ok := a.session.apply(change, o, none)
	a.save(c.Address, left)
	return ok
}

// change plans a creation or an update again, with all values that are known by now, and applies it.
func (a *applying) change(c *Change) bool {
	o := a.present(c.Address)
	if o != nil {
		var ok bool
		if o, ok = a.session.upgrade(c.Address, o); !ok {
			return false
		}
	}
	resource := a.plan.config[c.Address]
	final, ok := a.session.change(c.Address, resource, o)
	if !ok {
		return false
	}
	wrong := differsFromPlan(c.after, final.after, c.Address)
	planned := c.Action
	if planned == Replace {
		planned = Create // the prior object was removed
	}
	if final.Action != planned && (planned != Update || final.Action != NoOp) {
		wrong = append(wrong, "the planned action changed from "+string(planned)+" to "+string(final.Action))
	}
	if a.session.wrong(c.Address, "Provider produced inconsistent final plan", wrong...) {
		return false
	}
	if final.Action == NoOp {
		return true
	}
	config := encode(schemaOf(c.Address).ValueType(), resource.Values)
	after, ok := a.session.apply(final, o, config)
	if after != nil {
		after.after = resource.After
	}
	a.save(c.Address, after)
	return ok
}
