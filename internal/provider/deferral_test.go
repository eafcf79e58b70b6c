// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Where the CLI allows it, an unknown setting defers each resource and data source: the framework does so
// for all of them. Otherwise, or if all settings are known, nothing is deferred. The same process serves all
// these runs. No CLI that the tests use can defer, so they call the protocol.
func TestDeferral(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	w := newProtocolClient(t, service)
	const list = "assess_assessments"
	config := dynamic(t, w.schema.DataSourceSchemas[list].ValueType(), map[string]any{})
	unknown := map[string]any{"base_url": tftypes.NewValue(tftypes.String, tftypes.UnknownValue)}
	for _, run := range []struct {
		name              string
		settings          map[string]any
		allowed, deferred bool
		warnings, errors  int
		sends             bool
	}{
		{"unknown, allowed", unknown, true, true, 0, 0, false},
		{"known, allowed", map[string]any{}, true, false, 0, 0, true},
		{"unknown, not allowed", unknown, false, false, 1, 1, false},
		{"unknown again, allowed", unknown, true, true, 0, 0, false},
		{"known, not allowed", map[string]any{}, false, false, 0, 0, true},
	} {
		service.ResetJournal()
		configured, err := w.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
			TerraformVersion: "1.17.0", Config: dynamic(t, w.schema.Provider.ValueType(), run.settings),
			ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: run.allowed},
		})
		if err != nil || len(configured.Diagnostics) != run.warnings {
			t.Fatalf("%s: %v, %v", run.name, configured, err)
		}
		read, err := w.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
			TypeName: list, Config: config,
			ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: run.allowed},
		})
		if err != nil || len(read.Diagnostics) != run.errors {
			t.Fatalf("%s: %v, %v", run.name, read, err)
		}
		deferred := read.Deferred != nil && read.Deferred.Reason == tfprotov6.DeferredReasonProviderConfigUnknown
		if deferred != run.deferred {
			t.Errorf("%s: deferred: %v, want %t", run.name, read.Deferred, run.deferred)
		}
		if n := len(service.Journal()); (n > 0) != run.sends {
			t.Errorf("%s: %d requests", run.name, n)
		}
	}
}

// Without deferral, a plan with an unknown setting keeps the state of a resource.
func TestActivationWithAnUnknownSetting(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		config := func(trigger string) coretest.Config {
			account := unknownString("account", sandbox.ClientID)
			account.Body["triggers_replace"] = trigger
			c := simulatedConfig(account, activation("rust", "skt-rust"))
			c.Providers[""]["client_id"] = outputOf("account")
			return c
		}
		s.apply(config("1"))
		if actions := s.succeeds(s.plan(config("2"))).Plan.Actions(); len(actions) != 1 {
			s.t.Errorf("planned %v, want only the account", actions)
		}
	})
}
