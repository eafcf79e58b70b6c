// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// decode decodes a value from the provider. A missing value is null.
func (w *walk) decode(addr string, v *tfprotov6.DynamicValue) (tftypes.Value, bool) {
	typ := w.typ(addr)
	if v == nil {
		return tftypes.NewValue(typ, nil), true
	}
	decoded, err := v.Unmarshal(typ)
	if err != nil {
		w.fail(addr, "Provider produced invalid object", err.Error())
		return decoded, false
	}
	return canonical(decoded), true
}

// upgrade upgrades an object from the state, as a CLI does before it uses one.
func (w *walk) upgrade(server tfprotov6.ProviderServer, addr string, o *Object) (*Object, bool) {
	if o == nil {
		return nil, true
	}
	resp, err := server.UpgradeResourceState(w.ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: typeOf(addr), Version: w.block(addr).Version, RawState: &tfprotov6.RawState{JSON: stateJSON(o.Value)},
	})
	if w.callFailed(addr, err) || w.say(addr, false, resp.Diagnostics) {
		return nil, false
	}
	v, ok := w.decode(addr, resp.UpgradedState)
	if !ok || v.Equal(o.Value) {
		return o, ok
	}
	upgraded := *o
	upgraded.Value = v
	return &upgraded, true
}

// refresh reads an object again. If the object no longer exists, its value is null. Its
// private data and identity are kept, because a CLI passes them to the plan.
func (w *walk) refresh(server tfprotov6.ProviderServer, addr string, o *Object) (*Object, bool) {
	if o == nil {
		return nil, true
	}
	resp, err := server.ReadResource(w.ctx, &tfprotov6.ReadResourceRequest{
		TypeName: typeOf(addr), CurrentState: dynamic(o.Value), Private: o.Private, CurrentIdentity: o.Identity,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	})
	if w.callFailed(addr, err) || w.say(addr, false, resp.Diagnostics) {
		return nil, false
	}
	v, ok := w.decode(addr, resp.NewState)
	if !ok {
		return nil, false
	}
	if !v.IsFullyKnown() {
		w.fail(addr, "Provider produced invalid object", "the refreshed object has unknown values")
		return nil, false
	}
	refreshed := *o
	refreshed.Value, refreshed.Private, refreshed.Identity = v, resp.Private, nonEmptyIdentity(resp.NewIdentity)
	return &refreshed, w.checkIdentity(addr, resp.NewIdentity)
}

func (o *Object) gone() bool { return o == nil || o.Value.IsNull() }

// nonEmptyIdentity returns identity, or nil if it is empty.
func nonEmptyIdentity(identity *tfprotov6.ResourceIdentityData) *tfprotov6.ResourceIdentityData {
	if identity == nil || identity.IdentityData == nil {
		return nil
	}
	if null, err := identity.IdentityData.IsNull(); err != nil || null {
		return nil
	}
	return identity
}

// checkIdentity checks that an identity is known.
func (w *walk) checkIdentity(addr string, identity *tfprotov6.ResourceIdentityData) bool {
	if nonEmptyIdentity(identity) == nil {
		return true
	}
	typ := w.schema.identities[typeOf(addr)].ValueType()
	v, err := identity.IdentityData.Unmarshal(typ)
	if err != nil || !v.IsFullyKnown() {
		w.fail(addr, "Provider produced invalid identity", fmt.Sprintf("%v: %v", v, err))
		return false
	}
	return true
}

// importObject imports an object and reads it.
func (w *walk) importObject(server tfprotov6.ProviderServer, addr, id string) (*Object, bool) {
	resp, err := server.ImportResourceState(w.ctx, &tfprotov6.ImportResourceStateRequest{
		TypeName: typeOf(addr), ID: id, ClientCapabilities: &tfprotov6.ImportResourceStateClientCapabilities{},
	})
	if w.callFailed(addr, err) || w.say(addr, false, resp.Diagnostics) {
		return nil, false
	}
	if len(resp.ImportedResources) != 1 {
		w.fail(addr, "Import returned no resources", id)
		return nil, false
	}
	imported := resp.ImportedResources[0]
	v, ok := w.decode(addr, imported.State)
	if !ok {
		return nil, false
	}
	read := &Object{Value: v, Private: imported.Private, Identity: nonEmptyIdentity(imported.Identity)}
	o, ok := w.refresh(server, addr, read)
	if ok && o.gone() {
		w.fail(addr, "Cannot import non-existent remote object", id)
		return nil, false
	}
	return o, ok
}

