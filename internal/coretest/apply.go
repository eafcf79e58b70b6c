// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// applyWalk applies a plan.
type applyWalk struct {
	*walk
	plan    *Plan
	deposed map[string]*Object // objects that this walk deposed, by address
}

// ApplyPlan applies a plan on the machine that the options name.
func (c *Core) ApplyPlan(ctx context.Context, plan *Plan, o Options) Result {
	if plan.base != c.State {
		return Result{Diagnostics: []Diagnostic{{Error: true, Phase: phaseApply, Summary: "Saved plan is stale"}}}
	}
	ctx = c.begin(ctx)
	o.Targets = nil // the plan already contains only the targets
	w := &applyWalk{
		walk: c.walk(ctx, phaseApply, plan.config, plan.Prior, o), plan: plan, deposed: map[string]*Object{},
	}
	if empty := len(plan.Actions()) == 0; empty && (plan.destroy || !c.Profile.AppliesEmptyPlan) {
		c.State = plan.Prior
		return Result{}
	}
	w.run(w.nodes())
	if !c.killed.Load() {
		c.State = w.state
	}
	w.result.Killed = c.killed.Load()
	return w.result
}

// save writes the state file during a run, if the profile does that. The caller holds
// the lock.
func (w *applyWalk) save() {
	if w.core.Profile.SavesEach && !w.core.killed.Load() {
		w.core.State = w.state.Clone()
	}
}

func createNode(addr string) string { return addr }

func destroyNode(addr string) string { return addr + " (destroy)" }

