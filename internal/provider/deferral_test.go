// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// configureWith starts a run of a CLI that may allow deferral.
func (w *protocolClient) configureWith(settings map[string]any, deferral bool) []*tfprotov6.Diagnostic {
	w.t.Helper()
	resp, err := w.server.ConfigureProvider(w.t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.17.0", Config: dynamic(w.t, w.schema.Provider.ValueType(), settings),
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: deferral},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.Diagnostics
}

// reason returns why a response is deferred, or 0.
func reason(d *tfprotov6.Deferred) tfprotov6.DeferredReason {
	if d == nil {
		return 0
	}
	return d.Reason
}

// Where the CLI allows it, an unknown setting defers each resource and data source. Otherwise, or
// if all settings are known, nothing is deferred. The same process serves all these runs.
func TestDeferral(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	w := newProtocolClient(t, service)
	unknown := map[string]any{"base_url": tftypes.NewValue(tftypes.String, tftypes.UnknownValue)}
	for _, run := range []struct {
		name     string
		settings map[string]any
		allowed  bool
		deferred tfprotov6.DeferredReason
		warnings int
	}{
		{"unknown, allowed", unknown, true, tfprotov6.DeferredReasonProviderConfigUnknown, 0},
		{"known, allowed", map[string]any{}, true, 0, 0},
		{"unknown, not allowed", unknown, false, 0, 1},
		{"unknown again, allowed", unknown, true, tfprotov6.DeferredReasonProviderConfigUnknown, 0},
		{"known, not allowed", map[string]any{}, false, 0, 0},
	} {
		service.ResetJournal()
		if diagnostics := w.configureWith(run.settings, run.allowed); len(diagnostics) != run.warnings {
			t.Fatalf("%s: diagnostics %v", run.name, diagnostics)
		}
		known := len(run.settings) == 0
		if got := w.deferredPlan(run.allowed); got != run.deferred {
			t.Errorf("%s: the creation is deferred with %v, want %v", run.name, got, run.deferred)
		}
		if got := w.deferredRead(run.allowed); got != run.deferred {
			t.Errorf("%s: the refresh is deferred with %v, want %v", run.name, got, run.deferred)
		}
		got, errors := w.deferredData(run.allowed)
		if wantError := !known && !run.allowed; got != run.deferred || (errors > 0) != wantError {
			t.Errorf("%s: the data source is deferred with %v and %d errors, want %v", run.name, got, errors, run.deferred)
		}
		if n := len(service.Journal()); known != (n > 0) {
			t.Errorf("%s: %d requests", run.name, n)
		}
	}
}

// deferredPlan plans a creation.
func (w *protocolClient) deferredPlan(allowed bool) tfprotov6.DeferredReason {
	w.t.Helper()
	i := &instance{protocolClient: w, name: attachmentType}
	config := attachingTo(backend, "asm-lumen", "benchmark", "id", "bmk-lumen-engineers-en-gb")
	resp, err := w.server.PlanResourceChange(w.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: i.name, PriorState: i.prior(), Config: dynamic(w.t, i.typ(i.name), config),
		ProposedNewState:   dynamic(w.t, i.typ(i.name), config),
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: allowed},
	})
	if err != nil || len(errorsOf(resp.Diagnostics)) > 0 {
		w.t.Fatalf("planning: %v, %v", err, resp)
	}
	return reason(resp.Deferred)
}

// deferredRead refreshes a resource. The state must not change.
func (w *protocolClient) deferredRead(allowed bool) tfprotov6.DeferredReason {
	w.t.Helper()
	i := &instance{protocolClient: w, name: "assess_skills_test_activation"}
	state := dynamic(w.t, i.typ(i.name), map[string]any{
		"id": "asm-workbench/skt-bookkeeping", "assessment_id": "asm-workbench", "test_id": "skt-bookkeeping",
	})
	resp, err := w.server.ReadResource(w.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: i.name, CurrentState: state,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: allowed},
	})
	if err != nil || len(errorsOf(resp.Diagnostics)) > 0 {
		w.t.Fatalf("reading: %v, %v", err, resp)
	}
	if reason(resp.Deferred) != 0 && !i.value(resp.NewState).Equal(i.value(state)) {
		w.t.Errorf("the deferred refresh has changed the state: %s", i.value(resp.NewState))
	}
	return reason(resp.Deferred)
}

// deferredData reads a data source.
func (w *protocolClient) deferredData(allowed bool) (deferred tfprotov6.DeferredReason, errors int) {
	w.t.Helper()
	typ := w.schema.DataSourceSchemas["assess_assessments"].ValueType()
	resp, err := w.server.ReadDataSource(w.t.Context(), &tfprotov6.ReadDataSourceRequest{
		TypeName: "assess_assessments", Config: dynamic(w.t, typ, map[string]any{}),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: allowed},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return reason(resp.Deferred), len(errorsOf(resp.Diagnostics))
}
