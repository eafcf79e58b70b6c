// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Action is the planned action for an instance.
type Action string

// The actions of a plan.
const (
	NoOp         Action = "no-op"
	Create       Action = "create"
	Read         Action = "read"
	Update       Action = "update"
	Delete       Action = "delete"
	DeleteCreate Action = "delete-create"
	CreateDelete Action = "create-delete"
	Forget       Action = "forget"
)

func (a Action) replaces() bool { return a == DeleteCreate || a == CreateDelete }

// Change is the planned change of one object.
type Change struct {
	Addr          string
	Action        Action
	Deposed       *Object // the object, if it is a deposed one
	Imported      bool
	Before, After tftypes.Value

	provider string
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// Plan is a plan that can be applied, on this machine or another.
type Plan struct {
	Changes []*Change
	Prior   *State // refreshed
	config  *Config
	base    *State
	destroy bool
}

// Actions returns the planned actions by address, without no-ops. The address of a
// deposed object has a suffix.
func (p *Plan) Actions() map[string]Action {
	actions := map[string]Action{}
	for _, c := range p.Changes {
		if c.Action != NoOp && c.Deposed != nil {
			actions[c.Addr+" (deposed)"] = c.Action
		} else if c.Action != NoOp || c.Imported {
			actions[c.Addr] = c.Action
		}
	}
	return actions
}

// planWalk makes a plan.
type planWalk struct {
	*walk
	refreshed  *State // becomes the plan's prior state
	changes    []*Change
	preDestroy bool
}

// plan refreshes and plans all resources.
func (c *Core) plan(ctx context.Context, config *Config, o Options, preDestroy bool) Result {
	state := c.State.Clone()
	state.move(config)
	w := &planWalk{walk: c.walk(ctx, phasePlan, config, state, o), refreshed: state, preDestroy: preDestroy}
	w.run(w.nodes())
	if w.result.Err() == nil {
		w.result.Plan = &Plan{Changes: w.changes, Prior: w.refreshed, config: config, base: c.State}
	}
	return w.result
}

func (w *planWalk) nodes() []node {
	var nodes []node
	for i := range w.config.Resources {
		r := &w.config.Resources[i]
		if w.targeted(r.Addr) {
			after := w.config.instances(w.config.dependencies(r))
			nodes = append(nodes, node{name: r.Addr, after: after, run: func() bool { return w.visit(r) }})
		}
	}
	for _, addr := range w.state.Addresses() {
		if !w.targeted(addr) {
			continue
		}
		after := w.config.instances(w.config.settingsOf(addr, w.state.Instances[addr].Provider))
		for i, entry := range w.state.At(addr) {
			name := addr
			if entry.Deposed {
				name = fmt.Sprintf("%s (deposed %d)", addr, i)
			} else if w.config.resource(addr) != nil {
				continue
			}
			nodes = append(nodes, node{name, after, func() bool { return w.orphan(entry) }})
		}
	}
	return nodes
}

// targeted reports whether -target includes an address: directly, or because a target
// depends on it.
func (w *walk) targeted(addr string) bool {
	if len(w.opts.Targets) == 0 {
		return true
	}
	named := func(addr string) bool {
		return slices.Contains(w.opts.Targets, addr) || slices.Contains(w.opts.Targets, resourceOf(addr))
	}
	return named(addr) || slices.ContainsFunc(w.config.Resources, func(r Resource) bool {
		return named(r.Addr) && slices.Contains(w.config.ancestors(&r), resourceOf(addr))
	})
}

// note saves a change and its planned value, for references.
func (w *planWalk) note(c *Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes = append(w.changes, c)
	if c.Deposed == nil {
		w.planned[c.Addr] = c.After
	}
}

func (w *planWalk) keep(addr, provider string, o *Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o.gone() {
		o = nil
	}
	w.refreshed.set(addr, provider, o)
}

// visit plans one resource of the configuration.
func (w *planWalk) visit(r *Resource) bool {
	server := w.server(r.Addr, r.Provider)
	if server == nil {
		return false
	}
	if isData(r.Addr) {
		return w.visitData(server, r)
	}
	o := w.state.Object(r.Addr)
	toImport := func(i Import) bool { return i.To == r.Addr && o == nil && !w.preDestroy }
	imported := slices.IndexFunc(w.config.Imports, toImport)
	var ok bool
	if imported >= 0 {
		if o, ok = w.importObject(server, r.Addr, w.config.Imports[imported].ID); !ok {
			return false
		}
	} else if o, ok = w.upgrade(server, r.Addr, o); !ok {
		return false
	}
	planner := planner{walk: w.walk, server: server, r: r, createFirst: w.config.createsFirst(r), force: w.forced(r)}
	if w.opts.Refresh == MinimalRefresh && imported < 0 && o != nil {
		before := len(w.result.Diagnostics)
		c, ok := planner.plan(o, nil)
		if !ok {
			return false
		}
		if c.Action == NoOp {
			w.note(c)
			return true
		}
		w.drop(r.Addr, before)
	}
	if w.opts.Refresh != NoRefresh && imported < 0 { // an import already reads the object
		if o, ok = w.refresh(server, r.Addr, o); !ok {
			return false
		}
		if !o.gone() { // o is a new object
			o.DependsOn = slices.Compact(slices.Sorted(slices.Values(append(w.config.ancestors(r), o.DependsOn...))))
		}
	}
	w.keep(r.Addr, r.Provider, withCreateFirst(o, planner.createFirst))
	c, ok := planner.plan(o, nil)
	if ok {
		c.Imported = imported >= 0
		w.note(c)
	}
	return ok
}

func withCreateFirst(o *Object, first bool) *Object {
	if o.gone() || o.CreateFirst == first {
		return o
	}
	changed := *o
	changed.CreateFirst = first
	return &changed
}

// drop marks the diagnostics of an address, from index since, as not shown.
func (w *walk) drop(addr string, since int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := since; i < len(w.result.Diagnostics); i++ {
		if d := &w.result.Diagnostics[i]; d.Addr == addr {
			d.Dropped = true
		}
	}
}

// forced reports whether -replace or replace_triggered_by forces a replacement.
func (w *planWalk) forced(r *Resource) bool {
	if slices.Contains(w.opts.Replace, r.Addr) {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.changes, func(c *Change) bool {
		return c.Action != NoOp && c.Action != Create && c.Action != Read &&
			(slices.Contains(r.ReplaceTriggeredBy, c.Addr) || slices.Contains(r.ReplaceTriggeredBy, resourceOf(c.Addr)))
	})
}

// orphan plans to destroy an object that is no longer in the configuration.
func (w *planWalk) orphan(entry Entry) bool {
	addr, alias := entry.Addr, w.state.Instances[entry.Addr].Provider
	c := w.removal(entry)
	c.Action = Forget
	if isData(addr) {
		w.keep(addr, alias, nil)
		return true
	}
	server := w.server(addr, alias)
	if server == nil {
		return false
	}
	current, ok := w.upgrade(server, addr, entry.Object)
	if !ok {
		return false
	}
	forget := slices.Contains(w.config.Removed, resourceOf(addr))
	if forget && !w.core.Profile.RefreshesRemoved {
		return w.noted(c)
	}
	if w.opts.Refresh != NoRefresh {
		if current, ok = w.refresh(server, addr, current); !ok {
			return false
		}
		if current.gone() {
			current = nil
		}
		w.mu.Lock()
		if entry.Deposed {
			w.refreshed.replaceDeposed(addr, entry.Object, current)
			c.Deposed = current
		} else {
			w.refreshed.set(addr, alias, current)
		}
		w.mu.Unlock()
	}
	if current == nil {
		return true
	}
	if forget {
		return w.noted(c)
	}
	return w.planDelete(server, c, current) && w.noted(c)
}

// removal returns the change that destroys an object.
func (w *planWalk) removal(entry Entry) *Change {
	c := &Change{
		Addr: entry.Addr, Action: Delete, provider: w.state.Instances[entry.Addr].Provider,
		Before: entry.Value, After: tftypes.NewValue(entry.Value.Type(), nil),
	}
	if entry.Deposed {
		c.Deposed = entry.Object
	}
	return c
}

func (w *planWalk) noted(c *Change) bool {
	w.note(c)
	return true
}

// planDelete asks the provider to plan the destruction of an object.
func (w *walk) planDelete(server tfprotov6.ProviderServer, c *Change, o *Object) bool {
	null := dynamic(tftypes.NewValue(o.Value.Type(), nil))
	resp, err := server.PlanResourceChange(w.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName:           typeOf(c.Addr),
		PriorState:         dynamic(o.Value),
		ProposedNewState:   null,
		Config:             null,
		PriorPrivate:       o.Private,
		PriorIdentity:      o.Identity,
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	})
	if w.callFailed(c.Addr, err) || w.say(c.Addr, false, resp.Diagnostics) {
		return false
	}
	c.Action, c.Before = Delete, o.Value
	c.private, c.identity = resp.PlannedPrivate, nonEmptyIdentity(resp.PlannedIdentity)
	return true
}