// planner plans one resource instance of the configuration.
type planner struct {
	*walk
	server             tfprotov6.ProviderServer
	r                  *Resource
	createFirst, force bool
}

// plan asks the provider for a plan, and for a second one if the object must be
// replaced. before is the change that an apply plans again. It is nil during a plan.
func (p *planner) plan(o *Object, before *Change) (*Change, bool) {
	addr, schema := p.r.Addr, p.block(p.r.Addr)
	null := tftypes.NewValue(p.typ(addr), nil)
	prior := &Object{Value: null}
	tainted := o != nil && o.Tainted
	if o != nil && !tainted {
		prior = o
	}
	original := p.body(p.r)
	if !p.validateConfig(p.server, p.r, original) {
		return nil, false
	}
	config := ignoreChanges(schema.Block, p.r.IgnoreChanges, prior.Value, original)
	resp, planned, ok := p.request(prior, config, false)
	if !ok {
		return nil, false
	}
	c := &Change{
		Addr: addr, Before: prior.Value, After: planned,
		provider: p.r.Provider, private: resp.PlannedPrivate, identity: nonEmptyIdentity(resp.PlannedIdentity),
	}
	switch {
	case prior.Value.IsNull():
		c.Action = Create
	case p.force || replacing(resp.RequiresReplace, prior.Value, planned):
		c.Action = p.replacement(before)
	case planned.Equal(prior.Value):
		c.Action = NoOp
	default:
		c.Action = Update
	}
	if (c.Action == NoOp || c.Action == Update) && !p.checkIdentity(addr, resp.PlannedIdentity) {
		return nil, false
	}
	if c.Action.replaces() {
		// The second plan has no prior object. A CLI drops its warnings, because they usually
		// repeat those of the first plan.
		from := &Object{Value: null, Private: resp.PlannedPrivate}
		if p.core.Profile.PlannedIdentity {
			from.Identity = nonEmptyIdentity(resp.PlannedIdentity)
		}
		resp, c.After, ok = p.request(from, original, true)
		if !ok {
			return nil, false
		}
		c.private, c.identity = resp.PlannedPrivate, nonEmptyIdentity(resp.PlannedIdentity)
	}
	if tainted && !o.gone() {
		c.Action, c.Before = p.replacement(before), o.Value
	}
	if before != nil && before.Action.replaces() && c.Action == Create {
		c.Action, c.Before = before.Action, before.Before
	}
	return c, true
}

func (p *planner) replacement(before *Change) Action {
	if before != nil && before.Action == CreateDelete || before == nil && p.createFirst {
		return CreateDelete
	}
	return DeleteCreate
}

// request calls PlanResourceChange and checks the response.
func (p *planner) request(
	prior *Object, config tftypes.Value, again bool,
) (*tfprotov6.PlanResourceChangeResponse, tftypes.Value, bool) {
	addr, schema := p.r.Addr, p.block(p.r.Addr)
	resp, err := p.server.PlanResourceChange(p.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeOf(addr), PriorState: dynamic(prior.Value), PriorPrivate: prior.Private, PriorIdentity: prior.Identity,
		Config: dynamic(config), ProposedNewState: dynamic(proposedNew(schema.Block, prior.Value, config)),
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	})
	if p.callFailed(addr, err) || p.say(addr, again, resp.Diagnostics) {
		return nil, tftypes.Value{}, false
	}
	planned, ok := p.decode(addr, resp.PlannedState)
	if !ok {
		return nil, planned, false
	}
	if wrong := checkPlan(schema.Block, prior.Value, config, planned, addr); len(wrong) > 0 && !again {
		p.fail(addr, "Provider produced invalid plan", wrong...)
		return nil, planned, false
	}
	return resp, planned, true
}