// nodes builds the graph. A create waits for its references and for the destroy of the
// object that it replaces. A destroy waits for the destroy of everything that depends
// on it. With create_before_destroy, the order of the two halves of a replacement is
// reversed.
func (w *applyWalk) nodes() []node {
	var nodes []node
	if !w.plan.destroy && w.core.Profile.AppliesEmptyPlan {
		for _, alias := range sortedKeys(w.config.Providers) {
			nodes = append(nodes, node{
				"provider " + alias, w.config.instances(w.config.settingsOf("", alias)),
				func() bool { return w.server("", alias) != nil },
			})
		}
	}
	for _, c := range w.plan.Changes {
		configured := w.config.instances(w.config.settingsOf(c.Addr, c.provider))
		switch {
		case c.Deposed != nil: // an address may have several
			end := w.destroy
			if c.Action == Forget {
				end = w.forget
			}
			name := c.Addr + " (destroy deposed " + c.Deposed.Text("id") + ")"
			nodes = append(nodes, node{name, configured, func() bool { return end(c) }})
			continue
		case c.Action == Forget:
			nodes = append(nodes, node{destroyNode(c.Addr), configured, func() bool { return w.forget(c) }})
			continue
		}
		if c.Action == Delete || c.Action.replaces() {
			n := node{name: destroyNode(c.Addr), run: func() bool { return w.destroy(c) }}
			n.after = append(w.beforeDestroying(c), configured...)
			nodes = append(nodes, n)
		}
		if c.Action != Delete && c.Action != NoOp {
			n := node{name: createNode(c.Addr), run: func() bool { return w.create(c) }}
			n.after = w.beforeCreating(c)
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func (w *applyWalk) createsFirst(c *Change) bool {
	if c.Action.replaces() {
		return c.Action == CreateDelete
	}
	o := w.state.Object(c.Addr)
	return o != nil && o.CreateFirst
}

// dependedOn reports whether an object depended on the resource of a change. A dependency
// of the provider does not count, because the provider can destroy the object only after
// the change. Core drops this edge, too, except when it destroys everything.
func (w *applyWalk) dependedOn(other, c *Change) bool {
	o := w.state.Object(other.Addr)
	return o != nil && slices.Contains(o.DependsOn, resourceOf(c.Addr)) &&
		(w.plan.destroy || !slices.Contains(w.config.settingsOf(other.Addr, other.provider), resourceOf(c.Addr)))
}

func (w *applyWalk) beforeCreating(c *Change) (after []string) {
	r := w.config.resource(c.Addr)
	if c.Action == DeleteCreate {
		after = append(after, destroyNode(c.Addr))
	}
	depends := w.config.dependencies(r)
	for _, other := range w.plan.Changes {
		name := resourceOf(other.Addr)
		if slices.Contains(depends, name) {
			after = append(after, createNode(other.Addr))
		}
		if o := w.state.Object(c.Addr); o != nil && slices.Contains(o.DependsOn, name) && !w.createsFirst(other) {
			after = append(after, destroyNode(other.Addr))
		}
		if w.dependedOn(other, c) && !w.createsFirst(other) { // destroy it first
			after = append(after, destroyNode(other.Addr))
		}
	}
	return after
}

func (w *applyWalk) beforeDestroying(c *Change) (after []string) {
	if c.Action == CreateDelete {
		after = append(after, createNode(c.Addr))
	}
	own := w.state.Object(c.Addr)
	for _, other := range w.plan.Changes {
		if own != nil && own.CreateFirst && slices.Contains(own.DependsOn, resourceOf(other.Addr)) {
			after = append(after, createNode(other.Addr))
		}
		if w.dependedOn(other, c) {
			after = append(after, destroyNode(other.Addr))
			if w.createsFirst(c) {
				after = append(after, createNode(other.Addr))
			}
		}
	}
	return after
}

// store writes the result for an instance into the state.
func (w *applyWalk) store(addr, provider string, o *Object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.set(addr, provider, o)
	w.save()
	return true
}

func (w *applyWalk) current(addr string) *Object {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.Object(addr)
}

// forget removes an object from the state.
func (w *applyWalk) forget(c *Change) bool {
	server := w.server(c.Addr, c.provider)
	if server == nil {
		return false
	}
	if c.Deposed != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.state.replaceDeposed(c.Addr, c.Deposed, nil)
		return true
	}
	_, ok := w.upgrade(server, c.Addr, w.current(c.Addr))
	return ok && w.store(c.Addr, c.provider, nil)
}

// destroy destroys the prior object of a change: the current object, a deposed object,
// or the object that its replacement deposed.
func (w *applyWalk) destroy(c *Change) bool {
	deposed := c.Deposed
	if c.Action == CreateDelete {
		w.mu.Lock()
		deposed = w.deposed[c.Addr]
		w.mu.Unlock()
	}
	o := deposed
	if deposed == nil {
		o = w.current(c.Addr)
	}
	if o == nil || isData(c.Addr) {
		return w.store(c.Addr, c.provider, nil)
	}
	server := w.server(c.Addr, c.provider)
	if server == nil {
		return false
	}
	o, ok := w.upgrade(server, c.Addr, o)
	if !ok {
		return false
	}
	change := *c
	if c.Action.replaces() {
		change.identity = nil
	}
	if deposed != nil && !w.planDelete(server, &change, o) {
		return false
	}
	change.Action, change.After = Delete, tftypes.NewValue(o.Value.Type(), nil)
	after, ok := w.apply(server, &change, o, change.After)
	if w.core.killed.Load() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if deposed != nil {
		w.state.replaceDeposed(c.Addr, deposed, after)
	} else {
		w.state.set(c.Addr, c.provider, after)
	}
	w.save()
	return ok
}

// create plans an instance again, with all values that are known by now, and applies
// that plan.
func (w *applyWalk) create(c *Change) bool {
	r := w.config.resource(c.Addr)
	server := w.server(c.Addr, c.provider)
	if server == nil {
		return false
	}
	if isData(c.Addr) {
		v, ok := w.readData(server, r, w.body(r))
		return ok && w.store(c.Addr, c.provider, &Object{Value: v})
	}
	var deposed *Object
	if c.Action == CreateDelete {
		w.mu.Lock()
		deposed = w.state.depose(c.Addr)
		w.deposed[c.Addr] = deposed
		w.mu.Unlock()
	}
	o, ok := w.upgrade(server, c.Addr, w.current(c.Addr))
	if !ok {
		return false
	}
	planner := planner{walk: w.walk, server: server, r: r}
	final, ok := planner.plan(o, c)
	if !ok || !w.agrees(c, final) {
		return false // like a CLI, leave the deposed object deposed
	}
	if final.Action == NoOp {
		return true
	}
	if w.core.isStopped() {
		return w.restore(c, deposed)
	}
	after, ok := w.apply(server, final, o, w.body(r))
	if w.core.killed.Load() {
		return false
	}
	if after != nil {
		now := *after
		now.DependsOn, now.CreateFirst = w.config.ancestors(r), w.config.createsFirst(r)
		now.Tainted = now.Tainted || !ok && final.Action != Update
		after = &now
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.set(c.Addr, c.provider, after)
	if after == nil && deposed != nil {
		w.state.replaceDeposed(c.Addr, deposed, nil)
		w.state.set(c.Addr, c.provider, deposed)
	}
	w.save()
	return ok
}

// restore makes a deposed object current again, because its replacement was not begun.
func (w *applyWalk) restore(c *Change, deposed *Object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if deposed != nil {
		w.state.replaceDeposed(c.Addr, deposed, nil)
		w.state.set(c.Addr, c.provider, deposed)
	}
	return false
}

// agrees checks that the final plan matches the plan: only unknown values may differ.
func (w *applyWalk) agrees(c, final *Change) bool {
	var wrong []string
	if final.Action != c.Action && (c.Action != Update || final.Action != NoOp) {
		wrong = append(wrong, "the planned action changed from "+string(c.Action)+" to "+string(final.Action))
	}
	wrong = append(wrong, checkCompatible(c.After, final.After, c.Addr)...)
	w.fail(c.Addr, "Provider produced inconsistent final plan", wrong...)
	return len(wrong) == 0
}

// apply applies one change to an object and returns the new object, or nil if none is
// left.
func (w *walk) apply(server tfprotov6.ProviderServer, c *Change, o *Object, config tftypes.Value) (*Object, bool) {
	prior := tftypes.NewValue(c.After.Type(), nil)
	if c.Action == Update || c.Action == Delete {
		prior = o.Value
	}
	resp, err := server.ApplyResourceChange(w.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: typeOf(c.Addr), PriorState: dynamic(prior), PlannedState: dynamic(c.After), Config: dynamic(config),
		PlannedPrivate: c.private, PlannedIdentity: c.identity,
	})
	if w.callFailed(c.Addr, err) {
		return o, false
	}
	ok := !w.say(c.Addr, false, resp.Diagnostics)
	after, decoded := w.decode(c.Addr, resp.NewState)
	if !decoded {
		return o, false
	}
	var wrong []string
	switch {
	case !after.IsFullyKnown():
		w.fail(c.Addr, "Provider returned invalid result object after apply", "it has unknown values: "+after.String())
		ok = false
	case ok && after.IsNull() != (c.Action == Delete):
		wrong = append(wrong, "the object exists although the plan removes it, or is missing although the plan keeps it")
	case ok:
		wrong = checkCompatible(c.After, after, c.Addr)
	}
	w.fail(c.Addr, "Provider produced inconsistent result after apply", wrong...)
	ok = ok && len(wrong) == 0 && (after.IsNull() || w.checkIdentity(c.Addr, resp.NewIdentity))
	switch {
	case after.IsNull() && !ok:
		return o, false
	case after.IsNull():
		return nil, true
	}
	now := &Object{Value: after, Private: resp.Private, Identity: nonEmptyIdentity(resp.NewIdentity)}
	if o != nil {
		now.DependsOn, now.CreateFirst = o.DependsOn, o.CreateFirst
		now.Tainted = o.Tainted && !ok
	}
	return now, ok
}