// planDestroy plans to destroy all objects of a state.
func (c *Core) planDestroy(ctx context.Context, config *Config, state *State, o Options) Result {
	state = state.Clone()
	state.move(config)
	w := &planWalk{walk: c.walk(ctx, phaseDestroyPlan, config, state, o), refreshed: state}
	var nodes []node
	for _, addr := range state.Addresses() {
		if !w.targeted(addr) && !w.dependsOnTarget(addr) {
			continue
		}
		for n, entry := range state.At(addr) {
			run := func() bool { return w.destroyed(w.removal(entry), entry.Object) }
			nodes = append(nodes, node{name: fmt.Sprintf("%s (%d)", addr, n), run: run})
		}
	}
	w.run(nodes)
	if w.result.Err() == nil {
		w.result.Plan = &Plan{Changes: w.changes, Prior: w.refreshed, config: config, base: c.State, destroy: true}
	}
	return w.result
}

// dependsOnTarget reports whether an instance depends on a target, and so must be
// destroyed with it.
func (w *planWalk) dependsOnTarget(addr string) bool {
	o := w.state.Object(addr)
	return o != nil && slices.ContainsFunc(o.DependsOn, func(name string) bool {
		return slices.ContainsFunc(w.opts.Targets, func(target string) bool { return resourceOf(target) == name })
	})
}

func (w *planWalk) destroyed(c *Change, o *Object) bool {
	if isData(c.Addr) {
		return w.noted(c)
	}
	server := w.server(c.Addr, c.provider)
	if server == nil {
		return false
	}
	o, ok := w.upgrade(server, c.Addr, o)
	return ok && w.planDelete(server, c, o) && w.noted(c)
}
