// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A run keeps little memory for each planned resource: less than a CLI keeps in its
// state.
func TestMemoryPerResource(t *testing.T) { //nolint:paralleltest // measures the heap of the whole process
	const resources, most = 2000, 2 << 10
	service := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.NoLimits, o.MaxPage, o.Seed = true, 0, stateWithPositions(resources)
	})
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	const name = "assess_position_assessment"
	typ := w.typ(name)
	none, err := tfprotov6.NewDynamicValue(typ, tftypes.NewValue(typ, nil))
	if err != nil {
		t.Fatal(err)
	}
	var before uint64
	for n, position := range service.State(t).Positions {
		config := dynamic(t, typ, map[string]any{
			"position_id": position.ID, "assessment_id": "asm-lumen",
			"benchmark": map[string]any{"id": "bmk-lumen-engineers-en-gb"},
		})
		planned, err := w.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: name, PriorState: &none, Config: config, ProposedNewState: config,
		})
		if err != nil || len(planned.Diagnostics) > 0 {
			t.Fatal(err, planned)
		}
		if n == 0 { // which also fills what all resources share
			before = heap()
		}
	}
	service.ResetJournal()
	kept := (int64(heap()) - int64(before)) / resources
	t.Logf("%d bytes for each resource", kept)
	if kept > most {
		t.Errorf("a run keeps %d bytes for each resource, want at most %d", kept, most)
	}
	runtime.KeepAlive(w)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
