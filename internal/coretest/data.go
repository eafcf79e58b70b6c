// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// visitData reads a data source during the plan. It defers the read to the apply if an
// argument is unknown or a dependency has pending changes.
func (w *planWalk) visitData(server tfprotov6.ProviderServer, r *Resource) bool {
	config := w.body(r)
	if config.IsFullyKnown() && !w.mustWait(r) {
		v, ok := w.readData(server, r, config)
		if ok {
			w.keep(r.Addr, r.Provider, &Object{Value: v})
			w.note(&Change{Addr: r.Addr, Action: NoOp, Before: v, After: v, provider: r.Provider})
		}
		return ok
	}
	planned := members(config)
	for _, a := range w.block(r.Addr).Block.Attributes {
		if a.Computed && planned[a.Name].IsNull() {
			planned[a.Name] = tftypes.NewValue(a.ValueType(), tftypes.UnknownValue)
		}
	}
	w.note(&Change{Addr: r.Addr, Action: Read, After: tftypes.NewValue(config.Type(), planned), provider: r.Provider})
	return true
}

func (w *planWalk) mustWait(r *Resource) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.changes, func(c *Change) bool {
		return c.Action != NoOp && slices.Contains(r.DependsOn, resourceOf(c.Addr))
	})
}

func (w *walk) readData(server tfprotov6.ProviderServer, r *Resource, config tftypes.Value) (tftypes.Value, bool) {
	if !w.validateConfig(server, r, config) {
		return tftypes.Value{}, false
	}
	resp, err := server.ReadDataSource(w.ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: typeOf(r.Addr), Config: dynamic(config), ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{},
	})
	if w.callFailed(r.Addr, err) || w.say(r.Addr, false, resp.Diagnostics) {
		return tftypes.Value{}, false
	}
	return w.decode(r.Addr, resp.State)
}
